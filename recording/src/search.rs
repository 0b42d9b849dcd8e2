//! What happened last before a cycle: the last write of a register or word, the last cycle in which a
//! condition held. The run is gone through backwards, stretch by stretch, each from its begin.

use crate::error::RecordingError;
use crate::recording::{Place, Recording};
use cp2_emu::dma::Beat;
use cp2_emu::machine::Act;
use cp2_emu::memory::Direction;
use cp2_emu::trace::{Event, Observer, PastCycle, Wants};
use cp2_isa::{Cycle, Place as Cell, SectionMask, Storage, WordAddress};
use std::ops::ControlFlow;
use std::sync::Arc;

/// Cycles of a stretch that the reference engine goes through at once.
const STRETCH: u64 = 1 << 15;

/// A write of a register or a word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Write {
    /// The cycle in which it happened: behind it the value is there.
    pub cycle: Cycle,
    /// The operation, in cycles since reset, if one of a bundle wrote it.
    pub operation: Option<Event>,
    /// The beat, if the channel wrote it. If neither, the value has changed beside an operation (an
    /// address that steps, a flag), or the host changed it.
    pub beat: Option<Beat>,
    /// The value behind it.
    pub value: u64,
}

/// Finds the last write of a place.
struct Finder {
    cell: Cell,
    /// Writes before this cycle do not count.
    begin: Cycle,
    /// The value before the cycle that is under way.
    value: u64,
    /// Operations that issued in the cycle that is under way, and those that will write the place, by
    /// the cycle in which they do.
    issued: Vec<Event>,
    under_way: Vec<(Cycle, Event)>,
    last: Option<Write>,
}

/// The cycle behind which the value of an operation is seen that issues in cycle `issue`: floating-point
/// registers, condition codes and flags are written when it comes to its end, everything else at once.
fn lands(event: &Event, cell: Cell, issue: Cycle) -> Cycle {
    match cell.storage {
        Storage::Fpr | Storage::Fccr | Storage::Fcsr => event.write_cycle.map_or(issue, Cycle),
        _ => issue,
    }
}

/// Whether an operation writes a place.
fn writes(event: &Event, cell: Cell) -> bool {
    let per_section = cell.storage.info().layout.is_per_section();
    if per_section && !SectionMask::from_bits(event.enabled).contains(cell.section) {
        return false;
    }
    event.written.iter().flatten().any(|w| w.destination.is(cell.storage, cell.number))
}

impl Finder {
    fn new(cell: Cell, begin: Cycle) -> Self {
        Self { cell, begin, value: 0, issued: Vec::new(), under_way: Vec::new(), last: None }
    }

    fn value_in(&self, cycle: &PastCycle<'_>) -> u64 {
        cycle.state.get(self.cell).unwrap_or_default()
    }
}

impl Observer for Finder {
    fn wants(&self) -> Wants {
        Wants::all()
    }

    fn operation(&mut self, event: &Event) {
        if writes(event, self.cell) {
            self.issued.push(event.clone());
        }
    }

    fn cycle(&mut self, cycle: &PastCycle<'_>) -> ControlFlow<()> {
        let number = cycle.number;
        for event in std::mem::take(&mut self.issued) {
            let event = event.since_reset(number);
            self.under_way.push((lands(&event, self.cell, number), event));
        }
        let value = self.value_in(cycle);
        let mut operation = None;
        self.under_way.retain(|(at, event)| {
            if *at == number {
                operation = Some(event.clone());
            }
            *at > number
        });
        if number >= self.begin && (operation.is_some() || value != self.value) {
            self.last = Some(Write { cycle: number, operation, beat: None, value });
        }
        self.value = value;
        ControlFlow::Continue(())
    }
}

/// Finds the last cycle in which a condition held.
struct Condition<'a> {
    holds: &'a mut dyn FnMut(&PastCycle<'_>) -> bool,
    last: Option<Cycle>,
}

impl Observer for Condition<'_> {
    fn wants(&self) -> Wants {
        Wants::CYCLES
    }

    fn cycle(&mut self, cycle: &PastCycle<'_>) -> ControlFlow<()> {
        if (self.holds)(cycle) {
            self.last = Some(cycle.number);
        }
        ControlFlow::Continue(())
    }
}

/// A part of the run that is gone through from its begin: where that is, what the host does, and the cycle
/// behind its last.
struct Part {
    place: Place,
    acts: Arc<[Act]>,
    end: Cycle,
}

impl Part {
    fn run(&mut self, observer: &mut dyn Observer) -> Result<(), RecordingError> {
        self.place.watch(self.end, &self.acts, observer)
    }
}

/// What is looked at to find something in a stretch: the parts one behind the other, which begin before
/// the stretch, so that what is under way then is known.
struct Stretch {
    parts: Vec<Part>,
    begin: Cycle,
}

impl Recording {
    /// The last write of a register or a word before the cycle that it is in. It stays there.
    ///
    /// # Errors
    /// What is needed is damaged.
    pub fn last_write(&mut self, cell: Cell) -> Result<Option<Write>, RecordingError> {
        let lead = u64::from(self.core().latencies().longest());
        self.backwards(lead, |mut stretch| {
            let mut finder = Finder::new(cell, stretch.begin);
            let mut last_beat = None;
            let state = stretch.parts.first().map(|part| &part.place.machine.cp2.state);
            finder.value = state.and_then(|state| state.get(cell)).unwrap_or_default();
            for part in &mut stretch.parts {
                part.place.machine.dma.keep_log();
                part.run(&mut finder)?;
                let beats = part.place.machine.dma.take_beats().into_iter();
                let mut here =
                    beats.filter(|beat| beat.cycle >= stretch.begin && moves(beat, cell));
                last_beat = here.next_back().or(last_beat);
            }
            let Some(beat) = last_beat else { return Ok(finder.last) };
            let later = finder.last.filter(|write| write.cycle >= beat.cycle);
            let value = later.as_ref().map_or(finder.value, |write| write.value);
            Ok(Some(match later {
                Some(write) if write.cycle > beat.cycle => write,
                write => Write {
                    cycle: beat.cycle,
                    operation: write.and_then(|write| write.operation),
                    beat: Some(beat),
                    value,
                },
            }))
        })
    }

    /// The last cycle before the one that it is in behind which a condition held. It stays there.
    ///
    /// # Errors
    /// What is needed is damaged.
    pub fn last_time(
        &mut self,
        mut holds: impl FnMut(&PastCycle<'_>) -> bool,
    ) -> Result<Option<Cycle>, RecordingError> {
        self.backwards(0, |mut stretch| {
            let mut condition = Condition { holds: &mut holds, last: None };
            stretch.parts.iter_mut().try_for_each(|part| part.run(&mut condition))?;
            Ok(condition.last)
        })
    }

    /// Looks at the run before this cycle, the latest stretch first, until something is found.
    fn backwards<T>(
        &mut self,
        lead: u64,
        mut look: impl FnMut(Stretch) -> Result<Option<T>, RecordingError>,
    ) -> Result<Option<T>, RecordingError> {
        let here = self.cycle();
        let (mut found, mut end) = (None, here);
        for number in (0..=self.number()).rev() {
            let begin = self.cycle_of(number);
            let mut before = None;
            if number > 0 && lead > 0 && end > begin {
                self.restore(number - 1)?;
                self.go_on(earlier(begin, lead).max(self.cycle()))?;
                before = Some(self.part_to(begin));
            }
            self.restore(number)?;
            let mut stretches = Vec::new();
            for range in self.stretches_before(end, STRETCH) {
                self.go_on(earlier(range.start, lead).max(self.cycle()))?;
                let mut parts: Vec<_> = before.take().into_iter().collect();
                parts.push(self.part_to(range.end));
                stretches.push(Stretch { parts, begin: range.start });
            }
            found = stretches.into_iter().rev().find_map(|stretch| look(stretch).transpose());
            if found.is_some() {
                break;
            }
            end = begin;
        }
        self.seek(here)?;
        found.transpose()
    }

    /// The part from here on to a cycle of the same interval.
    fn part_to(&self, end: Cycle) -> Part {
        Part { place: self.here.clone(), acts: self.interval.acts.clone(), end }
    }
}

/// A cycle so many cycles before another, the first at least.
fn earlier(cycle: Cycle, by: u64) -> Cycle {
    Cycle(cycle.0.saturating_sub(by))
}

/// Whether a beat writes a word of local memory.
fn moves(beat: &Beat, cell: Cell) -> bool {
    let words = usize::from(beat.bytes / 8);
    let is_there =
        |local: WordAddress| (local.index()..local.index() + words).contains(&cell.number);
    cell.storage == Storage::Lmem
        && beat.direction == Direction::Get
        && SectionMask::from_bits(beat.sections).contains(cell.section)
        && beat.local.is_some_and(is_there)
}
