//! Arguments of `cp2 star`.

use super::MachineChoice;
use clap::{Args, ValueEnum};
use std::ffi::OsString;
use std::path::PathBuf;

/// Run a program of the associative STAR machine on a graph
///
/// A STAR machine has a processing element for each row of bits and works on whole columns at once. PROGRAM is a file, or
/// the name of a program that comes with `cp2` (`--list`). A mistake is told with its place. The report has the outputs of the
/// program, the exact number of elementary operations of each kind, and what reading the graph dropped, merged or invented.
///
/// Exit code 1 if a requirement of the program (`require`) does not hold, 3 if the program or an input is wrong, 5 at the
/// limit of statements.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples: cp2 star paths --rmat 8 --source 1\n          cp2 star paths --graph roads.gr --store Dist=dist.npy --store SPT=parents.csv:parents\n          cp2 star warshall-columns --rmat 3 --degree 2 --steps run.html\n          cp2 star mine.star --graph as.txt --source 1740 --insert more.txt --json"
)]
pub(crate) struct Star {
    /// Text of a program; the name of one that comes with `cp2`; `-` reads standard input
    #[arg(value_name = "PROGRAM", required_unless_present_any = ["list", "procedures"])]
    pub(crate) program: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) task: StarTask,
    #[command(flatten, next_help_heading = "Graph")]
    pub(crate) graph: GraphChoice,
    #[command(flatten, next_help_heading = "Values")]
    pub(crate) values: StarValues,
    #[command(flatten, next_help_heading = "Run")]
    pub(crate) run: StarRun,
}

/// Tasks besides a run, or in place of one.
#[derive(Debug, Args)]
pub(crate) struct StarTask {
    /// List the programs that come with `cp2`
    #[arg(long, conflicts_with_all = ["program", "procedures", "json"])]
    pub(crate) list: bool,
    /// List the procedures of the library, with their parameters and groups
    #[arg(long, conflicts_with_all = ["program", "json"])]
    pub(crate) procedures: bool,
    /// Print the program, written in the one way; comments stay
    #[arg(long, conflicts_with_all = ["check", "json", "steps"])]
    pub(crate) fmt: bool,
    /// Check the program only
    #[arg(long, conflicts_with_all = ["json", "steps"])]
    pub(crate) check: bool,
    /// Print the report as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// A graph, from a file or from the generator.
#[derive(Debug, Args)]
pub(crate) struct GraphChoice {
    /// Graph: DIMACS `.gr`, a SNAP edge list or Matrix Market; `-` reads standard input
    #[arg(long, value_name = "FILE", conflicts_with = "rmat")]
    pub(crate) graph: Option<PathBuf>,
    /// Format of the graph
    #[arg(long, value_enum, default_value = "auto", requires = "graph")]
    pub(crate) graph_format: GraphFormatChoice,
    /// Generate an R-MAT graph of 2^LEVELS vertices, 1 to 16
    #[arg(long, value_name = "LEVELS", value_parser = clap::value_parser!(u32).range(1..=16))]
    pub(crate) rmat: Option<u32>,
    /// Arcs that the generator draws for each vertex, 1 to 1024
    #[arg(long, value_name = "D", default_value_t = 32, requires = "rmat", value_parser = clap::value_parser!(u64).range(1..=1024))]
    pub(crate) degree: u64,
    /// Greatest weight that the generator draws
    #[arg(long, value_name = "W", default_value_t = 255, requires = "rmat", value_parser = clap::value_parser!(u64).range(1..=4_294_967_295))]
    pub(crate) max_weight: u64,
    /// Begin of the sequence of the generator
    #[arg(long, value_name = "N", default_value_t = 1, requires = "rmat")]
    pub(crate) seed: u64,
    /// Bits of a weight, h, 1 to 64; a number of all ones stands for no arc and no path
    #[arg(long, value_name = "H", default_value_t = 32, value_parser = clap::value_parser!(u64).range(1..=64))]
    pub(crate) bits: u64,
    /// Vertex for `from source`, as the text of the graph names it
    #[arg(long, value_name = "VERTEX", default_value_t = 1)]
    pub(crate) source: u64,
    /// Arcs for the loops over insertions: lines `TAIL HEAD WEIGHT`
    #[arg(long, value_name = "FILE")]
    pub(crate) insert: Option<PathBuf>,
}

/// Values of inputs, and files of outputs.
#[derive(Debug, Args)]
pub(crate) struct StarValues {
    /// Number of rows, n, without a graph
    #[arg(long, value_name = "N", conflicts_with_all = ["graph", "rmat"], value_parser = clap::value_parser!(u64).range(1..=1_048_576))]
    pub(crate) rows: Option<u64>,
    /// Load an input from a `.npy` array: bits of a slice or word; of a table a number for each row, a matrix of bits, or a
    /// matrix of numbers of h bits. May be repeated
    #[arg(long, value_name = "NAME=FILE.npy")]
    pub(crate) load: Vec<OsString>,
    /// Set an input: a number, `true`, `false`, or bits such as `0101`. May be repeated
    #[arg(long, value_name = "NAME=VALUE")]
    pub(crate) arg: Vec<String>,
    /// Store an output as `.npy`, or as text with commas if the name ends in `.csv`; `:parents` behind the name stores a tree
    /// as the parent of each vertex, 0 where there is none. May be repeated
    #[arg(long, value_name = "NAME=FILE[:parents]")]
    pub(crate) store: Vec<String>,
}

/// Form and limit of a run, and the steps that are kept of it.
#[derive(Debug, Args)]
pub(crate) struct StarRun {
    /// Machine that carries out the elementary operations; results are the same
    #[arg(long, value_enum, default_value = "native")]
    pub(crate) backend: StarBackendChoice,
    #[command(flatten)]
    pub(crate) machine: MachineChoice,
    /// Number of the device for `--backend gpu`, as `cp2 gpu devices` lists them; 0 if absent
    #[cfg(feature = "gpu")]
    #[arg(long, value_name = "N")]
    pub(crate) device: Option<usize>,
    /// Take the forms of the library with fewer operations; results are the same
    #[arg(long)]
    pub(crate) cheap: bool,
    /// Stop after this many statements, with exit code 5
    #[arg(long, value_name = "N", default_value_t = 1_000_000_000, value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) max_statements: u64,
    /// Write the run step by step, with the slices and tables that change: a page for a browser if the name ends in `.html`,
    /// else text; `-` is text on standard output
    #[arg(long, value_name = "FILE")]
    pub(crate) steps: Option<PathBuf>,
    /// Keep at most this many steps
    #[arg(long, value_name = "N", default_value_t = 2000, requires = "steps", value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    pub(crate) step_limit: u64,
}

/// Machine under the STAR machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum StarBackendChoice {
    /// The native machine
    Native,
    /// CP2: kernels on slices in local memory, whose cycles are counted; with `--machine` programs on shortest paths with channel and
    /// system memory
    Cp2,
    /// A device of OpenCL: kernels on slices and tables in its memory
    #[cfg(feature = "gpu")]
    Gpu,
}

/// Format of a graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum GraphFormatChoice {
    /// By first line and name
    Auto,
    /// DIMACS: `p sp VERTICES ARCS`, `a TAIL HEAD WEIGHT`
    Gr,
    /// Edge list: `FROM TO`
    Snap,
    /// Matrix Market, format coordinate
    Mtx,
}
