//! Arguments of recursive searches on a device.

use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// Memory in which the stacks of work-items are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum StackChoice {
    /// Private memory, which the caches hold
    Private,
    /// Local memory of the work-group
    Local,
    /// Local memory; work-items without work take frames of others
    Shared,
}

/// Way in which contexts are dealt out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum DealingChoice {
    /// Contiguous shares of the contexts
    Block,
    /// Contexts go to work-items in turn
    Cyclic,
    /// The next context goes to the work-item that asks first
    Queue,
}

/// Shape of a search.
#[derive(Debug, Args)]
pub(crate) struct SearchShape {
    /// Depth at which the host hands calls over, the first call being at depth 0; without it the least with enough contexts
    #[arg(long, value_name = "D")]
    pub(crate) depth: Option<usize>,
    /// Memory of the stacks; without it shared if the task can share, else local if there is room, else private
    #[arg(long, value_enum, value_name = "PLACE")]
    pub(crate) stack: Option<StackChoice>,
    /// Way in which contexts are dealt out
    #[arg(long, value_enum, value_name = "WAY", default_value = "queue")]
    pub(crate) dealing: DealingChoice,
    /// Work-items of a group
    #[arg(long, value_name = "N", default_value_t = 64)]
    pub(crate) items: usize,
    /// Groups; without a number 16 for each unit of the device
    #[arg(long, value_name = "N")]
    pub(crate) groups: Option<usize>,
    /// Frames of a stack; without a number as many as the task needs
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) frames: Option<u32>,
}

/// Choices of all searches.
#[derive(Debug, Args)]
pub(crate) struct SearchChoice {
    #[command(flatten)]
    pub(crate) shape: SearchShape,
    /// Stop behind the launch that goes on at this time, with what is known then
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) time_limit: Option<u64>,
    /// Write the state of the search when it stops, and every few seconds
    #[arg(long, value_name = "FILE")]
    pub(crate) checkpoint: Option<PathBuf>,
    /// Go on from a checkpoint of the same search
    #[arg(long, value_name = "FILE")]
    pub(crate) resume: Option<PathBuf>,
    /// Search on the host, too, and compare value and nodes
    #[arg(long)]
    pub(crate) verify: bool,
    /// Number of the device, as `cp2 gpu devices` lists it
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) device: usize,
    /// Print the report as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Count the placements of queens on a square board of which none attacks another
#[derive(Debug, Args)]
#[command(after_help = "Example: cp2 gpu run queens --board 14 --queens 14 --verify")]
pub(crate) struct GpuQueens {
    /// Rows of the board, 1 to 30
    #[arg(long, value_name = "K", default_value_t = 8)]
    pub(crate) board: u32,
    /// Queens; without a number as many as rows
    #[arg(long, value_name = "N")]
    pub(crate) queens: Option<u32>,
    #[command(flatten)]
    pub(crate) search: SearchChoice,
}

/// Rule by which the next empty cell is chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum RuleChoice {
    /// The first in reading order
    First,
    /// The one with the fewest numbers that fit
    Fewest,
}

/// Aim of a search for solutions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum GoalChoice {
    /// Any solution; work-items stop once one has it
    First,
    /// The number of solutions
    Count,
}

/// Solve Sudoku puzzles of 4, 9 or 16 rows
///
/// A file has one puzzle a line, row by row, `.` for an empty cell, 1 to 9 and A to G; `#` begins a comment.
///
/// Exit code 1 if a puzzle has no solution.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples: cp2 gpu run sudoku puzzles.txt\n          cp2 gpu run sudoku --generate 3 --rows 16 --clues 120 --write puzzles.txt"
)]
pub(crate) struct GpuSudoku {
    /// File of puzzles
    #[arg(value_name = "FILE", required_unless_present = "generate", conflicts_with = "generate")]
    pub(crate) file: Option<PathBuf>,
    /// Make so many puzzles with one solution each in place of a file
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1000))]
    pub(crate) generate: Option<u16>,
    /// Rows of the puzzles that are made: 4, 9, 16
    #[arg(
        long,
        value_name = "N",
        default_value_t = 9,
        requires = "generate",
        conflicts_with = "file"
    )]
    pub(crate) rows: usize,
    /// Clues of the puzzles that are made
    #[arg(
        long,
        value_name = "N",
        default_value_t = 30,
        requires = "generate",
        conflicts_with = "file"
    )]
    pub(crate) clues: usize,
    /// Seed of the first puzzle; each one behind it has the next number
    #[arg(
        long,
        value_name = "N",
        default_value_t = 1,
        requires = "generate",
        conflicts_with = "file"
    )]
    pub(crate) seed: u64,
    /// Write the puzzles that are made to a file
    #[arg(long, value_name = "FILE", requires = "generate", conflicts_with = "file")]
    pub(crate) write: Option<PathBuf>,
    /// Rule by which the next cell is chosen
    #[arg(long, value_enum, value_name = "RULE", default_value = "fewest")]
    pub(crate) rule: RuleChoice,
    /// Aim of the search
    #[arg(long, value_enum, value_name = "GOAL", default_value = "first")]
    pub(crate) goal: GoalChoice,
    #[command(flatten)]
    pub(crate) search: SearchChoice,
}

/// Walk a tree: sum the values of its nodes modulo 2^32, or look for a node
///
/// Node 0 is the root, and the children of node v are width v + 1 to width v + width. The value of a node takes rounds of xorshift32.
#[derive(Debug, Args)]
#[command(after_help = "Example: cp2 gpu run tree --width 4 --levels 8 --rounds 8 --linked")]
pub(crate) struct GpuTree {
    /// Children of each node
    #[arg(long, value_name = "B", default_value_t = 4)]
    pub(crate) width: u32,
    /// Levels below the root
    #[arg(long, value_name = "D", default_value_t = 5)]
    pub(crate) levels: u32,
    /// Rounds of the value of a node; a search needs no values
    #[arg(long, value_name = "W", default_value_t = 8, conflicts_with = "wanted")]
    pub(crate) rounds: u32,
    /// Link the nodes in memory; without it children are computed
    #[arg(long)]
    pub(crate) linked: bool,
    /// Count the nodes in preorder up to this one, in place of the sum
    #[arg(long = "search", value_name = "NODE")]
    pub(crate) wanted: Option<u32>,
    #[command(flatten)]
    pub(crate) search: SearchChoice,
}

/// Count exact covers: choices of rows that have each column exactly once
///
/// A file has one row a line, as the numbers of its columns, 0 to 63, with spaces between them; `#` begins a comment, and `columns N` may
/// stand in the first line.
#[derive(Debug, Args)]
#[command(after_help = "Example: cp2 gpu run cover rows.txt --verify")]
pub(crate) struct GpuCover {
    /// File of rows
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    #[command(flatten)]
    pub(crate) search: SearchChoice,
}

/// Compute a number of Fibonacci by its recursion, the example of calls that return values
#[derive(Debug, Args)]
#[command(after_help = "Example: cp2 gpu run fibonacci 20")]
pub(crate) struct GpuFibonacci {
    /// Number in the sequence, 1 to 47
    #[arg(value_name = "N", value_parser = clap::value_parser!(u32).range(1..=47))]
    pub(crate) number: u32,
    #[command(flatten)]
    pub(crate) search: SearchChoice,
}
