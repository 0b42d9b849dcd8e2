//! Arguments of `cp2 kernels` and `cp2 bench`.

use super::{CacheChoice, CommandChoice, CoreChoice, MachineChoice};
use crate::input::options::Options;
use clap::{Args, Subcommand, ValueEnum};
use std::path::PathBuf;

/// List, show and run the kernels that come with cp2
#[derive(Debug, Subcommand)]
pub(crate) enum Kernels {
    /// List the kernels
    List {
        /// Print the list as JSON
        #[arg(long)]
        json: bool,
    },
    /// Print the assembly source of a kernel
    Source {
        /// Name, as `cp2 kernels list` prints it, or a workload file (TOML)
        #[arg(value_name = "NAME|FILE")]
        name: String,
        #[command(flatten)]
        core: CoreChoice,
    },
    /// Run a kernel, or with `--machine` a procedure, on arrays from files or on random data
    ///
    /// A kernel takes some of the options below; one that it does not take is refused. `cp2 kernels list --json` lists
    /// the options of each kernel with their units, defaults and limits.
    ///
    /// Examples: `cp2 kernels run fft64 --input x.npy --output y.npy`; `cp2 kernels run mg --class S --machine vm7`
    Run(Box<KernelRun>),
}

/// Form of the program that `--emit` writes.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum EmitHost {
    /// C for a cross compiler
    C,
}

/// Choices of a procedure that takes long: where its state is kept, and when it stops.
#[derive(Debug, Args)]
pub(crate) struct KeepingChoice {
    /// Save the state of a procedure in this file, every `--interval` seconds and at Ctrl-C. `--resume` continues
    /// from it; with the same options, inputs and machine it gives the same results and the same report, byte for
    /// byte. A kill loses at most the work of one interval
    #[arg(long, value_name = "FILE", requires = "machine", conflicts_with = "record")]
    pub(crate) checkpoint: Option<PathBuf>,
    /// Most seconds from one checkpoint to the next, at least 0; the time to write the checkpoint is included
    #[arg(long, value_name = "SECONDS", default_value_t = 60, requires = "checkpoint")]
    pub(crate) interval: u64,
    /// Continue from a checkpoint. Example: `cp2 kernels run mg --class B --machine vm7 --checkpoint mg.chk --resume
    /// mg.chk`
    #[arg(long, value_name = "FILE", requires = "machine", conflicts_with = "record")]
    pub(crate) resume: Option<PathBuf>,
    /// Stop a procedure after this time, as Ctrl-C does, with exit code 5
    #[arg(long, value_name = "SECONDS", requires = "machine", conflicts_with = "record", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) time_limit: Option<u64>,
}

#[derive(Debug, Args)]
pub(crate) struct KernelRun {
    /// Name, as `cp2 kernels list` prints it, or a workload file (TOML). With `--machine` the name of a procedure: its
    /// arrays lie in system memory, and it moves them through CP2 page by page
    #[arg(value_name = "NAME|FILE")]
    pub(crate) name: String,
    #[command(flatten)]
    pub(crate) options: Options,
    #[command(flatten)]
    pub(crate) machine: MachineChoice,
    #[command(flatten)]
    pub(crate) commands: CommandChoice,
    #[command(flatten)]
    pub(crate) cache: CacheChoice,
    /// Do not run a workload file, but write what its host does as a program for the control processor: `c` makes a
    /// folder with the C text, all that it is built with, and the arrays. The program is for the machine of `--machine`,
    /// vm9 if absent
    #[arg(long, value_name = "FORM", value_enum, conflicts_with_all = ["record", "checkpoint", "resume", "time_limit", "json"])]
    pub(crate) emit: Option<EmitHost>,
    /// Folder that `--emit` makes; if absent, the name of the workload with `-host` behind it
    #[arg(long, value_name = "FOLDER", requires = "emit")]
    pub(crate) into: Option<PathBuf>,
    /// Record the run, as `cp2 run --record` does
    #[arg(long, value_name = "FILE")]
    pub(crate) record: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) keeping: KeepingChoice,
    /// Print the report as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Count the cycles of kernels, and compare them with their bounds and with published kernels
///
/// The published kernels are those of the dissertation, made by hand. On another core (`--machine`, `--enable`, `--set`)
/// the counts are compared with those on CP2. Exit code 1 if a result differs from its reference.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples: cp2 bench fft256 resid\n          cp2 bench --check\n          cp2 bench axpy --set core.load_latency=2"
)]
pub(crate) struct Bench {
    /// Names of the kernels to count, and workload files (TOML); all kernels if absent
    #[arg(value_name = "NAME|FILE")]
    pub(crate) kernels: Vec<String>,
    #[command(flatten)]
    pub(crate) commands: CommandChoice,
    #[command(flatten)]
    pub(crate) core: CoreChoice,
    /// Compare the counts with the golden file; exit code 1 on any difference
    #[arg(long)]
    pub(crate) check: bool,
    /// Write the counts to the golden file
    #[arg(long, conflicts_with_all = ["check", "kernels"])]
    pub(crate) bless: bool,
    /// Measure the speed of the engines on this computer instead: on `fft256`, `resid`, a loop of mixed operations and
    /// one of elementary functions, on a long FFT with DMA, and on many machines on all cores at once. For comparison
    /// the speed of straight AVX2 code for the work of `fft256`, without flags. All numbers are medians
    #[arg(long, conflicts_with_all = ["check", "bless", "kernels", "machine", "set", "golden"])]
    pub(crate) speed: bool,
    /// Number of measurements of each speed, 1 to 1000
    #[arg(long, value_name = "N", requires = "speed", default_value_t = 7, value_parser = clap::value_parser!(u16).range(1..=1000))]
    pub(crate) repeats: u16,
    /// The golden file; if absent `--check` reads the built-in one, and `--bless` writes
    /// programs/golden/cycles.json
    #[arg(long, value_name = "FILE")]
    pub(crate) golden: Option<PathBuf>,
    /// Print the counts as JSON
    #[arg(long)]
    pub(crate) json: bool,
}
