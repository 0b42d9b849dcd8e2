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
The page \"Traces\" of the book describes all forms, with columns, tracks and units.";

/// Show what happens in every cycle of a recording or a program, or write it for other tools
///
/// A recording is replayed from the checkpoint before the window, so a window late in a long run takes little time. A
/// program is traced while it runs; cycles outside the window run on the fast engine.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Trace {
    /// A recording (`.cp2rec`), or a program to run: assembly source, object, or `.hex`
    pub(crate) input: PathBuf,
    /// Show only these cycles, counted from reset, from A on and before B; either may be left out. The whole run if
    /// absent
    #[arg(long, value_name = "A..B", value_parser = watch::cycles)]
    pub(crate) cycles: Option<Cycles>,
    /// File to write; if absent, text on standard output. The ending gives the form: `.txt`, `.csv`, `.parquet`,
    /// `.kanata`, `.pftrace`, `.vcd`, `.fst`
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Form of the trace; if absent, the ending of the output gives it
    #[arg(long, value_parser = form())]
    pub(crate) format: Option<TraceFormat>,
    /// Show only operations of these source lines: `30`, `30..60` (from 30 on, before 60), `fft.s:30..60`. Rows of
    /// cycles, beats and signals stay. May be repeated
    #[arg(long, value_name = "LINES")]
    pub(crate) lines: Vec<String>,
    /// Registers and words, separated by commas: `f3`, `f0-f7`, `g2`, `rind`, a kind such as `fpr`, `[100]`,
    /// `[100..108]`. VCD and FST show only these; all other forms show only operations that write one of them. May be
    /// repeated
    #[arg(long, value_name = "REGISTERS")]
    pub(crate) registers: Vec<String>,
    /// Sections 0 to 3, separated by commas, such as `0,2`. VCD and FST show only registers of these; all other forms
    /// show only operations that execute in one of them, and only their values
    #[arg(long, value_name = "SECTIONS")]
    pub(crate) sections: Option<String>,
    /// Add the written values, 16 hexadecimal digits for each section; the values of a load are those at its issue.
    /// VCD and FST always have them
    #[arg(long)]
    pub(crate) values: bool,
    /// Largest size of the trace: bytes, or a number with KiB, MiB or GiB, or `none`. A larger trace ends with the last
    /// cycle that fits, which the last line on standard error names. For Parquet and FST the size is that of the values
    /// before they are encoded
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
