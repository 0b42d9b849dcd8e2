//! Arguments of the commands that run a workload on many machines: `sweep`, `optimize`.

use clap::{Args, Subcommand};
use cp2_lab::sweep::Shard;
use std::num::NonZeroUsize;
use std::path::PathBuf;

/// Run a workload on many machines: grids and samples of machine keys, extensions, sizes, kernels, procedures
///
/// SPEC is a TOML file: `kernel` or `procedure` with one name or a list; `machine` with names or files; `enable` with
/// sets of extensions (`["", "word-access,dma-words"]`); `[set]` with keys of machine files and `[options]` with options
/// of the workload, each a value, a list, or a range `{ from = 1, to = 8, step = 1 }` (`times` in place of `step` for
/// factors); `[sample]` with `method` (`grid`, `random`, `latin-hypercube`), `points`, `seed`. At most 1,000,000 points;
/// all are checked before the first runs.
///
/// Each finished point is kept as a row, however the process ends. The row is found by a hash of all that it depends on:
/// build of cp2, workload, options, machine. A second run does only the missing points. Shares of the points (`--shard`)
/// may run at the same time, on all computers that see the folder.
#[derive(Debug, Args)]
#[command(
    args_conflicts_with_subcommands = true,
    after_help = "Examples: cp2 sweep memory.toml -o memory --threads 2\n          cp2 sweep memory.toml -o memory \\\n              --shard $SLURM_ARRAY_TASK_ID/$SLURM_ARRAY_TASK_COUNT\n          cp2 sweep best memory --least us --least memory.outstanding \\\n              -o front.svg"
)]
pub(crate) struct Sweep {
    /// Description of the sweep (TOML); `-` is standard input
    pub(crate) spec: Option<PathBuf>,
    /// Folder of the rows; if absent, the name of SPEC with `.sweep` in place of `.toml`
    #[arg(short, long, value_name = "FOLDER")]
    pub(crate) output: Option<PathBuf>,
    /// Run only share K of N of the points, such as 3/16; K from 1 to N
    #[arg(long, value_name = "K/N", default_value_t)]
    pub(crate) shard: Shard,
    /// Number of threads, at least 1; if absent, the number of cores of this computer
    #[arg(long, value_name = "N")]
    pub(crate) threads: Option<NonZeroUsize>,
    /// Run at most this many points now
    #[arg(long, value_name = "N")]
    pub(crate) limit: Option<u64>,
    /// Print the report as JSON
    #[arg(long)]
    pub(crate) json: bool,
    #[command(subcommand)]
    pub(crate) command: Option<SweepCommand>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum SweepCommand {
    /// Report how much of a sweep is done, from its rows alone
    Status {
        /// Folder of the sweep
        folder: PathBuf,
        /// Print the report as JSON
        #[arg(long)]
        json: bool,
    },
    /// Write all rows as one Parquet file: row, address, values, counts; exit code 1 if points are missing
    Merge {
        /// Folder of the sweep
        folder: PathBuf,
        /// File to write; `-` is standard output
        #[arg(short, long, value_name = "FILE.parquet")]
        output: PathBuf,
    },
    /// Run a row again and compare; exit code 1 if it differs
    Verify {
        /// Folder of the sweep
        folder: PathBuf,
        /// Number of the row, from 0, as in column `row` of a merged file
        #[arg(long, value_name = "N")]
        row: u64,
        /// Print the report as JSON
        #[arg(long)]
        json: bool,
    },
    /// Print the points that no other point beats (Pareto front)
    ///
    /// COLUMN is one of the counts cycles, us, kernel_cycles, operations, mops, bytes, or a number that varies.
    Best {
        /// Folder of the sweep
        folder: PathBuf,
        /// A column of which less is better; may be repeated
        #[arg(long, value_name = "COLUMN", required_unless_present = "most")]
        least: Vec<String>,
        /// A column of which more is better; may be repeated
        #[arg(long, value_name = "COLUMN")]
        most: Vec<String>,
        /// Draw the points as SVG over the first two columns; `-` is standard output
        #[arg(short, long, value_name = "FILE.svg")]
        output: Option<PathBuf>,
        /// Print the report as JSON
        #[arg(long)]
        json: bool,
    },
}

/// Find the cheapest machine on which a workload is fast enough
///
/// SPEC describes a sweep with one workload, and has two more sections: `[goal]` with `cycles = N` or `us = N`, and
/// `[prices]` with a price for everything that varies: for each unit (`memory.outstanding = 2`), for each value
/// (`memory.clock_mhz = { 600 = 0, 667 = 4 }`), for each extension (`enable.word-access = 10`).
///
/// Machines run in the order of their prices, so the first that reaches the goal is proved the cheapest. If `--runs` is
/// too small for that, half of the runs search by simulated annealing, and the result is called best found.
#[derive(Debug, Args)]
#[command(after_help = "Example: cp2 optimize cheapest.toml --runs 5000 --json")]
pub(crate) struct Optimize {
    /// Description of the search (TOML); `-` is standard input
    pub(crate) spec: PathBuf,
    /// Run at most this many machines, 2 to 1000000
    #[arg(long, value_name = "N", default_value_t = 20_000, value_parser = clap::value_parser!(u64).range(2..=1_000_000))]
    pub(crate) runs: u64,
    /// Number of threads, at least 1; if absent, the number of cores of this computer
    #[arg(long, value_name = "N")]
    pub(crate) threads: Option<NonZeroUsize>,
    /// Print the result as JSON
    #[arg(long)]
    pub(crate) json: bool,
}
