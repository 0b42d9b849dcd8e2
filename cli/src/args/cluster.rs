//! Arguments of `cp2 cluster`.

use super::{CacheChoice, MachineChoice, engine};
use clap::{Args, Subcommand};
use cp2_session::Engine;
use std::path::PathBuf;

/// Run procedures on several processors that exchange messages over links
///
/// Every processor is emulated to the cycle, and messages take the time of links, ports and routes that a topology file
/// describes. The results are the bits of one processor.
#[derive(Debug, Subcommand)]
pub(crate) enum Cluster {
    #[command(subcommand)]
    Run(ClusterRun),
    Topology(ClusterTopology),
}

/// Run a procedure, or a program in C
///
/// Exit code 1 if the norm of `mg` or the zeta of `cg` is not that of NPB, or with `--compare` if the bits are not those of one processor.
#[derive(Debug, Subcommand)]
pub(crate) enum ClusterRun {
    Mg(Box<ClusterMg>),
    Fft(Box<ClusterFft>),
    Cg(Box<ClusterCg>),
    Program(Box<ClusterProgram>),
}

/// NPB MG: V-cycles on blocks of the grid, with an exchange of faces after each operator
///
/// The grid is halved along z, y and x in turn. Coarse levels are gathered in one processor.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples: cp2 cluster run mg --class W --processors 8 --topology vm9-torus.toml\n          cp2 cluster run mg --class S --processors 8 --topology vm9-chips --latency-us 0.1 --compare\n          cp2 cluster run mg --class C --processors 8 --replay"
)]
pub(crate) struct ClusterMg {
    /// Class of NPB: S, W, A, B, C
    #[arg(long, value_name = "LETTER", default_value = "S")]
    pub(crate) class: String,
    /// Points along an axis of the finest level that one processor does alone; found by trials if absent, of the levels
    /// below 64 points or below four times the coarsest one, whichever is more
    #[arg(long, value_name = "POINTS")]
    pub(crate) gathered: Option<usize>,
    /// Find times alone, by replay: a page takes the time that such a page has been measured to take from the same state of clocks
    /// and memory. All times are those of a run without this option; there are no values, so norm and bits are not checked
    #[arg(long)]
    pub(crate) replay: bool,
    #[command(flatten)]
    pub(crate) run: ClusterChoice,
}

/// FFT of an array of three dimensions whose planes are dealt out, with an exchange of blocks between all processors
///
/// Each processor transforms its planes along x and y, gives every other one the rows of that one's share of y, and transforms
/// its share along z. The array has a fixed sequence of numbers.
#[derive(Debug, Args)]
#[command(
    after_help = "Example: cp2 cluster run fft --sizes 128x128x64 --processors 8 --topology vm9-chips --compare"
)]
pub(crate) struct ClusterFft {
    /// Points along x, y and z, powers of two: x from 32, y and z from 8, to 256; z is dealt out before the exchange, y after it
    #[arg(long, value_name = "XxYxZ", default_value = "64x64x64", value_parser = sizes)]
    pub(crate) sizes: [usize; 3],
    /// Compute the inverse transform, which is not divided by the number of points
    #[arg(long)]
    pub(crate) inverse: bool,
    #[command(flatten)]
    pub(crate) run: ClusterChoice,
}

/// NPB CG: rows of the matrix and parts of the vectors are dealt out, and sums are added along a tree
///
/// Before a product all processors get the whole vector, in rounds in which pairs exchange what they have.
#[derive(Debug, Args)]
#[command(
    after_help = "Example: cp2 cluster run cg --class W --processors 8 --topology vm9-chips --compare"
)]
pub(crate) struct ClusterCg {
    /// Class of NPB: S, W, A
    #[arg(long, value_name = "LETTER", default_value = "S")]
    pub(crate) class: String,
    #[command(flatten)]
    pub(crate) run: ClusterChoice,
}

/// A program of the control processor, the same on every processor, which exchanges messages by MPI
///
/// `programs/c/mpicc` compiles a C program for it. Each processor is a whole board: control processor, CP2, channel and memory. What
/// the programs print comes when all have ended: lines by their moments, then by processors. Exit code: the first one of a program
/// that is not 0; 4 if a program stops with an error, or all wait for messages that nobody sends.
#[derive(Debug, Args)]
#[command(
    after_help = "Example: programs/c/mpicc ring.elf programs/c/examples/mpi/ring.c && cp2 cluster run program ring.elf --processors 4 --topology vm9-chips"
)]
pub(crate) struct ClusterProgram {
    /// Program, an ELF file for the bare control processor
    #[arg(value_name = "PROGRAM")]
    pub(crate) program: PathBuf,
    /// Arguments of the program, which it has from MPI_Init on
    #[arg(last = true, value_name = "ARGUMENT")]
    pub(crate) arguments: Vec<String>,
    /// Number of processors
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub(crate) processors: u32,
    /// Processors along x, y and z of the topology, whose product is their number; as for `mg` if absent and the number is a power of
    /// two, else all along x. Ranks go along x first
    #[arg(long, value_name = "XxYxZ", value_parser = sizes)]
    pub(crate) grid: Option<[usize; 3]>,
    #[command(flatten)]
    pub(crate) network: ClusterNetwork,
    /// Stop each processor after this many cycles
    #[arg(long, value_name = "N", default_value_t = 10_000_000_000, value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) max_cycles: u64,
    /// Record CP2 and channel of each processor into this folder: `rank-0.cp2rec` and so on, for `cp2 stats`, `cp2 trace`, `cp2 view`
    /// and others. Cycles of all count from the same moment
    #[arg(long, value_name = "FOLDER")]
    pub(crate) record: Option<PathBuf>,
    /// Engine of CP2
    #[arg(long, value_parser = engine(), default_value = Engine::default().name())]
    pub(crate) engine: Engine,
    /// Write what the processors did as GOAL, for the simulator LogGOPSim, in ticks of 1/84 ns; `-` is standard output
    #[arg(long, value_name = "FILE")]
    pub(crate) goal: Option<PathBuf>,
    /// Print a report of the time behind what the programs print
    #[arg(long)]
    pub(crate) time: bool,
    /// Print the report as JSON; it has what the programs print
    #[arg(long, conflicts_with = "time")]
    pub(crate) json: bool,
}

/// Checkpoints of a run.
#[derive(Debug, Args)]
pub(crate) struct ClusterKeeping {
    /// Keep checkpoints in this folder, of which the last one stays; processes of MPI all have to see it
    #[arg(long, value_name = "FOLDER")]
    pub(crate) checkpoint: Option<PathBuf>,
    /// Most seconds from one checkpoint to the next, at least 0; the time to write it is included
    #[arg(long, value_name = "SECONDS", default_value_t = 60, requires = "checkpoint")]
    pub(crate) interval: u64,
    /// Go on from the last checkpoint in the folder, with as many threads and processes as you like; the report is the same to
    /// the byte
    #[arg(long, requires = "checkpoint")]
    pub(crate) resume: bool,
}

/// Network and machines of a run.
#[derive(Debug, Args)]
pub(crate) struct ClusterNetwork {
    /// Topology: a file, or the name of one that `cp2 cluster topology` lists
    #[arg(long, value_name = "FILE|NAME", default_value = "vm9-torus")]
    pub(crate) topology: String,
    /// Latency of all links in place of those of the file
    #[arg(long, value_name = "US", value_parser = latency)]
    pub(crate) latency_us: Option<f64>,
    #[command(flatten)]
    pub(crate) machine: MachineChoice,
    /// Threads of this computer that emulate processors; as many as it has if absent. Results do not depend on it
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) threads: Option<u16>,
}

/// Choices of all procedures on several processors.
#[derive(Debug, Args)]
pub(crate) struct ClusterChoice {
    /// Number of processors, a power of two
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = clap::value_parser!(u32).range(1..=4096))]
    pub(crate) processors: u32,
    #[command(flatten)]
    pub(crate) network: ClusterNetwork,
    /// Deal out the processors to the processes that `mpirun` or `srun` has started with this command, whole chips to each; the first
    /// process prints. Results do not depend on it. In a build with `--features mpi`
    #[arg(long)]
    pub(crate) mpi: bool,
    #[command(flatten)]
    pub(crate) keeping: ClusterKeeping,
    /// Run the same on one processor as well, and compare times and bits
    #[arg(long)]
    pub(crate) compare: bool,
    /// Write what the processors did as GOAL, for the simulator LogGOPSim, in ticks of 1/84 ns; `-` is standard output. Its S has to
    /// be above the bytes of the largest message
    #[arg(long, value_name = "FILE")]
    pub(crate) goal: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) cache: CacheChoice,
    /// Print the report as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// List the topologies that come with cp2, or print one as a file to start from
#[derive(Debug, Args)]
#[command(after_help = "Example: cp2 cluster topology vm9-chips > mine.toml")]
pub(crate) struct ClusterTopology {
    /// Name of a topology
    #[arg(value_name = "NAME")]
    pub(crate) name: Option<String>,
}

/// Reads a latency in microseconds, from a tick to a second.
fn latency(text: &str) -> Result<f64, String> {
    let least = 1e-3 / 84.0;
    match text.parse::<f64>() {
        Ok(us) if (least..=1e6).contains(&us) => Ok(us),
        _ => Err(format!("give microseconds from {least:.6} (one tick of 1/84 ns) to 1000000")),
    }
}

/// Reads the points along x, y and z.
fn sizes(text: &str) -> Result<[usize; 3], String> {
    let numbers: Option<Vec<usize>> = text.split('x').map(|number| number.parse().ok()).collect();
    let sizes = numbers.and_then(|numbers| <[usize; 3]>::try_from(numbers).ok());
    sizes.ok_or_else(|| "give three numbers, such as 64x64x64".to_owned())
}
