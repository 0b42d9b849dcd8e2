//! Arguments of `cp2 kernels` and `cp2 bench`.

use super::{CacheChoice, CoreChoice, MachineChoice};
use crate::input::options::Options;
use clap::{Args, Subcommand};
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
        /// Name, as `cp2 kernels list` prints it
        name: String,
        #[command(flatten)]
        core: CoreChoice,
    },
    /// Run a kernel on the data of a file
    Run(Box<KernelRun>),
}

#[derive(Debug, Args)]
pub(crate) struct KernelRun {
    /// Name, as `cp2 kernels list` prints it; with `--machine` vectors lie in system memory and go
    /// through CP2 by pages, and `fft8192` to `fft65536` and `convolution` are there too
    pub(crate) name: String,
    #[command(flatten)]
    pub(crate) options: Options,
    #[command(flatten)]
    pub(crate) machine: MachineChoice,
    #[command(flatten)]
    pub(crate) cache: CacheChoice,
    /// Record the run, as `cp2 run --record` does
    #[arg(long, value_name = "FILE")]
    pub(crate) record: Option<PathBuf>,
    /// Keep where a procedure is in this file, again and again and at Ctrl-C, so that `--resume` goes on
    /// from there: with the same options, inputs and machine to the same results and the same report,
    /// byte for byte. What is lost by a kill is at most what was done in `--interval`
    #[arg(long, value_name = "FILE", requires = "machine", conflicts_with = "record")]
    pub(crate) checkpoint: Option<PathBuf>,
    /// Seconds between two checkpoints at most, those that the checkpoint takes included; from 0 on
    #[arg(long, value_name = "SECONDS", default_value_t = 60, requires = "checkpoint")]
    pub(crate) interval: u64,
    /// Go on from a checkpoint: `cp2 kernels run mg --class B --machine vm7 --checkpoint mg.chk --resume mg.chk`
    #[arg(long, value_name = "FILE", requires = "machine", conflicts_with = "record")]
    pub(crate) resume: Option<PathBuf>,
    /// Print the report as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Count the cycles of kernels, beside their bounds and the published hand-made kernels; on another
/// core beside those of CP2. Every result is compared with its reference; exit code 1 if one is wrong
#[derive(Debug, Args)]
pub(crate) struct Bench {
    /// Count these kernels only
    pub(crate) kernels: Vec<String>,
    #[command(flatten)]
    pub(crate) core: CoreChoice,
    /// Compare with the golden file at zero tolerance; exit code 1 on any difference
    #[arg(long)]
    pub(crate) check: bool,
    /// Write the golden file
    #[arg(long, conflicts_with_all = ["check", "kernels"])]
    pub(crate) bless: bool,
    /// Measure the speed of the engines instead, on `fft256`, `resid`, a loop of mixed operations and one
    /// of elementary functions, and the limit of this machine: straight AVX2 code with values in registers,
    /// in every bundle a butterfly with its own coefficient, in half of them a double load or store
    /// through all of local memory as in `fft256`, no flags; a long FFT with DMA from its input to its
    /// results; and many machines on all cores beside one. Medians of measurements in turns
    #[arg(long, conflicts_with_all = ["check", "bless", "kernels", "machine", "set", "golden"])]
    pub(crate) speed: bool,
    /// Measure each speed so many times
    #[arg(long, value_name = "N", requires = "speed", default_value_t = 7, value_parser = clap::value_parser!(u16).range(1..=1000))]
    pub(crate) repeats: u16,
    /// The golden file; if absent `--check` takes the one that is built in, and `--bless` writes
    /// programs/golden/cycles.json
    #[arg(long, value_name = "FILE")]
    pub(crate) golden: Option<PathBuf>,
    /// Print the counts as JSON
    #[arg(long)]
    pub(crate) json: bool,
}
