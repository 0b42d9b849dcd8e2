//! Arguments of the commands that compare what should be with what is: `estimate`.

use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use cp2_lab::inputs::PerfSource;
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
    /// Where `--balance` writes; `-` is standard output
    #[arg(short, long, value_name = "FILE.svg", requires = "balance")]
    pub(crate) output: Option<PathBuf>,
    /// List the keys of `--set` with units and limits
    #[arg(long, conflicts_with_all = ["procedure", "set", "balance", "json", "validation"])]
    pub(crate) keys: bool,
    /// Print the page of all printed numbers beside ours (Markdown)
    #[arg(long, conflicts_with_all = ["procedure", "set", "balance", "json"])]
    pub(crate) validation: bool,
}

fn perf() -> impl TypedValueParser<Value = PerfSource> {
    let names = PossibleValuesParser::new(PerfSource::ALL.map(PerfSource::name));
    names.try_map(|name| {
        let found = PerfSource::ALL.into_iter().find(|source| source.name() == name);
        found.ok_or("no such rate")
    })
}
