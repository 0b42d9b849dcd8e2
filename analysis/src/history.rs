//! The past of a recorded run: which operation, beat of the DMA channel or action of the host gave a register or word
//! the value that a reader sees in a cycle. The run is looked at in segments of cycles, which are computed when they
//! are needed. The segments that were not used for longest are forgotten, but for the list of registers and words that
//! were written in them.

mod issued;
mod segment;

pub use issued::{Angle, Issued};
pub use segment::{HostChange, SegmentCycle};

use crate::location::Location;
use cp2_emu::dma::{Beat, Visit};
use cp2_emu::machine::Act;
use cp2_isa::{Cycle, Unit};
use cp2_recording::{Recording, RecordingError};
use segment::{Candidate, Segment, Written};
use std::ops::Range;

/// Number of cycles of a segment.
const SEGMENT: u64 = 1 << 14;
/// Number of segments that are kept with all that happened in them.
const AT_HAND: usize = 10;
/// The number of cycles that [`History::default`] searches back for a write: 2^21.
pub const REACH: u64 = 1 << 21;

/// A reader of a register or word: an operation that issues in a certain cycle. Its unit decides which results it sees
/// already, because each unit sees them after a different number of cycles.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Reader {
    /// Cycle, counted from reset, in which the operation issues.
    pub cycle: Cycle,
    /// Functional unit of the operation, which decides how soon it sees a result.
    pub unit: Unit,
}

impl Reader {
    /// Creates the reader for an operation of the arithmetic unit that issues in `cycle`, counted from reset.
    pub const fn at(cycle: Cycle) -> Self {
        Self { cycle, unit: Unit::Arithmetic }
    }
}

/// The source of the value of a register or word: what wrote it last before a reader sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ValueSource {
    /// An operation of a kernel wrote the value.
    Operation(Box<Issued>),
    /// A beat of the DMA channel, at most 16 bytes that moved in one cycle, wrote the value; with the visit of the
    /// channel to the beat's descriptor, if it is known.
    Beat(Beat, Option<Box<Visit>>),
    /// An action of the host wrote the value directly.
    Act(Box<Act>),
    /// The host changed the value, directly or by an operation that it sent; the change is seen first in this cycle.
    Host(Cycle),
    /// No write in the recording: the value was there when the recording began, as an input or from reset.
    Begin,
    /// No write from this cycle on; earlier cycles were not searched.
    Unsearched(Cycle),
}

/// The value that an operation ([`Reader`]) reads in a register or word, with what wrote it, as [`History::find`]
/// returns it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ValueOrigin {
    /// Bits of the value; if a half of an FPR was asked for, the other half is 0.
    pub value: u64,
    /// Source that wrote the value last, before the reader sees it.
    pub source: ValueSource,
}

/// A searcher in the past of a recording, which finds the source of values. It keeps what it has computed, for the next
/// search.
#[derive(Debug)]
pub struct History {
    reach: u64,
    /// Segments at hand, the latest used first.
    segments: Vec<Segment>,
    /// Registers and words written in the segments that were looked at, by the number of the segment.
    written: Vec<(u64, Written)>,
}

impl Default for History {
    fn default() -> Self {
        Self::new(REACH)
    }
}

impl History {
    /// Creates a history without any segment; [`History::find`] searches writes at most about `reach` cycles back.
    pub fn new(reach: u64) -> Self {
        Self { reach, segments: Vec::new(), written: Vec::new() }
    }

    /// Finds the value that `reader`, an operation that issues in a given cycle, reads at a location, and what wrote it
    /// last before. Behind the end of the recording all writes are seen. Two halves of an FPR that different sources wrote
    /// have to be asked for one by one; of a whole register only the later source is found.
    ///
    /// # Errors
    /// [`RecordingError::NoSuchCycle`] if the reader's cycle lies before the recording; another error if the recording
    /// is damaged.
    pub fn find(
        &mut self,
        recording: &mut Recording,
        location: Location,
        reader: Reader,
    ) -> Result<ValueOrigin, RecordingError> {
        let begin = *recording.cycles().start();
        if reader.cycle < begin {
            return Err(RecordingError::NoSuchCycle(reader.cycle, recording.cycles()));
        }
        let mut number = number_of(recording, reader.cycle).unwrap_or(last_of(recording));
        loop {
            let first = begin + number * SEGMENT;
            if self.may_have(number, location) {
                let segment = self.segment(recording, number)?;
                if let Some(candidate) = segment.last(location, reader)
                    && (candidate.visible >= first || number == 0)
                {
                    return Ok(self.segments[0].origin(location, candidate));
                }
            }
            let too_far = reader.cycle.saturating_since(first) >= self.reach;
            if number == 0 || too_far {
                let source =
                    if number == 0 { ValueSource::Begin } else { ValueSource::Unsearched(first) };
                let value = self.at_begin(recording, number, location)?;
                return Ok(ValueOrigin { value, source });
            }
            number -= 1;
        }
    }

    /// Whether a segment may have a write of a location; a segment that nobody has looked at may.
    fn may_have(&self, number: u64, location: Location) -> bool {
        let known = self.written.iter().find(|(n, _)| *n == number);
        known.is_none_or(|(_, written)| written.may_have(location))
    }

    /// Returns the value of a location at the begin of a segment.
    fn at_begin(
        &mut self,
        recording: &mut Recording,
        number: u64,
        location: Location,
    ) -> Result<u64, RecordingError> {
        let begin = *recording.cycles().start() + number * SEGMENT;
        let Some(place) = location.cell() else {
            let Location::Memory(address) = location else { return Ok(0) };
            let here = recording.cycle();
            recording.seek(begin)?;
            let mut bytes = [0; 8];
            recording.memory(address, &mut bytes)?;
            recording.seek(here)?;
            return Ok(u64::from_be_bytes(bytes));
        };
        let segment = self.segment(recording, number)?;
        Ok(location.value_of(segment.base.get(place).unwrap_or_default()))
    }

    /// Returns a segment, which is made if it is not at hand, and which is the first of those at hand then.
    fn segment(
        &mut self,
        recording: &mut Recording,
        number: u64,
    ) -> Result<&Segment, RecordingError> {
        if let Some(at) = self.segments.iter().position(|s| s.number == number) {
            self.segments[..=at].rotate_right(1);
        } else {
            let begin = *recording.cycles().start() + number * SEGMENT;
            let end = (begin + SEGMENT).min(*recording.cycles().end());
            let segment = Segment::of(recording, number, begin..end, lead(recording))?;
            if !self.written.iter().any(|(n, _)| *n == number) {
                self.written.push((number, segment.written()));
            }
            self.segments.truncate(AT_HAND - 1);
            self.segments.insert(0, segment);
        }
        Ok(&self.segments[0])
    }

    /// Returns cause, banks and bundle of a cycle; `None` for a cycle before the recording or behind the run, or in a
    /// drain that the host has begun.
    ///
    /// # Errors
    /// Returns an error if the recording is damaged.
    pub fn cycle(
        &mut self,
        recording: &mut Recording,
        cycle: Cycle,
    ) -> Result<Option<SegmentCycle>, RecordingError> {
        let Some(number) = number_of(recording, cycle) else { return Ok(None) };
        Ok(self.segment(recording, number)?.cycle(cycle).cloned())
    }

    /// Returns the operations of kernels that issued in a range of cycles, in the order of issue.
    ///
    /// # Errors
    /// Returns an error if the recording is damaged.
    pub fn issued(
        &mut self,
        recording: &mut Recording,
        range: Range<Cycle>,
    ) -> Result<Vec<Issued>, RecordingError> {
        let mut all = Vec::new();
        let mut cycle = range.start.max(*recording.cycles().start());
        while cycle < range.end {
            let Some(number) = number_of(recording, cycle) else { break };
            let segment = self.segment(recording, number)?;
            all.extend_from_slice(segment.issued(cycle..range.end));
            cycle = segment.range.end;
        }
        Ok(all)
    }

    /// Returns the events of DMA channel and host in the segment of the run, at most 16384 cycles, that contains a
    /// cycle; in the first segment for a cycle before the recording, in the last one for a cycle behind the run.
    ///
    /// # Errors
    /// Returns an error if the recording is damaged.
    pub fn segment_events(
        &mut self,
        recording: &mut Recording,
        cycle: Cycle,
    ) -> Result<SegmentEvents<'_>, RecordingError> {
        let is_before = cycle < *recording.cycles().start();
        let nearest = if is_before { 0 } else { last_of(recording) };
        let number = number_of(recording, cycle).unwrap_or(nearest);
        let Segment { beats, visits, acts, .. } = self.segment(recording, number)?;
        Ok(SegmentEvents { beats, visits, acts })
    }
}

/// The events of DMA channel and host in a segment of a run, the at most 16384 cycles that [`History`] computes at
/// once.
#[derive(Clone, Copy, Debug)]
pub struct SegmentEvents<'a> {
    /// Beats of the channel that moved, in the order of time.
    pub beats: &'a [Beat],
    /// Visits of the channel to descriptors, each from its turn to a descriptor until it leaves it; the visit of a beat
    /// is an index into this list.
    pub visits: &'a [Visit],
    /// Actions of the host, in the order of time.
    pub acts: &'a [Act],
}

fn number_of(recording: &Recording, cycle: Cycle) -> Option<u64> {
    let cycles = recording.cycles();
    (cycle < *cycles.end()).then(|| cycle.checked_since(*cycles.start()).map(|n| n / SEGMENT))?
}

/// Returns the number of the last segment of a recording.
fn last_of(recording: &Recording) -> u64 {
    let cycles = recording.cycles();
    cycles.end().saturating_since(*cycles.start()).saturating_sub(1) / SEGMENT
}

/// Returns the number of cycles before a segment whose operations may matter in it: a result that issued before lands before
/// the segment begins, and so does a later one of these that is faster.
fn lead(recording: &Recording) -> u64 {
    2 * u64::from(recording.core().latencies().longest())
}

impl Candidate {
    /// Whether this write stays where both land.
    fn beats(&self, other: &Self) -> bool {
        (self.visible, self.phase, self.order) >= (other.visible, other.phase, other.order)
    }
}
