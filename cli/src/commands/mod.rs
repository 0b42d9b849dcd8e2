//! One file per command. Each turns arguments into library calls and prints the result.

mod asm;
mod bench;
mod diff;
mod dma;
mod estimate;
mod explain;
mod isa;
mod kernels;
mod lint;
mod manual;
mod new;
mod report;
mod roofline;
mod run;
mod sched;
mod schema;
mod stats;
mod sweep;
mod test;
mod trace;
mod view;
mod whatif;
mod why;

use crate::args::{Arguments, Command};
use crate::exit::Outcome;
use crate::files;

/// Executes the command.
pub(crate) fn dispatch(arguments: Arguments) -> Outcome {
    match arguments.command {
        Command::Asm(a) => asm::assemble(&a),
        Command::Dis(a) => asm::disassemble(&a),
        Command::Lint(a) => lint::lint(&a),
        Command::Sched(a) => sched::sched(&a),
        Command::Run(a) => run::run(&a),
        Command::Trace(a) => trace::trace(&a),
        Command::Stats(a) => stats::stats(&a),
        Command::Diff(a) => diff::diff(&a),
        Command::Report(a) => report::report(&a),
        Command::Why(a) => why::why(&a),
        Command::View(a) => view::view(&a),
        Command::Dma(a) => dma::dma(&a),
        Command::Kernels(a) => kernels::kernels(&a),
        Command::Bench(a) => bench::bench(&a),
        Command::Estimate(a) => estimate::estimate(&a),
        Command::Roofline(a) => roofline::roofline(&a),
        Command::WhatIf(a) => whatif::whatif(&a),
        Command::Sweep(a) => sweep::sweep(&a),
        Command::Optimize(a) => sweep::optimize(&a),
        Command::Test(a) => test::test(&a),
        Command::New(a) => new::new(&a),
        Command::Explain(a) => explain::explain(&a),
        Command::Schema(a) => schema::schema(&a),
        Command::Completions(a) => manual::completions(&a),
        Command::Man(a) => manual::man(&a),
        Command::Isa(a) => isa::isa(&a),
    }
}

/// Prints JSON with a final newline.
fn print_json(value: &serde_json::Value) -> Outcome<()> {
    files::print(format!("{value:#}\n").as_bytes())
}
