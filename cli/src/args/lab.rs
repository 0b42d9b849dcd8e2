//! Arguments of the commands that compare what is with what should or could be: `estimate`, `roofline`, `whatif`.

use super::Changes;
use crate::input::options::Options;
use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use cp2_lab::inputs::PerfSource;
use cp2_lab::whatif::Change;
use std::path::PathBuf;

/// Estimate a procedure on a system by the method of the source work, and set it beside simulation and measurement
///
/// The ten steps are printed with their numbers: base operation; loads, kernels, stores; what overlaps; main loop;
/// rate of the kernel; time of kernels and of transfers; one iteration; all; performance. Then one table of rates,
/// each with its side: the estimate, what the emulator counts for the published scheme and for our procedure, and
/// what was measured on the real processor.
///
/// Without PROCEDURE the procedures are listed with the numbers that they take. Rates are in MOPS (10^6 operations
/// per second), bandwidths in MB/s, clocks in MHz, sizes in points, rows or bytes as `--keys` says.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples: cp2 estimate fft8192 --system vm7\n          cp2 estimate mg --system vm9-1000-600 --set work.n=512 --set work.processors=8\n          cp2 estimate spmv --system niisi --json\n          cp2 estimate resid --balance system.clock_mhz=100..1200 -o balance.svg"
)]
pub(crate) struct Estimate {
    /// `fft`, `convolution`, `resid`, `proj`, `interp`, `interp0`, `smooth`, `smooth0`, `mg`, `spmv`, `cg`, `kernel`;
    /// a number behind it is `work.n`, as in fft8192
    pub(crate) procedure: Option<String>,
    /// System: `vm7`, `vm9`, `vm9-1000-600`, `vm9-1000-700`, `vm9-1200-800`, `niisi`, `k100`, or a file (TOML) with
    /// name, kind ("cp2" or "gpu") and the keys of `system`
    #[arg(long, value_name = "NAME|FILE", default_value = "vm9")]
    pub(crate) system: String,
    /// Change a number, such as `system.bw_mb_s=4000` or `work.n=65536`; may be repeated
    #[arg(long, value_name = "KEY=VALUE")]
    pub(crate) set: Vec<String>,
    /// Rate of kernels on CP2: of the published ones, the peak of the base operation, or ours as counted here
    #[arg(long, value_parser = perf(), default_value = "published")]
    pub(crate) perf: PerfSource,
    /// Only the estimate: run nothing
    #[arg(long)]
    pub(crate) alone: bool,
    /// Print the report as JSON
    #[arg(long)]
    pub(crate) json: bool,
    /// Draw the bandwidth at which computing and moving data take the same time, over a number, as SVG
    #[arg(long, value_name = "KEY=LOW..HIGH", requires = "output", conflicts_with_all = ["json", "alone"])]
    pub(crate) balance: Option<String>,
    /// File that `--balance` writes; `-` is standard output
    #[arg(short, long, value_name = "FILE.svg", requires = "balance")]
    pub(crate) output: Option<PathBuf>,
    /// List the keys of `--set` with units and limits
    #[arg(long, conflicts_with_all = ["procedure", "set", "balance", "json", "validation"])]
    pub(crate) keys: bool,
    /// Print the page of all printed numbers beside ours (Markdown)
    #[arg(long, conflicts_with_all = ["procedure", "set", "balance", "json"])]
    pub(crate) validation: bool,
}

/// Show the ceilings of a machine, with kernels and procedures beneath them
///
/// Ceilings: the arithmetic slot (operations per cycle), the exchange slot and the banks of local memory (words per
/// cycle), the DMA channel for long rows (bytes per cycle). Points are whole runs with the defaults of their options:
/// kernels by their words of local memory, procedures by their bytes of system memory. A name that is both is both.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples: cp2 roofline --machine vm7 -o roofline.svg\n          cp2 roofline --machine vm9 fft256 resid --json"
)]
pub(crate) struct Roofline {
    /// Kernels and procedures, as `cp2 kernels list` prints them; a few of both if absent
    pub(crate) names: Vec<String>,
    /// Machine: `vm7`, `vm9`, `vm9-1000-600`, `vm9-1000-700`, `vm9-1200-800` or a machine file (TOML)
    #[arg(long, value_name = "NAME|FILE")]
    pub(crate) machine: String,
    #[command(flatten)]
    pub(crate) changes: Changes,
    /// Draw it as SVG; `-` is standard output
    #[arg(short, long, value_name = "FILE.svg")]
    pub(crate) output: Option<PathBuf>,
    /// Print the report as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Run a workload on a machine and on that machine with changes, each alone and all combinations
///
/// Told are cycles, speed-up, and the ceiling that now bounds the run; what each change saves alone, as the last one,
/// and its share of all (Shapley value), in percent of the baseline, or that the program does not use it; and the source
/// lines that gain or lose most.
/// With --machine a procedure runs, compared by time; without it a kernel on CP2 alone, compared by cycles, whose
/// program is made anew for every core. From 1 to 6 changes: 2^n runs.
///
/// --sensitivity instead perturbs the numbers of the machine that nobody measured: assumptions over the range that
/// their origin states, fits over their interval (else half to twice, or a tenth), each alone and all together.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples: cp2 whatif resid --set core.arithmetic_latency=4 --set core.load_latency=2\n          cp2 whatif fft8192 --machine vm9 --vectors 8 --set memory.outstanding=8 --set memory.clock_mhz=800 --picture gain.svg\n          cp2 whatif fft8192 --machine vm9 --vectors 8 --enable memory-controller --set host.page_cycles=0\n          cp2 whatif fft8192 --machine vm9 --vectors 8 --sensitivity"
)]
pub(crate) struct WhatIf {
    /// Kernel, or procedure with --machine, as `cp2 kernels list` prints it
    pub(crate) name: String,
    /// Machine of the baseline; a kernel on CP2 alone if absent
    #[arg(long, value_name = "NAME|FILE")]
    pub(crate) machine: Option<String>,
    /// Change a number of the baseline's machine too; may be repeated
    #[arg(long, value_name = "KEY=VALUE", requires = "machine")]
    pub(crate) base_set: Vec<String>,
    /// A change: extensions that are switched on, by name, a size behind `=`; `A,B` together. May be repeated
    #[arg(
        long,
        value_name = "EXTENSION[,...]",
        value_parser = Change::enable,
        required_unless_present_any = ["sensitivity", "set"],
        conflicts_with = "sensitivity"
    )]
    pub(crate) enable: Vec<Change>,
    /// A change; `KEY=VALUE,KEY=VALUE` are made together. May be repeated
    #[arg(
        long,
        value_name = "KEY=VALUE[,...]",
        value_parser = Change::set,
        conflicts_with = "sensitivity"
    )]
    pub(crate) set: Vec<Change>,
    /// Perturb what rests on assumptions and fits instead
    #[arg(long, requires = "machine")]
    pub(crate) sensitivity: bool,
    #[command(flatten)]
    pub(crate) options: Options,
    /// Draw it as SVG; `-` is standard output
    #[arg(long, value_name = "FILE.svg")]
    pub(crate) picture: Option<PathBuf>,
    /// Print the report as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

fn perf() -> impl TypedValueParser<Value = PerfSource> {
    let names = PossibleValuesParser::new(PerfSource::ALL.map(PerfSource::name));
    names.try_map(|name| {
        let found = PerfSource::ALL.into_iter().find(|source| source.name() == name);
        found.ok_or("no such rate")
    })
}
