//! The arguments of `cp2 trace`.

use super::Start;
use super::watch::{self, Cycles, Size, TRACE_LIMIT};
use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use cp2_trace::TraceFormat;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  cp2 trace fft.s --cycles 0..200                   the first 200 cycles as text
  cp2 run fft.s --record run.cp2rec
  cp2 trace run.cp2rec --cycles 5000..9000 -o fft.kanata
  cp2 trace run.cp2rec -o fft.pftrace               for ui.perfetto.dev
  cp2 trace run.cp2rec -o fft.fst --registers f0-f7 --sections 0
  cp2 trace run.cp2rec -o fft.parquet --lines fft.s:30..60 --values
The page \"Traces\" of the book describes every form, with columns, tracks and units.";

/// Show what happens in every cycle of a recording or a program, or write it for other tools
///
/// A recording is looked at from its nearest checkpoint, so a window late in a long run is soon there. A program
/// is run and traced while it runs; cycles outside the window run on the fast engine.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Trace {
    /// A recording (`.cp2rec`), or a program to run: assembly source, object, or `.hex`
    pub(crate) input: PathBuf,
    /// Cycles since reset, from A on and before B; the begin or the end of the run for one that is left
    /// out, the whole run if this is absent
    #[arg(long, value_name = "A..B", value_parser = watch::cycles)]
    pub(crate) cycles: Option<Cycles>,
    /// File to write; text on standard output if absent. The ending chooses the form: `.txt`, `.csv`, `.parquet`, `.kanata`, `.pftrace`, `.vcd`, `.fst`
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Form of the trace; if absent the ending of the output decides
    #[arg(long, value_parser = form())]
    pub(crate) format: Option<TraceFormat>,
    /// Only operations of these source lines: `30`, `30..60` (from 30 on, before 60), `fft.s:30..60`; may be repeated.
    /// Cycles, beats and signals stay
    #[arg(long, value_name = "LINES")]
    pub(crate) lines: Vec<String>,
    /// Registers and words: `f3`, `f0-f7`, `g2`, `rind`, a kind such as `fpr`, `[100]`, `[100..108]`, separated by
    /// commas; may be repeated. VCD and FST show these and no others, all other forms operations that write one
    #[arg(long, value_name = "REGISTERS")]
    pub(crate) registers: Vec<String>,
    /// Sections, such as `0` or `0,2`. VCD and FST show their registers, all other forms operations that execute in
    /// one of them, and their values
    #[arg(long, value_name = "SECTIONS")]
    pub(crate) sections: Option<String>,
    /// Add the written values, 16 hexadecimal digits for each section; those of a load are read at its issue. VCD
    /// and FST have them always
    #[arg(long)]
    pub(crate) values: bool,
    /// Size of the trace at most: bytes, or a number with KiB, MiB or GiB, or `none`. Where it is reached the trace
    /// ends with a whole cycle, and the last line on standard error tells which. For Parquet and FST the size is
    /// that of the values before they are encoded
    #[arg(long, value_name = "SIZE", value_parser = watch::size, default_value = TRACE_LIMIT)]
    pub(crate) limit: Size,
    #[command(flatten, next_help_heading = "Programs")]
    pub(crate) start: Start,
}

fn form() -> impl TypedValueParser<Value = TraceFormat> {
    let value = |format: TraceFormat| PossibleValue::new(format.name()).help(format.description());
    let find = |name: String| TraceFormat::ALL.into_iter().find(|format| format.name() == name);
    let names = PossibleValuesParser::new(TraceFormat::ALL.map(value));
    names.try_map(move |name| find(name).ok_or("no such form"))
}
