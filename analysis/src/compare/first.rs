//! The first cycle in which two runs differ: in what issues, and in what is written.

use super::{Alignment, RecordedRun, SearchLimit};
use crate::history::Issued;
use crate::words::operation_text;
use cp2_emu::stats::Cause;
use cp2_emu::trace::{Event, Observer, PastCycle, Wants};
use cp2_isa::{BundleAddress, Cycle};
use cp2_recording::RecordingError;
use std::ops::{ControlFlow, Range};

/// Number of cycles that are compared at a time.
const PART: u64 = 1 << 15;

/// The events of one of two runs in a cycle in which they differ: the bundle that issued, its operations, and the
/// values that these wrote.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DivergentSide {
    /// Cause of the cycle, which slots issued or why no bundle did; `None` if no kernel ran in it.
    pub cause: Option<Cause>,
    /// Address of the bundle that issued; `None` if none did.
    pub address: Option<BundleAddress>,
    /// Texts of the operations that issued, as the assembler writes them, with words and angles that they used.
    pub operations: Vec<String>,
    /// Registers and words that the operations wrote, each as text with its values.
    pub written: Vec<String>,
}

/// A cycle in which two runs differ, with the events of both.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunDivergence {
    /// Number of the cycle, counted from the begin of each run, which has 0.
    pub cycle: u64,
    /// Events of run A and of run B in the cycle; `None` for a run that has ended.
    pub sides: [Option<DivergentSide>; 2],
}

/// The first differences between runs A and B: in what issues, and before that in what is accessed and written, as far
/// as [`compare`](crate::compare::compare) searched.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct First {
    /// First cycle in which the runs issue different bundles, or only one of them issues; `None` if there is none.
    pub flow: Option<RunDivergence>,
    /// First cycle, before that of `flow`, in which the same operations access other words or write other values;
    /// `None` if there is none.
    pub value: Option<RunDivergence>,
    /// Number of cycles that were searched without finding a difference in what issues, if the search ended early;
    /// `None` otherwise.
    pub searched: Option<u64>,
}

/// A cycle of a run as it is compared.
struct Line {
    cause: Option<Cause>,
    address: Option<BundleAddress>,
    operations: Vec<Event<Cycle>>,
}

#[derive(Default)]
struct Lines {
    issued: Vec<Event>,
    all: Vec<Line>,
    /// Address of the bundle that issues next, as far as it is known.
    next: Option<BundleAddress>,
}

impl Observer for Lines {
    fn wants(&self) -> Wants {
        Wants::all()
    }

    fn operation(&mut self, event: &Event) {
        self.issued.push(event.clone());
    }

    fn cycle(&mut self, cycle: &PastCycle<'_>) -> ControlFlow<()> {
        let issued = std::mem::take(&mut self.issued).into_iter();
        let operations: Vec<_> = issued.map(|event| event.since_reset(cycle.number)).collect();
        let issues = cycle.cause.is_some_and(|cause| cause != Cause::SyncHold);
        let address = operations.first().map(|event| event.address).or(self.next);
        let address = address.filter(|_| issues);
        self.next = Some(cycle.state.pc);
        self.all.push(Line { cause: cycle.cause, address, operations });
        ControlFlow::Continue(())
    }
}

impl Line {
    fn side(&self) -> DivergentSide {
        let text = |event: &Event<Cycle>| operation_text(&Issued::at(event));
        let written = |event: &Event<Cycle>| -> Vec<String> {
            let of = |w: &cp2_emu::trace::WrittenValue| {
                let values = &w.value[..w.destination.sections()];
                let values: Vec<_> = values.iter().map(|v| format!("{v:016x}")).collect();
                format!("{} = {}", w.destination, values.join(" "))
            };
            event.written.iter().flatten().map(of).collect()
        };
        DivergentSide {
            cause: self.cause,
            address: self.address,
            operations: self.operations.iter().map(text).collect(),
            written: self.operations.iter().flat_map(written).collect(),
        }
    }

    fn goes_with(&self, other: &Self, alignment: &Alignment) -> bool {
        self.cause == other.cause
            && match (self.address, other.address) {
                (Some(a), Some(b)) => alignment.to_b(a) == Some(b),
                (None, None) => true,
                _ => false,
            }
    }

    fn writes_as(&self, other: &Self) -> bool {
        let pairs = || self.operations.iter().zip(&other.operations);
        self.operations.len() == other.operations.len()
            && pairs().all(|(a, b)| {
                let same_word = a.access == b.access;
                // A target or a return address depends on where the program is.
                let control = a.bundle.exch.target().is_some();
                same_word && (control || (a.written, a.enabled) == (b.written, b.enabled))
            })
    }
}

fn part(run: &mut RecordedRun<'_>, range: Range<u64>) -> Result<Vec<Line>, RecordingError> {
    let begin = *run.recording.cycles().start();
    let (from, to) = (begin + range.start, (begin + range.end).min(*run.recording.cycles().end()));
    let mut lines = Lines::default();
    if from < to {
        run.recording.seek(from)?;
        lines.next = Some(run.recording.state().pc);
        run.recording.watch(from..to, &mut lines)?;
    }
    Ok(lines.all)
}

/// Finds the first cycles in which two runs part, in `reach` cycles.
pub(super) fn first(
    runs: &mut [RecordedRun<'_>; 2],
    alignment: &Alignment,
    reach: SearchLimit,
) -> Result<First, RecordingError> {
    let mut first = First::default();
    let length = |run: &RecordedRun<'_>| {
        let all = run.recording.cycles();
        *all.end() - *all.start()
    };
    let most = length(&runs[0]).max(length(&runs[1]));
    let mut from = 0;
    while first.flow.is_none() && from < most {
        if from >= reach.0 {
            first.searched = Some(from);
            break;
        }
        let [a, b] = runs;
        let range = from..(from + PART).min(most);
        let (a, b) = (part(a, range.clone())?, part(b, range)?);
        for k in 0..a.len().max(b.len()) {
            let cycle = from + k as u64;
            let sides = [a.get(k), b.get(k)];
            let parted = || RunDivergence { cycle, sides: sides.map(|line| line.map(Line::side)) };
            match sides {
                [Some(a), Some(b)] if a.goes_with(b, alignment) => {
                    if first.value.is_none() && !a.writes_as(b) {
                        first.value = Some(parted());
                    }
                }
                _ => {
                    first.flow = Some(parted());
                    break;
                }
            }
        }
        from += PART;
    }
    Ok(first)
}
