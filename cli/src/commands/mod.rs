//! One file per command. Each turns arguments into library calls and prints the result.

#[cfg(feature = "cluster")]
mod cluster;
mod dma;
#[cfg(feature = "explore")]
mod explore;
#[cfg(feature = "gpu")]
mod gpu;
mod kernels;
mod look;
#[cfg(feature = "loops")]
mod loops;
#[cfg(feature = "lsp")]
mod lsp;
mod make;
mod reference;
mod run;
mod star;
mod study;
mod test;

use crate::args::{Arguments, Command};
use crate::process::exit::Outcome;

/// Executes the command.
pub(crate) fn dispatch(arguments: Arguments) -> Outcome {
    match arguments.command {
        Command::Asm(a) => make::asm::assemble(&a),
        Command::Dis(a) => make::asm::disassemble(&a),
        Command::Fmt(a) => make::fmt::fmt(&a),
        Command::Lint(a) => make::lint::lint(&a),
        Command::Sched(a) => make::sched::sched(&a),
        Command::Run(a) => run::run(&a),
        Command::Trace(a) => look::trace::trace(&a),
        Command::Stats(a) => look::stats::stats(&a),
        Command::Diff(a) => look::diff::diff(&a),
        Command::Report(a) => look::report::report(&a),
        Command::Why(a) => look::why::why(&a),
        Command::Path(a) => look::path::path(&a),
        Command::Debug(a) => look::debug::debug(&a),
        #[cfg(feature = "explore")]
        Command::Explore(a) => explore::explore(&a),
        Command::View(a) => look::view::view(&a),
        Command::Dma(a) => dma::dma(&a),
        Command::Kernels(a) => kernels::kernels(&a),
        Command::Star(a) => star::star(&a),
        #[cfg(feature = "gpu")]
        Command::Gpu(a) => gpu::gpu(&a),
        #[cfg(feature = "cluster")]
        Command::Cluster(a) => cluster::cluster(&a),
        #[cfg(feature = "loops")]
        Command::Loops(a) => loops::loops(&a),
        #[cfg(feature = "lsp")]
        Command::Lsp(a) => lsp::lsp(&a),
        Command::Bench(a) => study::bench::bench(&a),
        Command::Estimate(a) => study::estimate::estimate(&a),
        Command::Roofline(a) => study::roofline::roofline(&a),
        Command::WhatIf(a) => study::whatif::whatif(&a),
        Command::Sweep(a) => study::sweep::sweep(&a),
        Command::Optimize(a) => study::optimize::optimize(&a),
        Command::Costs(a) => study::optimize::costs(&a),
        Command::Test(a) => test::test(&a),
        Command::New(a) => make::new::new(&a),
        Command::Explain(a) => reference::explain::explain(&a),
        Command::Schema(a) => reference::schema::schema(&a),
        Command::Completions(a) => reference::manual::completions(&a),
        Command::Man(a) => reference::manual::man(&a),
        Command::Isa(a) => reference::isa::isa(&a),
    }
}
