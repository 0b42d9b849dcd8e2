//! Arguments of the commands that look at recordings, or at programs: `stats`, `diff`, `why`, `report`.

use super::{Cycles, Start};
use clap::Args;
use cp2_analysis::location::Location;
use std::ffi::OsString;
use std::path::PathBuf;

/// Tell where the cycles of a run went
///
/// Every cycle by its cause and by what the DMA channel did; the cycles of kernels by label, hardware loop and
/// source line; the ceilings of the machine (arithmetic slot, exchange slot, banks of local memory, DMA channel)
/// with the run and its loops beneath them. The sums are checked: those by line, by label and by loop are all
/// the cycles of kernels, those and the cycles without one all cycles. The whole run is gone through once, by the
/// fast engine; `--summary` shows what the recording keeps, at once.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples: cp2 stats run.cp2rec\n          cp2 stats fir.s --load x=x.npy --load h=h.npy --json\n          cp2 stats run.cp2rec --summary --stretches 40"
)]
pub(crate) struct Stats {
    /// A recording, as `cp2 run --record` or `cp2 kernels run --record` writes it; or a program: assembly
    /// source, object or `.hex`
    pub(crate) run: PathBuf,
    /// Tell only what the recording keeps a summary of: neither lines nor roofline
    #[arg(long, conflicts_with = "json")]
    pub(crate) summary: bool,
    /// Tell the summary of parts of the run too, at most N of them; they end where it suited the engine
    #[arg(long, value_name = "N", conflicts_with = "json", value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    pub(crate) stretches: Option<u64>,
    /// Do the whole run again and compare it with what was kept
    #[arg(long)]
    pub(crate) verify: bool,
    /// Print the report as JSON
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten, next_help_heading = "For a program in place of a recording")]
    pub(crate) start: Start,
}

/// Compare two runs: where they part, and what that costs, line by line
///
/// A and B are recordings or programs: the same program on other data or another machine, or two programs, whose
/// bundles are aligned as a text comparison of their operations aligns them, label by label. Told are the first
/// cycle in which the same operations write other values, the first in which something else issues, and the
/// cycles that B takes more by source line, hardware loop and label, the largest difference first, with what
/// they come from.
///
/// `--load`, `--arg` and the other options for programs are for both; those that end in `-b` give B other data.
/// `--store` is of A.
///
/// Exit code 0 if the runs are identical in every cycle and value, 1 if they differ, as `diff` has it.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples: cp2 diff old.s new.s\n          cp2 diff a.cp2rec b.cp2rec --json\n          cp2 diff fir.s fir.s --load x=x.npy --load h=h.npy --load-b h=other.npy\n          cp2 diff axpy.s axpy.s --set-b core.load_latency=4"
)]
pub(crate) struct Diff {
    /// A recording, or a program: assembly source, object or `.hex`
    pub(crate) a: PathBuf,
    /// Recording or program to compare with the first
    pub(crate) b: PathBuf,
    /// Change a number of the machine of program B only, as `--set` does; may be repeated
    #[arg(long, value_name = "KEY=VALUE")]
    pub(crate) set_b: Vec<String>,
    /// State of program B before its run (JSON), in place of that of `--init`
    #[arg(long, value_name = "FILE")]
    pub(crate) init_b: Option<PathBuf>,
    /// Load an array for program B only, in place of the `--load` of the same PLACE; may be repeated
    #[arg(long, value_name = "PLACE=FILE[:OPTION...]")]
    pub(crate) load_b: Vec<OsString>,
    /// Store an array of program B, as `--store` stores one of A; may be repeated
    #[arg(long, value_name = "PLACE=FILE[:OPTION...]")]
    pub(crate) store_b: Vec<OsString>,
    /// Set an argument of program B only, in place of the `--arg` of the same NAME; may be repeated
    #[arg(long, value_name = "NAME=VALUE")]
    pub(crate) arg_b: Vec<String>,
    /// Place at which program B starts, in place of `--entry`
    #[arg(long, value_name = "PLACE")]
    pub(crate) entry_b: Option<String>,
    /// Cycles in which the first difference is looked for
    #[arg(long, value_name = "CYCLES", default_value_t = 100_000_000)]
    pub(crate) reach: u64,
    /// Print the report as JSON
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten, next_help_heading = "For a program in place of a recording")]
    pub(crate) start: Start,
}

/// Explain a cycle of a run, or where a value came from
///
/// `--cycle C`: what issued in the cycle, and why a slot stayed empty: the operation that takes it next, which
/// operand it waited for and who gave that when, which latency or rule of the slots kept it, or that nothing did
/// and the program itself puts it later; what held the issue; which beat of the DMA channel moved or waited for
/// a bank; which of the host's acts ended a pause. Below that the chain of dependences before it, the operand
/// that came last each time.
///
/// `--value V@C`: the value that an operation reads which issues in cycle C, and what it was made of, operation
/// by operation, back to loads, beats of the DMA channel and inputs. V is a register or a word: `f12.s2` (section
/// 2; section 0 if none is named), `f12.lo.s2`, `g3`, `a0`, `cc1.s0`, `rind`, `[100].s3`, `memory[0x1000]`.
///
/// Cycles count from reset, as in `cp2 trace`. A program is run with the data that it is given; to look at a run
/// with a host, record it and give the recording.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples: cp2 why examples/twelve.s --cycle 11\n          cp2 why run.cp2rec --value f7.s2@28 --depth 4\n          cp2 why run.cp2rec --value [101]@29 --dot | dot -Tsvg > value.svg"
)]
pub(crate) struct Why {
    /// A recording, as `cp2 run --record` or `cp2 kernels run --record` writes it; or a program: assembly
    /// source, object or `.hex`
    pub(crate) run: PathBuf,
    /// The cycle to explain
    #[arg(long, value_name = "C", required_unless_present = "value", conflicts_with = "value")]
    pub(crate) cycle: Option<u64>,
    /// The value to explain
    #[arg(long, value_name = "V@C", value_parser = value_at)]
    pub(crate) value: Option<(Location, u64)>,
    /// Values between the one asked for and the farthest; with --cycle operations of the chain
    #[arg(long, value_name = "N", default_value_t = 12, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub(crate) depth: u32,
    /// Values in all
    #[arg(long, value_name = "N", default_value_t = 60, requires = "value", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub(crate) nodes: u32,
    /// Follow addresses too: what the address register held by which a value was loaded
    #[arg(long, requires = "value")]
    pub(crate) addresses: bool,
    /// Cycles that a write is searched back at most
    #[arg(long, value_name = "CYCLES", default_value_t = cp2_analysis::history::REACH)]
    pub(crate) reach: u64,
    /// Print the tree as a graph for Graphviz
    #[arg(long, requires = "value", conflicts_with = "json")]
    pub(crate) dot: bool,
    /// Print the report as JSON
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten, next_help_heading = "For a program in place of a recording")]
    pub(crate) start: Start,
}

/// Write a run as one page of HTML that needs nothing else
///
/// Summary, timeline, roofline, heat by source line, loops and labels, and the command that made it. The timeline
/// zooms over the summary of the recording; with `--cycles` down to single cycles of these windows. Light or dark
/// as the browser is. At most 5 MB, however long the run. Its numbers are those of `cp2 stats`.
#[derive(Debug, Args)]
#[command(
    after_help = "Example: cp2 report run.cp2rec -o run.html --cycles 5000..5400 --cycles 90000..90400"
)]
pub(crate) struct Report {
    /// A recording, or a program: assembly source, object or `.hex`
    pub(crate) run: PathBuf,
    /// File to write; `-` is standard output
    #[arg(short, long, value_name = "FILE.html")]
    pub(crate) output: PathBuf,
    /// Tell these cycles since reset one by one, from A on and before B, at most 8192; may be repeated
    #[arg(long, value_name = "A..B", value_parser = super::watch::cycles)]
    pub(crate) cycles: Vec<Cycles>,
    /// Title of the page; the name of the file if absent
    #[arg(long)]
    pub(crate) title: Option<String>,
    #[command(flatten, next_help_heading = "For a program in place of a recording")]
    pub(crate) start: Start,
}

fn value_at(text: &str) -> Result<(Location, u64), String> {
    let (location, cycle) = text
        .rsplit_once('@')
        .ok_or_else(|| "a value is given as V@C, such as f12.s2@4711".to_owned())?;
    let cycle = cycle.parse().map_err(|_| format!("`{cycle}` is no cycle"))?;
    Ok((location.parse()?, cycle))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_has_a_place_and_a_cycle() {
        let (location, cycle) = value_at("f12.s2@99").unwrap();
        assert_eq!((location.to_string().as_str(), cycle), ("f12.s2", 99));
        assert!(value_at("f12").is_err() && value_at("f12@x").is_err() && value_at("@5").is_err());
    }
}
