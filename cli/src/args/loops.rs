//! Arguments of `cp2 loops`.

use super::CoreChoice;
use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// Find the independent threads of a loop nest, how they share its arrays, and their code
///
/// NEST is a function in a subset of C: arrays with their sizes, loops, `if` and assignments, all indices affine. What lies
/// outside is refused with its place and the nearest form that works. The report has the thread of each assignment, and how
/// neighbouring threads share each array. Each run enumerates small sizes and checks the threads against all dependences.
///
/// Exit code 3 if the text is refused.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples: cp2 loops examples/loops/polynomial.c --explain\n          cp2 loops examples/loops/product.c --code cuda -o product.cu\n          cp2 loops examples/loops/floyd_block.c --threads i,j\n          cp2 loops examples/loops/product.c --run -D N=48 --machine vm9 --output C=c.npy\n          cp2 loops nest.c --json"
)]
pub(crate) struct Loops {
    /// Text of the nest; `-` reads standard input
    #[arg(value_name = "NEST")]
    pub(crate) nest: PathBuf,
    /// Check the text only
    #[arg(long, conflicts_with_all = ["json", "explain", "code"])]
    pub(crate) check: bool,
    /// Tell why each decision was made
    #[arg(long, conflicts_with_all = ["json", "code"])]
    pub(crate) explain: bool,
    /// Print the report as JSON
    #[arg(long, conflicts_with = "code")]
    pub(crate) json: bool,
    /// Print the code of the threads
    #[arg(long, value_enum, value_name = "LANGUAGE")]
    pub(crate) code: Option<LoopsDialect>,
    /// Write the code to a file
    #[arg(short = 'o', value_name = "FILE", requires = "code")]
    pub(crate) to: Option<PathBuf>,
    /// Tell how threads along these loops share arrays, whether or not they are independent; neighbours differ in the first
    #[arg(long, value_name = "LOOP,...", value_delimiter = ',', conflicts_with = "code")]
    pub(crate) threads: Vec<String>,
    /// Storage that threads have
    #[arg(long, value_enum, default_value = "kept")]
    pub(crate) storage: LoopsStorage,
    #[command(flatten, next_help_heading = "Run")]
    pub(crate) run: LoopsRun,
}

/// A run on CP2.
#[derive(Debug, Args)]
pub(crate) struct LoopsRun {
    /// Run the nest on the emulated CP2, and compare all results with those of the nest in order; exit code 1 if one differs
    #[arg(long, conflicts_with_all = ["check", "explain", "code", "threads"])]
    pub(crate) run: bool,
    /// Value of a parameter, or of a number that is one. May be repeated
    #[arg(short = 'D', value_name = "NAME=VALUE", requires = "run")]
    pub(crate) define: Vec<String>,
    /// Elements of an array, float32; numbers of a fixed sequence if absent. May be repeated
    #[arg(long, value_name = "NAME=FILE.npy", requires = "run")]
    pub(crate) input: Vec<String>,
    /// File for the elements of an array after the run. May be repeated
    #[arg(long, value_name = "NAME=FILE.npy", requires = "run")]
    pub(crate) output: Vec<String>,
    #[command(flatten)]
    pub(crate) core: CoreChoice,
}

/// Language of the code of threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum LoopsDialect {
    /// C: a function for one thread, and a loop over all
    C,
    /// CUDA C: a kernel, and a function that launches it
    Cuda,
    /// OpenCL C: a kernel
    Opencl,
}

/// Storage that threads have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum LoopsStorage {
    /// The arrays of the nest
    Kept,
    /// A copy for each iteration of what it writes
    Expanded,
    /// The arrays of the nest, but sums and the like in parts, which rounds otherwise
    Reduced,
}
