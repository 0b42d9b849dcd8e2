//! Arguments of `cp2 gpu`.

pub(crate) mod search;

use clap::builder::PossibleValuesParser;
use clap::{Args, Subcommand};
use search::{GpuCover, GpuFibonacci, GpuQueens, GpuSudoku, GpuTree};
use std::path::PathBuf;

/// Run NPB MG, CG and FT and recursive searches on graphics processors, and measure what the estimation method needs
///
/// Devices are those of OpenCL. Without a graphics processor the packages `ocl-icd-libopencl1` and `pocl-opencl-icd` make the
/// processor itself a device, which serves for tests.
#[derive(Debug, Subcommand)]
pub(crate) enum Gpu {
    Devices(GpuDevices),
    #[command(subcommand)]
    Run(GpuRun),
    Measure(GpuMeasure),
}

/// List the devices with their numbers, which `--device` takes
#[derive(Debug, Args)]
pub(crate) struct GpuDevices {
    /// Print the list as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Devices to run on.
#[derive(Debug, Args)]
pub(crate) struct GpuDeviceChoice {
    /// Numbers of devices, as `cp2 gpu devices` lists them
    #[arg(long, value_name = "N", value_delimiter = ',', default_value = "0")]
    pub(crate) device: Vec<usize>,
    /// Divide each device into equal parts, each of which counts as a device
    #[arg(long, value_name = "K", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=256))]
    pub(crate) parts: u16,
    /// Search the shapes of work-groups first, and keep them for this device. Without a search the kept ones are used
    #[arg(long)]
    pub(crate) search: bool,
    /// Print the report as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Run a procedure of NPB or a recursive search
///
/// `mg`, `cg` and `ft` are classes of NPB, whose result is verified and whose time is compared with what the estimation method says. The
/// others are searches: the host makes the calls above a depth, work-items make the rest with stacks of their own.
///
/// Exit code 1 if the result is not that of NPB, or of the host; 5 if the time limit ended a search.
#[derive(Debug, Subcommand)]
#[command(
    after_help = "Examples: cp2 gpu run mg --class C --fused\n          cp2 gpu run queens --board 14 --queens 14\n          cp2 gpu run sudoku puzzles.txt --goal count"
)]
pub(crate) enum GpuRun {
    Mg(GpuMg),
    Cg(GpuCg),
    Ft(GpuFt),
    Queens(Box<GpuQueens>),
    Sudoku(Box<GpuSudoku>),
    Tree(Box<GpuTree>),
    Cover(Box<GpuCover>),
    Fibonacci(Box<GpuFibonacci>),
}

/// Choices of all procedures of NPB.
#[derive(Debug, Args)]
pub(crate) struct GpuNpb {
    /// Runs of which the median is taken
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u16).range(1..=1000))]
    pub(crate) runs: u16,
    #[command(flatten)]
    pub(crate) devices: GpuDeviceChoice,
}

/// NPB MG: cycles of multigrid
///
/// The time is the median of several runs behind one that builds the kernels. All data stay on the device. On 2, 4 or 8 devices each has a
/// block of the grid.
#[derive(Debug, Args)]
#[command(after_help = "Example: cp2 gpu run mg --class C --fused")]
pub(crate) struct GpuMg {
    /// Class of NPB: S, W, A, B, C, D
    #[arg(long, value_name = "LETTER", default_value = "S")]
    pub(crate) class: String,
    /// Run by kernels of two and three operators; on one device
    #[arg(long)]
    pub(crate) fused: bool,
    #[command(flatten)]
    pub(crate) npb: GpuNpb,
}

/// NPB CG: conjugate gradients with a sparse matrix
///
/// Rows are dealt out to any number of devices. With `--matrix` the matrix is yours: its product is held against plain loops on the host,
/// and a square one is solved with for a right side of ones, 25 steps, as in an outer iteration of NPB.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples: cp2 gpu run cg --class B --search\n          cp2 gpu run cg --matrix m.mtx --format framed --search"
)]
pub(crate) struct GpuCg {
    /// Class of NPB: S, W, A, B, C, D
    #[arg(long, value_name = "LETTER", default_value = "S")]
    pub(crate) class: String,
    /// Matrix in place of a class (Matrix Market file), read in double precision
    #[arg(long, value_name = "FILE.mtx", conflicts_with = "class")]
    pub(crate) matrix: Option<PathBuf>,
    /// Format in which the matrix is packed: Sliced ELLpack, or Framed ELLpack with parts of the vector in local memory
    #[arg(long, value_name = "FORMAT", default_value = "sliced", value_parser = PossibleValuesParser::new(["sliced", "framed"]))]
    pub(crate) format: String,
    #[command(flatten)]
    pub(crate) npb: GpuNpb,
}

/// NPB FT: Fourier transforms of a grid
///
/// With `--pages` the array is in memory of the host, and goes through the devices page by page.
#[derive(Debug, Args)]
#[command(after_help = "Example: cp2 gpu run ft --class A --pages 268435456 --device 0,1")]
pub(crate) struct GpuFt {
    /// Class of NPB: S, W, A, B, C, D
    #[arg(long, value_name = "LETTER", default_value = "S")]
    pub(crate) class: String,
    /// Run by pages, which take at most so many bytes of each device
    #[arg(long, value_name = "BYTES")]
    pub(crate) pages: Option<u64>,
    #[command(flatten)]
    pub(crate) npb: GpuNpb,
}

/// Measure the channel, the memory and the kernels of devices, and write them as a system for `cp2 estimate --system`
#[derive(Debug, Args)]
#[command(after_help = "Example: cp2 gpu measure --device 0,1 -o h100.toml")]
pub(crate) struct GpuMeasure {
    #[command(flatten)]
    pub(crate) devices: GpuDeviceChoice,
    /// Class of NPB whose sizes kernels are measured with: S, W, A, B, C
    #[arg(long, value_name = "LETTER", default_value = "S")]
    pub(crate) class: String,
    /// File of the system (TOML); `-` is standard output
    #[arg(short, long, value_name = "FILE.toml")]
    pub(crate) output: Option<PathBuf>,
}
