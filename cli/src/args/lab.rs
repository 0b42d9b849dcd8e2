//! Arguments of the commands that compare what is with what should or could be: `estimate`, `roofline`, `whatif`.

use super::{Changes, CommandChoice};
use crate::input::options::Options;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{ArgGroup, Args};
use cp2_lab::inputs::PerfSource;
use cp2_lab::whatif::Change;
use std::path::PathBuf;

/// Estimate a procedure on a system by the method of the dissertation, and compare with simulation and measurement
///
/// The ten steps are printed with their numbers: base operation; loads, kernels, stores; what overlaps; main loop;
/// rate of the kernel; time of kernels and of transfers; one iteration; all; performance. Then a table of rates: the
/// estimate, what the emulator counts for the published scheme and for our procedure, and what was measured on the
/// real processor.
///
/// Without PROCEDURE it lists the procedures with the numbers that they take. Rates are in MOPS (10^6 operations
/// per second), bandwidths in MB/s, clocks in MHz, sizes in points, rows or bytes as `--keys` says.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples: cp2 estimate fft8192 --system vm7\n          cp2 estimate mg --system vm9-1000-600 --set work.n=512 \\\n              --set work.processors=8\n          cp2 estimate spmv --system niisi --json\n          cp2 estimate resid --balance system.clock_mhz=100..1200 -o balance.svg"
)]
pub(crate) struct Estimate {
    /// `fft`, `convolution`, `resid`, `proj`, `interp`, `interp0`, `smooth`, `smooth0`, `mg`, `spmv`, `cg`, `kernel`;
    /// a number after the name is `work.n`, as in fft8192; or another procedure of `cp2 kernels list`, or a workload file
    /// (TOML), whose plan comes from a run
    #[arg(value_name = "NAME|FILE")]
    pub(crate) name: Option<String>,
    #[command(flatten)]
    pub(crate) commands: CommandChoice,
    /// System: `vm7`, `vm9`, `vm9-1000-600`, `vm9-1000-700`, `vm9-1200-800`, `niisi`, `k100`, or a file (TOML) with
    /// name, kind ("cp2" or "gpu") and the keys of `system`
    #[arg(long, value_name = "NAME|FILE", default_value = "vm9")]
    pub(crate) system: String,
    /// Change a number, such as `system.bw_mb_s=4000` or `work.n=65536`; may be repeated
    #[arg(long, value_name = "KEY=VALUE")]
    pub(crate) set: Vec<String>,
    /// Rate of kernels on CP2: of the published kernels (the default of procedures), the peak of the base operation, or
    /// of our kernels as counted by `cp2 bench`; of a workload file the peak is an operation of the fuller slot in
    /// every cycle, and `ours` (its default) the cycles that a run counted
    #[arg(long, value_parser = perf())]
    pub(crate) perf: Option<PerfSource>,
    /// Print only the estimate, and simulate nothing
    #[arg(long)]
    pub(crate) alone: bool,
    /// Print the report as JSON
    #[arg(long)]
    pub(crate) json: bool,
    /// Draw as SVG the bandwidth at which computing and moving data take the same time, for KEY from LOW to HIGH
    #[arg(long, value_name = "KEY=LOW..HIGH", requires = "output", conflicts_with_all = ["json", "alone"])]
    pub(crate) balance: Option<String>,
    /// File that `--balance` writes; `-` is standard output
    #[arg(short, long, value_name = "FILE.svg", requires = "balance")]
    pub(crate) output: Option<PathBuf>,
    /// List the keys of `--set` with units and limits
    #[arg(long, conflicts_with_all = ["name", "set", "balance", "json", "validation"])]
    pub(crate) keys: bool,
    /// Print the page that compares all printed numbers of the dissertation with ours (Markdown)
    #[arg(long, conflicts_with_all = ["name", "set", "balance", "json"])]
    pub(crate) validation: bool,
}

/// Show the ceilings of a machine, with kernels and procedures beneath them
///
/// Ceilings: the arithmetic slot (operations per cycle), the exchange slot and the banks of local memory (words per
/// cycle), the DMA channel for long rows (bytes per cycle). Points are whole runs with the defaults of their options:
/// kernels by their words of local memory, procedures by their bytes of system memory. A name that is that of a kernel
/// and of a procedure gives two points.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples: cp2 roofline --machine vm7 -o roofline.svg\n          cp2 roofline --machine vm9 fft256 resid --json"
)]
pub(crate) struct Roofline {
    /// Names of kernels and procedures, as `cp2 kernels list` prints them, and workload files (TOML); a few kernels and
    /// procedures if absent
    #[arg(value_name = "NAME|FILE")]
    pub(crate) names: Vec<String>,
    #[command(flatten)]
    pub(crate) commands: CommandChoice,
    /// Machine: `vm7`, `vm9`, `vm9-1000-600`, `vm9-1000-700`, `vm9-1200-800` or a machine file (TOML)
    #[arg(long, value_name = "NAME|FILE")]
    pub(crate) machine: String,
    #[command(flatten)]
    pub(crate) changes: Changes,
    /// Draw the roofline as SVG; `-` is standard output
    #[arg(short, long, value_name = "FILE.svg")]
    pub(crate) output: Option<PathBuf>,
    /// Print the report as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Run a workload on a machine, and on the same machine with changes, each alone and in all combinations
///
/// Each `--enable` and each `--set` is one change; from 1 to 6 changes, which take 2^n runs. With `--machine` a
/// procedure runs, compared by time; without it a kernel runs on CP2 alone, compared by cycles, and its program is made
/// anew for every core.
///
/// The report has, for each combination, cycles, speed-up and the ceiling that bounds the run. For each change it has
/// what the change saves alone, what it saves as the last one, and its share of what all save (Shapley value), in
/// percent of the baseline, or that the program does not use it. Last come the source lines that gain or lose most.
///
/// Some workloads have variants, which compute the same by other programs, such as `resid`, `resid_paired` and
/// `resid_word_access`. Every combination takes the one with the fewest cycles among those that its machine allows, and
/// says which. `--alone` runs the workload of the name only.
///
/// `--sensitivity` takes no changes. It varies the numbers of the machine that were not measured: assumptions over the
/// range that their origin states, fits over their interval (if none is stated, from half to twice the value, or by a
/// tenth), each alone and all together.
#[derive(Debug, Args)]
#[command(
    override_usage = "cp2 whatif [OPTIONS] --enable <EXTENSION[,...]> <NAME>\n       cp2 whatif [OPTIONS] --set <KEY=VALUE[,...]> <NAME>\n       cp2 whatif [OPTIONS] --sensitivity <NAME>",
    group = ArgGroup::new("question").args(["enable", "set", "sensitivity"]).multiple(true).required(true),
    // A study runs a workload several times and has no output of one run; what asks for one is told so.
    mut_arg("output", |option| option.hide(true)),
    mut_arg("timeline", |option| option.hide(true)),
    mut_arg("timeline-json", |option| option.hide(true)),
    after_help = "Examples: cp2 whatif resid --set core.arithmetic_latency=4 \\\n              --set core.load_latency=2\n          cp2 whatif fft8192 --machine vm9 --vectors 8 \\\n              --set memory.outstanding=8 --set memory.clock_mhz=800 \\\n              --picture gain.svg\n          cp2 whatif fft8192 --machine vm9 --vectors 8 \\\n              --enable memory-controller --set host.page_cycles=0\n          cp2 whatif fft8192 --machine vm9 --vectors 8 --sensitivity"
)]
pub(crate) struct WhatIf {
    /// Name of a kernel, or with `--machine` of a procedure, as `cp2 kernels list` prints it; or a workload file (TOML)
    #[arg(value_name = "NAME|FILE")]
    pub(crate) name: String,
    #[command(flatten)]
    pub(crate) commands: CommandChoice,
    /// Machine of the baseline: `vm7`, `vm9`, `vm9-1000-600`, `vm9-1000-700`, `vm9-1200-800` or a machine file (TOML);
    /// if absent a kernel runs on CP2 alone
    #[arg(long, value_name = "NAME|FILE")]
    pub(crate) machine: Option<String>,
    /// Change a number of the machine of the baseline, such as `memory.outstanding=4`; may be repeated
    #[arg(long, value_name = "KEY=VALUE", requires = "machine")]
    pub(crate) base_set: Vec<String>,
    /// A change that switches on extensions, by name, some with a size after `=`, such as `more-fprs=128`; `A,B` are
    /// switched on together, as one change. May be repeated for further changes
    #[arg(
        long,
        value_name = "EXTENSION[,...]",
        value_parser = Change::enable,
        conflicts_with = "sensitivity"
    )]
    pub(crate) enable: Vec<Change>,
    /// A change that sets a number of the machine, such as `core.load_latency=2`; `KEY=VALUE,KEY=VALUE` are set
    /// together, as one change. May be repeated for further changes
    #[arg(
        long,
        value_name = "KEY=VALUE[,...]",
        value_parser = Change::set,
        conflicts_with = "sensitivity"
    )]
    pub(crate) set: Vec<Change>,
    /// Run the workload NAME itself in every combination, rather than the fastest of its variants
    #[arg(long)]
    pub(crate) alone: bool,
    /// Vary the numbers that rest on assumptions and fits, in place of changes
    #[arg(long, requires = "machine")]
    pub(crate) sensitivity: bool,
    #[command(flatten)]
    pub(crate) options: Options,
    /// Draw the gains, or the effects of the numbers, as SVG; `-` is standard output
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
