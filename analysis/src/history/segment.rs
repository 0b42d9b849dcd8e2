//! A segment of a run: some cycles with all writes in them, found by the register or word that was written.

mod collector;
mod outside;

use super::issued::{self, Issued};
use super::{Reader, ValueOrigin, ValueSource};
use crate::location::Location;
use collector::{Collector, SHARED};
use cp2_emu::dma::{Beat, Visit};
use cp2_emu::machine::Act;
use cp2_emu::state::State;
use cp2_emu::stats::Cause;
use cp2_isa::rules::landing::WritePhase;
use cp2_isa::{
    Banks, BundleAddress, Core, Cycle, Halves, MemoryAddress, Resource, Slot, Storage, StorageCell,
    WordAddress, Words, WordsFrom,
};
use cp2_recording::{Recording, RecordingError};
use outside::{act_value, act_writes, beat_value, beat_writes, is_of_beat};
use std::collections::{HashMap, HashSet};
use std::ops::Range;

/// A cycle of a recorded run, as [`History::cycle`](crate::history::History::cycle) returns it: its cause, the banks in
/// use, and the bundle that issued in it, was skipped, or held the issue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SegmentCycle {
    /// Number of the cycle, counted from reset.
    pub number: Cycle,
    /// Cause of the cycle: which slots issued, a bundle skipped by a loop with count 0 (nullified), or a hold; `None`
    /// for a cycle in which no kernel ran.
    pub cause: Option<Cause>,
    /// Banks of local memory that CP2 accessed in the cycle.
    pub banks: Banks,
    /// Address of the bundle that issued or was skipped, or of the bundle with the `sync` or `stop` that held the
    /// issue; `None` if no kernel ran.
    pub address: Option<BundleAddress>,
    /// Address of the bundle that issues after the cycle.
    pub next: BundleAddress,
}

/// A change of a register or word while no kernel ran: the host made it, directly or by an operation that it sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HostChange {
    /// First cycle, counted from reset, in which the new value is seen.
    pub cycle: Cycle,
    /// Register or word in the state of CP2 that has changed.
    pub place: StorageCell,
    /// New value of the register or word.
    pub value: u64,
}

/// The key of a write: a register as a whole, a word in any section, eight bytes of memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Key {
    Register(Resource),
    Word(usize),
    Memory(MemoryAddress),
}

impl From<Location> for Key {
    fn from(location: Location) -> Self {
        match location {
            Location::Register(resource, _) => Self::Register(issued::whole(resource)),
            Location::Word(word, _) => Self::Word(word.index()),
            Location::Memory(address) => Self::Memory(address),
        }
    }
}

/// The writer of a value: its number in the list of its kind.
#[derive(Clone, Copy, Debug)]
enum By {
    Operation(u32),
    Beat(u32),
    Act(u32),
    Host(u32),
}

/// A write, with the cycle of its issue.
#[derive(Clone, Copy, Debug)]
struct Write {
    issue: Cycle,
    by: By,
}

/// A write that a reader can see.
#[derive(Clone, Copy, Debug)]
pub(super) struct Candidate {
    pub(super) visible: Cycle,
    pub(super) phase: WritePhase,
    /// Cycle of the issue, then the rank of the writer in that cycle.
    pub(super) order: (Cycle, u8),
    by: By,
}

/// The keys written in a segment, which stay when the segment is forgotten.
#[derive(Debug)]
pub(super) struct Written(HashSet<Key>);

impl Written {
    pub(super) fn may_have(&self, location: Location) -> bool {
        self.0.contains(&location.into())
    }
}

/// A segment of a run: its events, and its writes by their keys.
#[derive(Debug)]
pub(super) struct Segment {
    pub(super) number: u64,
    pub(super) range: Range<Cycle>,
    core: Core,
    /// Registers and memories at the begin of the segment.
    pub(super) base: State,
    /// Operations of the segment, and of the cycles of the lead before it.
    operations: Vec<Issued>,
    cycles: Vec<SegmentCycle>,
    pub(super) beats: Vec<Beat>,
    pub(super) visits: Vec<Visit>,
    pub(super) acts: Vec<Act>,
    changes: Vec<HostChange>,
    writes: HashMap<Key, Vec<Write>>,
}

impl Segment {
    /// Goes through the cycles of a segment, and `lead` cycles before it.
    pub(super) fn of(
        recording: &mut Recording,
        number: u64,
        range: Range<Cycle>,
        lead: u64,
    ) -> Result<Self, RecordingError> {
        let here = recording.cycle();
        let from = Cycle(range.start.0.saturating_sub(lead)).max(*recording.cycles().start());
        recording.seek(range.start)?;
        let base = recording.state().clone();
        recording.seek(from)?;
        let state = recording.state();
        let mut collector = Collector::new(state);
        let beside = recording.watch(from..range.end, &mut collector)?;
        let mut segment = Self {
            number,
            range,
            core: *recording.core(),
            base,
            operations: collector.operations,
            cycles: collector.cycles,
            beats: beside.beats,
            visits: beside.visits,
            acts: beside.acts,
            changes: collector.changes,
            writes: HashMap::new(),
        };
        segment.leave_out_landings();
        segment.index();
        segment.find_cuts(recording)?;
        recording.seek(here)?;
        Ok(segment)
    }

    /// Adds the changes that the host made at checkpoints. There it may have changed anything without an act, which shows as
    /// values that nobody gave.
    fn find_cuts(&mut self, recording: &mut Recording) -> Result<(), RecordingError> {
        // What came before the recording is its input.
        let begin = *recording.cycles().start();
        let is_in = |cycle: &Cycle| *cycle > begin && self.range.contains(cycle);
        let cycles: Vec<Cycle> = recording.checkpoints().filter(is_in).collect();
        for cycle in cycles {
            recording.seek(cycle)?;
            let state = recording.state();
            for storage in [Storage::Fpr, Storage::Lmem].into_iter().chain(SHARED) {
                for place in state.cells(storage) {
                    let Some(location) = location_of(place) else { continue };
                    let value = state.get(place).unwrap_or_default();
                    // What lands in this cycle may have done so, behind the end of a kernel.
                    let before = (storage == Storage::Fpr).then(|| cycle - 1);
                    let mut known = [cycle].into_iter().chain(before);
                    if known.all(|at| self.expected(location, place, at) != value) {
                        self.add_change(HostChange { cycle, place, value });
                    }
                }
            }
        }
        Ok(())
    }

    /// Returns the value that a place has before a cycle by what is known.
    fn expected(&self, location: Location, place: StorageCell, cycle: Cycle) -> u64 {
        let half = |location: Location| match self.last(location, Reader::at(cycle)) {
            Some(candidate) => self.origin(location, candidate).value,
            None => location.value_of(self.base.get(place).unwrap_or_default()),
        };
        match location {
            Location::Register(Resource::Fpr(n, Halves::BOTH), section) => {
                let part = |halves| Location::Register(Resource::Fpr(n, halves), section);
                half(part(Halves::LO)) | half(part(Halves::HI))
            }
            other => half(other),
        }
    }

    fn add_change(&mut self, change: HostChange) {
        let Some(key) = change_key(change.place) else { return };
        let by = By::Host(self.changes.len() as u32);
        self.changes.push(change);
        let writes = self.writes.entry(key).or_default();
        let at = writes.partition_point(|write| write.issue <= change.cycle);
        writes.insert(at, Write { issue: change.cycle, by });
    }

    /// Removes the changes that are results which land behind the end of their kernel: they are not of the host.
    fn leave_out_landings(&mut self) {
        let Self { core, operations, changes, .. } = self;
        changes.retain(|change| {
            let Some(Key::Register(resource)) = change_key(change.place) else { return true };
            let location = Location::Register(resource, change.place.section);
            let first = change.cycle.0.saturating_sub(core.latencies().longest().into());
            let from = operations.partition_point(|issued| issued.cycle.0 < first);
            let reader = Reader::at(change.cycle);
            let lands = |issued: &Issued| {
                let distance = distance(core, issued, location, reader);
                distance.is_some_and(|d| issued.cycle + u64::from(d) == change.cycle)
            };
            !operations[from..].iter().any(lands)
        });
    }

    /// Notes all writes under their keys, in the order of time.
    fn index(&mut self) {
        let Self { operations, beats, acts, changes, writes, .. } = self;
        let mut all: Vec<(Cycle, u8, Key, By)> = Vec::new();
        for (k, issued) in (0..).zip(operations.iter()) {
            let rank = 1 + u8::from(issued.slot == Slot::Exchange);
            issued.footprint(&mut |access| {
                let Some(resource) = access.changed() else { return };
                let mut put = |key| all.push((issued.cycle, rank, key, By::Operation(k)));
                match resource {
                    Resource::Memory(Words { count, from: WordsFrom::Word(first) }) => {
                        (0..u16::from(count)).for_each(|n| put(Key::Word(first.plus(n).index())));
                    }
                    Resource::Memory(_) | Resource::Shared => {}
                    register => put(Key::Register(issued::whole(register))),
                }
            });
        }
        for (k, beat) in (0..).zip(beats.iter()) {
            beat_writes(beat, &mut |key| all.push((beat.cycle, 3, key, By::Beat(k))));
        }
        for (k, act) in (0..).zip(acts.iter()) {
            act_writes(&act.action, &mut |key| all.push((act.cycle, 0, key, By::Act(k))));
        }
        for (k, change) in (0..).zip(changes.iter()) {
            if let Some(key) = change_key(change.place) {
                all.push((change.cycle, 4, key, By::Host(k)));
            }
        }
        all.sort_by_key(|&(cycle, rank, ..)| (cycle, rank));
        for (issue, _, key, by) in all {
            writes.entry(key).or_default().push(Write { issue, by });
        }
    }

    /// Returns the latest write of a location that a reader sees.
    pub(super) fn last(&self, location: Location, reader: Reader) -> Option<Candidate> {
        let writes = self.writes.get(&location.into())?;
        let longest = u64::from(self.core.latencies().longest());
        let mut best: Option<Candidate> = None;
        let until = writes.partition_point(|write| write.issue <= reader.cycle);
        for write in writes[..until].iter().rev() {
            if best.is_some_and(|best| write.issue + longest < best.visible) {
                break;
            }
            let Some(candidate) = self.candidate(*write, location, reader) else { continue };
            if candidate.visible <= reader.cycle && best.is_none_or(|b| candidate.beats(&b)) {
                best = Some(candidate);
            }
        }
        best
    }

    /// Returns a write as this reader sees it, if it writes the location at all.
    fn candidate(&self, write: Write, location: Location, reader: Reader) -> Option<Candidate> {
        let issue = write.issue;
        let at = |visible, rank| Candidate {
            visible,
            phase: WritePhase::End,
            order: (issue, rank),
            by: write.by,
        };
        match write.by {
            By::Operation(k) => {
                let issued = &self.operations[k as usize];
                let distance = distance(&self.core, issued, location, reader)?;
                let rank = 1 + u8::from(issued.slot == Slot::Exchange);
                let phase = match location {
                    Location::Register(Resource::Fpr(..), _) => WritePhase::of(issued.unit()),
                    _ => WritePhase::End,
                };
                // What `psprmsgn` sees early still lands before what others see in the cycle behind.
                Some(Candidate { phase, ..at(issue + u64::from(distance), rank) })
            }
            By::Beat(k) => is_of_beat(&self.beats[k as usize], location).then(|| at(issue + 1, 3)),
            By::Act(k) => act_value(&self.acts[k as usize].action, location).map(|_| at(issue, 0)),
            By::Host(k) => {
                let place = location.cell()?;
                (self.changes[k as usize].place == place).then(|| at(issue, 4))
            }
        }
    }

    /// Returns the origin of the value of a location that a write gave.
    pub(super) fn origin(&self, location: Location, candidate: Candidate) -> ValueOrigin {
        let (value, source) = match candidate.by {
            By::Operation(k) => {
                let issued = &self.operations[k as usize];
                let value = match location {
                    Location::Register(resource, section) => {
                        issued.value(resource, section.index())
                    }
                    Location::Word(word, section) => {
                        issued.stored(word.0).map(|quad| quad[section.index()])
                    }
                    Location::Memory(_) => None,
                };
                (value.unwrap_or_default(), ValueSource::Operation(Box::new(issued.clone())))
            }
            By::Beat(k) => {
                let beat = self.beats[k as usize];
                let visit = self.visits.get(beat.visit as usize).cloned().map(Box::new);
                (beat_value(&beat, location), ValueSource::Beat(beat, visit))
            }
            By::Act(k) => {
                let act = &self.acts[k as usize];
                let value = act_value(&act.action, location).unwrap_or_default();
                (value, ValueSource::Act(Box::new(act.clone())))
            }
            By::Host(k) => {
                let change = self.changes[k as usize];
                (location.value_of(change.value), ValueSource::Host(change.cycle))
            }
        };
        ValueOrigin { value, source }
    }

    pub(super) fn written(&self) -> Written {
        Written(self.writes.keys().copied().collect())
    }

    pub(super) fn cycle(&self, cycle: Cycle) -> Option<&SegmentCycle> {
        let at = self.cycles.binary_search_by_key(&cycle, |past| past.number).ok()?;
        Some(&self.cycles[at])
    }

    /// Returns the operations of the segment that issued in a range, without those of the lead.
    pub(super) fn issued(&self, range: Range<Cycle>) -> &[Issued] {
        let from = range.start.max(self.range.start);
        let first = self.operations.partition_point(|issued| issued.cycle < from);
        let last = self.operations.partition_point(|issued| issued.cycle < range.end);
        &self.operations[first..last.max(first)]
    }
}

/// Returns the number of cycles behind the issue of an operation in which a reader sees what it wrote to a location; `None`
/// if it wrote other bits.
fn distance(core: &Core, issued: &Issued, location: Location, reader: Reader) -> Option<u32> {
    let Location::Register(resource, section) = location else {
        return matches!(location, Location::Word(..)).then_some(1);
    };
    let mut is_written = false;
    issued.footprint(&mut |access| {
        is_written |= access.changed().is_some_and(|changed| changed.overlaps(resource));
    });
    let is_seen = is_written && issued.is_seen_in(resource, section);
    is_seen.then(|| core.latencies().distance(issued.unit(), resource, reader.unit))
}

/// Returns the location that a place in the state is.
fn location_of(place: StorageCell) -> Option<Location> {
    if place.storage == Storage::Lmem {
        return Some(Location::Word(WordAddress::from_index(place.number), place.section));
    }
    let n = u8::try_from(place.number).ok()?;
    let resource = match place.storage {
        Storage::Fpr => Resource::Fpr(n, Halves::BOTH),
        Storage::Gpr => Resource::Gpr(n),
        Storage::A => Resource::A(n),
        Storage::N => Resource::N(n),
        Storage::M => Resource::M(n),
        Storage::Ireg => Resource::Ireg(n),
        _ => return None,
    };
    Some(Location::Register(resource, place.section))
}

fn change_key(place: StorageCell) -> Option<Key> {
    location_of(place).map(Key::from)
}
