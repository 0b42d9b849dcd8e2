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

/// Find the cheapest machine on which a workload is fast enough; or study which changes are worth their silicon for several
///
/// SPEC with `[[workload]]` is a study: `machine`; workloads with `name`, `options`, `weight`, `group`, `most_cycles`, `most_us`;
/// `extensions` (all ten if absent, FPRs and memory in two sizes); `[constraints]` with `most_extra_area` in percent, `most_power` over
/// the base, `least_speed_up`; `[goal]` with `best`: `speed-up`, `energy-delay` or `cost`. All combinations are compared; runs are
/// remembered by program and by the machine as the program sees it. The answer has the machines that no other beats in area and
/// speed-up, what each percent of silicon buys, and what each extension is worth. `cp2 costs` tells the costs.
///
/// Any other SPEC describes a sweep with one workload, and has two more sections: `[goal]` with `cycles = N` or `us = N`, and
/// `[prices]` with a price for everything that varies: for each unit (`memory.outstanding = 2`), for each value
/// (`memory.clock_mhz = { 600 = 0, 667 = 4 }`), for each extension (`enable.word-access = 10`). Machines run in the order of their
/// prices, so the first that reaches the goal is proved the cheapest. If `--runs` is too small for that, half of the runs search by
/// simulated annealing, and the result is called best found.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples: cp2 optimize cheapest.toml --runs 5000 --json\n          cp2 optimize study.toml -o study.html"
)]
pub(crate) struct Optimize {
    /// Description of the search or study (TOML); `-` is standard input
    pub(crate) spec: PathBuf,
    /// Run at most this many machines of a search, 2 to 1000000; of a study SPEC has the number of runs
    #[arg(long, value_name = "N", default_value_t = 20_000, value_parser = clap::value_parser!(u64).range(2..=1_000_000))]
    pub(crate) runs: u64,
    /// Number of threads, at least 1; if absent, the number of cores of this computer
    #[arg(long, value_name = "N")]
    pub(crate) threads: Option<NonZeroUsize>,
    /// Costs in place of those that come with the program, for a study (TOML); see `cp2 costs`
    #[arg(long, value_name = "FILE.toml")]
    pub(crate) costs: Option<PathBuf>,
    /// Write a study as a page of HTML too; `-` is standard output
    #[arg(short, long, value_name = "FILE.html")]
    pub(crate) output: Option<PathBuf>,
    /// Write a study as one file (JSON) with everything that it read and its report: `cp2 optimize FILE.json` runs it again
    /// anywhere and compares, with exit code 1 if a byte of the report differs
    #[arg(long, value_name = "FILE.json")]
    pub(crate) bundle: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) cache: super::CacheChoice,
    /// Print the result as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Tell what parts of a coprocessor, events and larger sizes cost, each number with source and interval
///
/// The numbers are published ones, or assumptions that say so. `--costs` takes a file (TOML) with some of the keys in place of the
/// program's: `[area]`, `[parts]`, `[energy]`, `[clock]` with numbers, bare or as `{ value = 1, low = 0.5, high = 2, source = "..." }`;
/// and `[own."EXTENSION"]` or `[own."section.key=value"]` with `area_um2` for changes of your own. The area of a machine follows, with
/// what `--enable` and `--set` add.
#[derive(Debug, Args)]
#[command(after_help = "Example: cp2 costs --machine vm9 --enable word-access,more-fprs=128")]
pub(crate) struct Costs {
    /// Machine whose area is told: `vm7`, `vm9`, `vm9-1000-600`, `vm9-1000-700`, `vm9-1200-800` or a machine file (TOML)
    #[arg(long, value_name = "NAME|FILE", default_value = "vm9")]
    pub(crate) machine: String,
    #[command(flatten)]
    pub(crate) changes: super::Changes,
    /// Costs in place of those that come with the program (TOML); `-` is standard input
    #[arg(long, value_name = "FILE.toml")]
    pub(crate) costs: Option<PathBuf>,
    /// Print the report as JSON
    #[arg(long)]
    pub(crate) json: bool,
}
