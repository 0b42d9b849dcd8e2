//! `cp2 trace`: a window of a recording as text.

use crate::args::{Cycles, Trace};
use crate::exit::{Exit, Outcome, bad_input};
use crate::{files, recording};
use cp2_emu::trace::Event;
use cp2_isa::Cycle;
use cp2_recording::CycleRecord;

/// Cycles that are held in memory at once.
const PART: u64 = 1 << 16;

pub(crate) fn trace(arguments: &Trace) -> Outcome {
    let path = &arguments.recording;
    let mut recording = recording::open(path)?;
    let (begin, end) = (recording.cycles().start().0, recording.cycles().end().0);
    // Open ends are those of the run.
    let from = if arguments.cycles == Cycles::ALL { begin } else { arguments.cycles.start };
    let to = if arguments.cycles.end == u64::MAX { end } else { arguments.cycles.end };
    let mut text = format!("{}\n", Event::heading(""));
    let mut cycle = from;
    while cycle < to {
        let next = to.min(cycle.saturating_add(PART));
        let window = recording.window(Cycle(cycle)..Cycle(next));
        let window = window.map_err(|e| bad_input(format!("{}: {e}", path.display())))?;
        for record in &window.cycles {
            lines(record, arguments.values, &mut text);
        }
        files::print(text.as_bytes())?;
        text.clear();
        cycle = if next >= end { to } else { next };
    }
    Ok(Exit::Success)
}

/// A line for every operation, or one that tells what the cycle was for.
fn lines(record: &CycleRecord, values: bool, text: &mut String) {
    for event in &record.operations {
        *text += &format!("{}\n", event.line("", values));
    }
    if record.operations.is_empty() {
        let cause = record.cause.map_or("no kernel ran", |cause| cause.description());
        *text += &format!("{:>8}  ({cause})\n", record.number.0);
    }
}
