//! Arguments of `cp2 dma`.

use super::Changes;
use clap::{Args, ValueEnum};
use std::ffi::OsString;
use std::path::PathBuf;

/// Run a chain of DMA descriptors alone, and report its beats, addresses, times and faults
#[derive(Debug, Args)]
#[command(
    after_help = "Give --machine to run the chain, or --emit to write it in another form. The page \"Descriptor chains\" of the book describes the file.\n\nExamples: cp2 dma chain.toml --machine vm7 --map\n          cp2 dma chain.toml --emit hex -o chain.hex"
)]
pub(crate) struct Dma {
    /// Descriptors as TOML, or as `.hex`: 8 words of 16 hexadecimal digits for each descriptor; `-` reads standard
    /// input
    pub(crate) descriptors: PathBuf,
    /// Form of the descriptors
    #[arg(long, value_enum, default_value = "auto")]
    pub(crate) format: ChainFormat,
    /// Write the descriptors in another form instead of running them; `hex` has no registers
    #[arg(long, value_enum, conflicts_with_all = [
        "machine", "memory", "local", "dump", "memory_out", "release", "release_after", "stop_at",
        "beats", "picture", "map", "json", "max_cycles", "set", "beat_values",
    ])]
    pub(crate) emit: Option<ChainForm>,
    /// File that `--emit` writes; standard output if absent
    // What is required is not asked for where it would conflict: the machine has to be named here too.
    #[arg(short, long, requires = "emit", conflicts_with = "machine")]
    pub(crate) output: Option<PathBuf>,
    /// Machine whose channel runs the chain: `vm7`, `vm9`, `vm9-1000-600`, `vm9-1000-700`,
    /// `vm9-1200-800` or a machine file (TOML)
    #[arg(long, value_name = "NAME|FILE", required_unless_present = "emit")]
    pub(crate) machine: Option<String>,
    #[command(flatten)]
    pub(crate) changes: Changes,
    /// Set a register of the channel, such as `curdsc=2`, in place of its value in the file; may be repeated
    #[arg(long, value_name = "NAME=VALUE")]
    pub(crate) register: Vec<String>,
    /// Load bytes into system memory from an address on, 0 if absent: a file as it is, or the elements of a `.npy`
    /// array, big-endian; may be repeated
    #[arg(long, value_name = "FILE[@ADDRESS]")]
    pub(crate) memory: Vec<String>,
    /// Load a `.npy` array into system memory from an address on, elements big-endian in C order; `as=TYPE`
    /// converts. Example: 0x1000=in.npy:as=complex64. May be repeated
    #[arg(long, value_name = "ADDRESS=FILE[:as=TYPE]", conflicts_with = "emit")]
    pub(crate) load: Vec<OsString>,
    /// Store an array of system memory as `.npy` afterwards, however the chain ends. Example:
    /// 0x1000=out.npy:complex64:shape=4x256. May be repeated
    #[arg(long, value_name = "ADDRESS=FILE:TYPE:shape=AxB", conflicts_with = "emit")]
    pub(crate) store: Vec<OsString>,
    /// State of CP2 before the start (JSON), as `cp2 run --init` reads it: local memory and index registers
    #[arg(long, value_name = "FILE")]
    pub(crate) local: Option<PathBuf>,
    /// Write the state afterwards (JSON), however the chain ends; `-` is standard output
    #[arg(long, value_name = "FILE")]
    pub(crate) dump: Option<PathBuf>,
    /// Write bytes of system memory afterwards, however the chain ends. Example: out.bin@0x1000+4096. May be repeated
    #[arg(long, value_name = "FILE@ADDRESS+BYTES")]
    pub(crate) memory_out: Vec<String>,
    /// Give `start_dma` in these cycles, counted from the start of the channel
    #[arg(long, value_name = "CYCLE,...", value_delimiter = ',')]
    pub(crate) release: Vec<u64>,
    /// Give `start_dma` this many cycles after the begin of every wait
    #[arg(long, value_name = "CYCLES", conflicts_with = "release")]
    pub(crate) release_after: Option<u64>,
    /// Ask the channel in this cycle to stop after its descriptor (CTRL bit 1)
    #[arg(long, value_name = "CYCLE")]
    pub(crate) stop_at: Option<u64>,
    /// Stop after this many cycles, with exit code 5
    #[arg(long, value_name = "N", default_value_t = 10_000_000)]
    pub(crate) max_cycles: u64,
    /// Write one row per beat: `.parquet`, `.csv`, or text for any other name; `-` is text on standard
    /// output
    #[arg(long, value_name = "FILE")]
    pub(crate) beats: Option<PathBuf>,
    /// Add the words that a beat moves to its row
    #[arg(long, requires = "beats")]
    pub(crate) beat_values: bool,
    /// Draw the run as SVG: when channel and memory are busy, and which beats and words each section takes
    #[arg(long, value_name = "FILE.svg")]
    pub(crate) picture: Option<PathBuf>,
    /// Print which beats and words each section takes
    #[arg(long, conflicts_with = "json")]
    pub(crate) map: bool,
    /// Print the report as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Form of descriptors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ChainFormat {
    /// By name: `.hex`, else TOML
    Auto,
    /// TOML
    Toml,
    /// 8 words of 16 hexadecimal digits for each descriptor
    Hex,
}

/// A form in which descriptors are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ChainForm {
    /// TOML
    Toml,
    /// 8 words of 16 hexadecimal digits for each descriptor
    Hex,
}
