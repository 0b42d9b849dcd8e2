//! Arguments of the commands that look at recordings, or at programs: `stats`, `diff`, `why`, `report`, and the window of `view`.

use super::{Cycles, Start};
use clap::{ArgGroup, Args, ValueEnum};
use cp2_analysis::location::Location;
use std::ffi::OsString;
use std::path::PathBuf;

/// Report where the cycles of a run went
///
/// Every cycle by its cause and by what the DMA channel did; the cycles of kernels by label, hardware loop and
/// source line; the ceilings of the machine (arithmetic slot, exchange slot, banks of local memory, DMA channel)
/// with the run and its loops beneath them. The sums are checked: lines, labels and loops each add up to the cycles
/// of kernels, and these with the cycles without a kernel to all cycles. The fast engine replays the whole run once;
/// `--summary` replays nothing and prints the summary that the recording has.
///
/// `--energy` tells the energy of the run on its machine in place of its cycles: by source line, the greatest first, with what
/// belongs to no line (words of the channel, bytes of system memory, leakage) in rows of their own, by the costs of `cp2 costs`.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples: cp2 stats run.cp2rec\n          cp2 stats fir.s --load x=x.npy --load h=h.npy --json\n          cp2 stats run.cp2rec --summary --stretches 40\n          cp2 stats run.cp2rec --steps\n          cp2 stats run.cp2rec --cycles 5000..9000\n          cp2 stats run.cp2rec --energy --costs mine.toml"
)]
pub(crate) struct Stats {
    /// A recording, as `cp2 run --record` or `cp2 kernels run --record` writes it; or a program: assembly
    /// source, object or `.hex`
    pub(crate) run: PathBuf,
    /// Print only the summary that the recording has, without lines and roofline
    #[arg(long, conflicts_with = "json")]
    pub(crate) summary: bool,
    /// Print the summary of parts of the run too, at most N of them; the engine chose where they end
    #[arg(long, value_name = "N", conflicts_with = "json", value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    pub(crate) stretches: Option<u64>,
    /// Report on these cycles alone, counted from reset, from A on and before B
    #[arg(long, value_name = "A..B", value_parser = super::watch::cycles, conflicts_with_all = ["summary", "stretches"])]
    pub(crate) cycles: Option<Cycles>,
    /// Print what the steps of a procedure took, as its host named them: iterations and stages, or one level alone
    #[arg(long, value_name = "LEVEL", num_args = 0..=1, default_missing_value = "all", value_enum, conflicts_with_all = ["cycles", "summary", "stretches"])]
    pub(crate) steps: Option<StepChoice>,
    /// Print the energy of the run by source line, on the machine that it was recorded on
    #[arg(long, conflicts_with_all = ["steps", "cycles", "summary", "stretches"])]
    pub(crate) energy: bool,
    /// Costs in place of those that come with the program, for `--energy` (TOML); see `cp2 costs`
    #[arg(long, value_name = "FILE.toml", requires = "energy")]
    pub(crate) costs: Option<PathBuf>,
    /// Replay the whole run and compare it with the recording
    #[arg(long)]
    pub(crate) verify: bool,
    /// Print the report as JSON
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten, next_help_heading = "For a program in place of a recording")]
    pub(crate) start: Start,
}

/// Levels of steps that `--steps` chooses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum StepChoice {
    /// Iterations and stages.
    All,
    /// Outer iterations.
    Iteration,
    /// Iterations within others.
    Inner,
    /// Stages: once through some arrays.
    Stage,
    /// Pages: what is in one part of local memory at once.
    Page,
}

/// Compare two runs: where they begin to differ, and what that costs, line by line
///
/// A and B are recordings or programs: the same program on other data or another machine, or two programs, whose
/// bundles are aligned label by label, as a text comparison aligns lines. The report has the first cycle in which the
/// same operations write other values, the first in which other operations issue, and how many more cycles B takes by
/// source line, hardware loop and label, the largest difference first, with its cause.
///
/// `--load`, `--arg` and the other options for programs are for both programs; those that end in `-b` are for B only.
/// `--store` stores arrays of A.
///
/// Exit code 0 if the runs are identical in every cycle and value (with `--steps`: take as many cycles), 1 if they differ.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples: cp2 diff old.s new.s\n          cp2 diff a.cp2rec b.cp2rec --json\n          cp2 diff fir.s fir.s --load x=x.npy --load h=h.npy \\\n              --load-b h=other.npy\n          cp2 diff axpy.s axpy.s --set-b core.load_latency=4\n          cp2 diff vm7.cp2rec vm9.cp2rec --steps"
)]
pub(crate) struct Diff {
    /// A recording, or a program: assembly source, object or `.hex`
    pub(crate) a: PathBuf,
    /// A recording or a program to compare with A
    pub(crate) b: PathBuf,
    /// Change a number of the machine of program B only, as `--set` does; may be repeated
    #[arg(long, value_name = "KEY=VALUE")]
    pub(crate) set_b: Vec<String>,
    /// State of program B before its run (JSON), in place of the one of `--init`
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
    /// Start program B at this place, in place of `--entry`
    #[arg(long, value_name = "PLACE")]
    pub(crate) entry_b: Option<String>,
    /// Print what the steps that the hosts of two procedures named take in both, by their names, and nothing else: stages, or
    /// another level
    #[arg(long, value_name = "LEVEL", num_args = 0..=1, default_missing_value = "stage", value_enum)]
    pub(crate) steps: Option<StepChoice>,
    /// Search the first difference in the first N cycles only
    #[arg(long, value_name = "N", default_value_t = 100_000_000)]
    pub(crate) reach: u64,
    /// Print the report as JSON
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten, next_help_heading = "For a program in place of a recording")]
    pub(crate) start: Start,
}

/// Explain a cycle of a run, or where a value came from
///
/// `--cycle C` explains a cycle: what issued, and why a slot stayed empty. For an empty slot it names the next operation
/// of the slot, the operand that it waited for and where that came from, or the latency or rule that delayed it, or
/// says that nothing did and the program places it later. It also says what held the issue, which beat of the DMA
/// channel moved or waited for a bank, and which act of the host ended a pause. Below that is the chain of dependences
/// before the cycle, each time by the operand that came last.
///
/// `--value V@C` explains a value: what V holds for an operation that issues in cycle C, and what it was computed from,
/// operation by operation, back to loads, beats of the DMA channel and inputs. V is a register or a word: `f12.s2`
/// (section 2; section 0 if none is named), `f12.lo.s2`, `g3`, `a0`, `cc1.s0`, `rind`, `[100].s3`, `memory[0x1000]`.
///
/// Cycles count from reset, as in `cp2 trace`. A program runs with the data that is given here; for a run with a host,
/// record it and give the recording.
#[derive(Debug, Args)]
#[command(
    group = ArgGroup::new("question").args(["cycle", "value"]).required(true),
    after_help = "Examples: cp2 why examples/twelve.s --cycle 11\n          cp2 why run.cp2rec --value f7.s2@28 --depth 4\n          cp2 why run.cp2rec --value [101]@29 --dot | dot -Tsvg > value.svg"
)]
pub(crate) struct Why {
    /// A recording, as `cp2 run --record` or `cp2 kernels run --record` writes it; or a program: assembly
    /// source, object or `.hex`
    pub(crate) run: PathBuf,
    /// The cycle to explain, counted from reset
    #[arg(long, value_name = "C")]
    pub(crate) cycle: Option<u64>,
    /// The register or word to explain, and the cycle, as in `f12.s2@4711`
    #[arg(long, value_name = "V@C", value_parser = value_at)]
    pub(crate) value: Option<(Location, u64)>,
    /// Limit of the way back, 1 to 10000: with `--value` the most levels of the tree, with `--cycle` the most operations
    /// of the chain
    #[arg(long, value_name = "N", default_value_t = 12, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub(crate) depth: u32,
    /// The most values that are shown, 1 to 1000000
    #[arg(long, value_name = "N", default_value_t = 60, requires = "value", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub(crate) nodes: u32,
    /// Explain addresses too: the contents of the address register with which a value was loaded
    #[arg(long, requires = "value")]
    pub(crate) addresses: bool,
    /// Search the write of a value at most this many cycles back
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

/// Find the critical path of a run: what each cycle waited for, from the end back
///
/// From the end of the run the path goes back from operation to operation: over the result that came last, the slot
/// that another operation had, a hold of `sync`, a turn of a loop; between kernels over the DMA channel or the host.
/// Its edges follow each other without a gap, so the sums of the report are all cycles of the run. The number of edges
/// of a row tells how many cycles are saved at most if each becomes one cycle shorter.
///
/// `--less KEY` runs the program again on a machine whose number KEY is one less, and tells the cycles of that run.
/// Code that the assembler schedules is scheduled anew then.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples: cp2 path run.cp2rec\n          cp2 path examples/axpy.s --less core.arithmetic_latency\n          cp2 path run.cp2rec --json --places 5"
)]
pub(crate) struct Path {
    /// A recording, as `cp2 run --record` or `cp2 kernels run --record` writes it; or a program: assembly
    /// source, object or `.hex`
    pub(crate) run: PathBuf,
    /// Number of places of the program that the text lists at most; JSON has all
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub(crate) places: u32,
    /// Walk every cycle, also where the same bundles ran as often as before; about a second for a million cycles
    #[arg(long)]
    pub(crate) every_cycle: bool,
    /// Run the program again with this number of the machine one less, such as `core.load_latency`; may be repeated
    #[arg(long, value_name = "KEY")]
    pub(crate) less: Vec<String>,
    /// Print the report as JSON
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten, next_help_heading = "For a program in place of a recording")]
    pub(crate) start: Start,
}

/// Step through a run, forwards and back in time
///
/// The run is recorded first, so every cycle of it can be gone to: breakpoints at lines, labels and cycles, writes of a register, word or
/// element of an array, conditions on them, steps by bundles, operations and turns of a loop, back to the operation that wrote a value. `help`
/// lists the commands, which are read from standard input, one a line. With `--dap` an editor is served by the Debug Adapter Protocol on
/// the standard streams.
///
/// A value is a register (`f12.s2`, `f3.lo.s1`, `g3`), a word (`[100].s3`) or an element of an array that the kernel declares (`x[2][3]`), with a
/// type behind a colon if another one is wanted: `float`, `int`, `uint`, `hex`, `complex`. The exit code is 2 if a command was wrong.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples: cp2 debug examples/axpy.s\n          cp2 debug run.cp2rec -x 'watch f7.s2' -x continue -x pipeline\n          cp2 debug run.cp2rec -x 'break loop if f3.lo.s1 > 0.5' -x continue\n          cp2 debug --dap"
)]
pub(crate) struct Debug {
    /// A recording, as `cp2 run --record` writes it, or a program: assembly source, object or `.hex`; with `--dap` the editor may
    /// name it
    #[arg(required_unless_present = "dap")]
    pub(crate) run: Option<PathBuf>,
    /// Do this command first; may be repeated. Standard input is not read then
    #[arg(short = 'x', long = "execute", value_name = "COMMAND", conflicts_with = "dap")]
    pub(crate) execute: Vec<String>,
    /// Serve an editor by the Debug Adapter Protocol
    #[arg(long)]
    pub(crate) dap: bool,
    #[command(flatten, next_help_heading = "For a program in place of a recording")]
    pub(crate) start: Start,
}

/// Write a run as one page of HTML that needs no other file
///
/// The page has summary, timeline, roofline, cycles by source line, loop and label, and the command that made it. Its
/// numbers are those of `cp2 stats`. The timeline shows parts of the run; with `--cycles` also single cycles. Colours
/// are light or dark like those of the browser. The page has at most 5 MB, however long the run is.
#[derive(Debug, Args)]
#[command(
    after_help = "Example: cp2 report run.cp2rec -o run.html \\\n             --cycles 5000..5400 --cycles 90000..90400"
)]
pub(crate) struct Report {
    /// A recording, or a program: assembly source, object or `.hex`
    pub(crate) run: PathBuf,
    /// File to write; `-` is standard output
    #[arg(short, long, value_name = "FILE.html")]
    pub(crate) output: PathBuf,
    /// Show these cycles one by one, counted from reset, from A on and before B, at most 8192; may be repeated
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
        .ok_or_else(|| "write the value as V@C, such as f12.s2@4711".to_owned())?;
    let cycle =
        cycle.parse().map_err(|_| format!("`{cycle}` is not a cycle (a whole number from 0)"))?;
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

/// Show runs in a window: timeline, source, registers, origins of values, comparisons
///
/// Starts the viewer `cp2-view` from the folder of this program or from PATH, with all arguments: a recording, a program
/// or a source file, and options. `cp2 view --help` lists them. `cargo build --release -p cp2-gui` builds the viewer.
#[derive(Debug, Args)]
#[command(
    disable_help_flag = true,
    disable_version_flag = true,
    after_help = "Example: cp2 view examples/axpy.s"
)]
pub(crate) struct View {
    /// Arguments of the viewer
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "ARGUMENT")]
    pub(crate) arguments: Vec<std::ffi::OsString>,
}
