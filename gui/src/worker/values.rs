//! Values of a register or word in the course of cycles, and the cycle in which one became what a person looks for.

use crate::model::value::ValueTest;
use crate::worker::request::{FoundValue, ValueCourse};
use cp2_emu::State;
use cp2_emu::trace::{Event, Observer, PastCycle, Wants};
use cp2_isa::{Cycle, StorageCell};
use cp2_recording::{MatchChoice, Recording, RecordingError, Write, WriteCondition};
use std::ops::{ControlFlow, Range};

/// Observer that notes when the value of a place changes.
struct Changes {
    place: StorageCell,
    value: u64,
    changes: Vec<(Cycle, u64)>,
}

impl Observer for Changes {
    fn wants(&self) -> Wants {
        Wants::all()
    }

    fn operation(&mut self, _: &Event) {}

    fn cycle(&mut self, past: &PastCycle<'_>) -> ControlFlow<()> {
        let value = past.state.get(self.place).unwrap_or_default();
        if value != self.value {
            self.value = value;
            self.changes.push((past.number + 1, value));
        }
        ControlFlow::Continue(())
    }
}

/// Returns the values of a place in some cycles.
pub(super) fn course(
    recording: &mut Recording,
    place: StorageCell,
    cycles: Range<Cycle>,
) -> Result<ValueCourse, RecordingError> {
    recording.seek(cycles.start)?;
    let first = recording.state().get(place).unwrap_or_default();
    let mut changes = Changes { place, value: first, changes: Vec::new() };
    recording.watch(cycles.clone(), &mut changes)?;
    changes.changes.retain(|(cycle, _)| *cycle < cycles.end);
    Ok(ValueCourse { cycles, first, changes: changes.changes })
}

/// Condition on a write that makes a value meet a test that the one before did not.
struct Becomes {
    place: StorageCell,
    test: ValueTest,
    which: MatchChoice,
}

impl WriteCondition for Becomes {
    fn admits(&self, write: &Write) -> bool {
        self.test.holds(write.value)
    }

    fn holds(&self, state: &State) -> bool {
        // Of the last write the state before is asked for.
        self.which == MatchChoice::First
            || !self.test.holds(state.get(self.place).unwrap_or_default())
    }
}

/// Returns the write that made the value of a place meet a test: the last one in a range, or the first.
pub(super) fn find(
    recording: &mut Recording,
    place: StorageCell,
    test: ValueTest,
    (range, which): (Range<Cycle>, MatchChoice),
) -> Result<Option<FoundValue>, RecordingError> {
    recording.seek(range.start)?;
    let began = recording.state().get(place).is_some_and(|value| test.holds(value));
    let condition = Becomes { place, test, which };
    let found = recording.find_write(place, range, which, &condition)?;
    Ok(match found {
        Some(write) => Some(FoundValue { cycle: Some(write.cycle), value: write.value }),
        None if began && which == MatchChoice::Last => Some(FoundValue {
            cycle: None,
            value: recording.state().get(place).unwrap_or_default(),
        }),
        None => None,
    })
}
