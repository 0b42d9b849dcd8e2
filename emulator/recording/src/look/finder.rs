//! Observers that search a stretch of a run: for writes of a register or word, or for cycles in which a condition
//! holds; the first or the last.

use cp2_emu::State;
use cp2_emu::dma::Beat;
use cp2_emu::memory::Direction;
use cp2_emu::stats::Cause;
use cp2_emu::trace::{Event, Observer, PastCycle, Wants};
use cp2_isa::{Bank, Cycle, SectionMask, Storage, StorageCell as Cell, WordAddress};
use std::ops::ControlFlow;

/// Choice between the first and the last match in a stretch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Which {
    First,
    Last,
}

/// Write of a register or a word in a recorded run: when it was written, by what, and the new value. Searches such as
/// [`Recording::last_write`](crate::Recording::last_write) return it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Write {
    /// Cycle of the write, counted from reset: the new value is there after it. Of the writes that land in the drain after a run
    /// that the host has ended, the last one is told, in the first cycle of the drain, which is one step.
    pub cycle: Cycle,
    /// Operation that wrote, with its cycles counted from reset; `None` if no operation names the register or word as
    /// its result.
    pub operation: Option<Event<Cycle>>,
    /// Beat of the channel that wrote; `None` if the channel did not. If there is neither operation nor beat, the host
    /// has written, or the value has changed as a side effect of an operation, such as an address that steps.
    pub beat: Option<Beat>,
    /// New value: that of the register or word after the cycle of the write.
    pub value: u64,
}

/// A condition on a cycle that is over and the state after it, for which
/// [`Recording::last_time`](crate::Recording::last_time) and [`Recording::next_time`](crate::Recording::next_time)
/// search. Every function of a [`PastCycle`] that returns a bool is one.
pub trait Condition {
    /// Returns whether the condition holds for a cycle that is over.
    fn holds(&mut self, cycle: &PastCycle<'_>) -> bool;

    /// Returns the condition as a [`CountedCondition`], if it is one; then the search can pass over cycles whose counts
    /// show that it cannot hold. With `None` every cycle is looked at.
    fn about(&self) -> Option<CountedCondition> {
        None
    }
}

impl<F: FnMut(&PastCycle<'_>) -> bool> Condition for F {
    fn holds(&mut self, cycle: &PastCycle<'_>) -> bool {
        self(cycle)
    }
}

/// A condition on a cycle that is found fast, because counts of stretches of the run show where it cannot hold; any
/// other [`Condition`] is searched cycle by cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CountedCondition {
    /// The cycle has this cause; with `None`, no kernel ran in it.
    Cause(Option<Cause>),
    /// The bundle of the cycle accessed this bank of local memory.
    Bank(Bank),
    /// The register or word has this value after the cycle.
    Value(Cell, u64),
}

impl Condition for CountedCondition {
    fn holds(&mut self, cycle: &PastCycle<'_>) -> bool {
        match *self {
            Self::Cause(cause) => cycle.cause == cause,
            Self::Bank(bank) => cycle.banks.contains(bank),
            Self::Value(cell, value) => cycle.state.get(cell) == Some(value),
        }
    }

    fn about(&self) -> Option<CountedCondition> {
        Some(*self)
    }
}

/// Observer that finds a write of a place.
pub(crate) struct Finder {
    cell: Cell,
    which: Which,
    /// Cycle from which on writes count.
    begin: Cycle,
    /// Value of the place behind the cycle before.
    pub(crate) value: u64,
    /// Operations that issued in the cycle that is under way, and those that will write the place, by the cycle in which they
    /// do.
    issued: Vec<Event>,
    under_way: Vec<(Cycle, Event<Cycle>)>,
    /// Last cycle that was watched.
    watched: Option<Cycle>,
    pub(crate) found: Option<Write>,
}

/// Returns the cycle behind which the value of an operation is seen that issues in cycle `issue`: floating-point registers,
/// condition codes and flags are written when the operation comes to its end, everything else at once.
fn lands(event: &Event<Cycle>, cell: Cell, issue: Cycle) -> Cycle {
    match cell.storage {
        Storage::Fpr | Storage::Fccr | Storage::Fcsr => event.write_cycle.unwrap_or(issue),
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

/// Whether a beat writes a word of local memory.
pub(crate) fn moves(beat: &Beat, cell: Cell) -> bool {
    let words = usize::from(beat.bytes / 8);
    let is_there =
        |local: WordAddress| (local.index()..local.index() + words).contains(&cell.number);
    cell.storage == Storage::Lmem
        && beat.direction == Direction::Get
        && SectionMask::from_bits(beat.sections).contains(cell.section)
        && beat.local.is_some_and(is_there)
}

impl Finder {
    /// Creates a finder of writes from cycle `begin` on; before the first cycle that it watches the place has this value.
    pub(crate) fn new(cell: Cell, which: Which, begin: Cycle, value: u64) -> Self {
        let (issued, under_way) = (Vec::new(), Vec::new());
        Self { cell, which, begin, value, issued, under_way, watched: None, found: None }
    }

    /// Takes note of the state behind a part of the run that began in cycle `begin`, `now` being the cycle that comes next. The drain
    /// of a run that the host has ended is one step, in which no cycle is watched: of the writes that land in it the last one is
    /// found, in the first cycle of the drain, for the state before it shows the old value and the one behind it that one's.
    pub(crate) fn settle(&mut self, begin: Cycle, now: Cycle, state: &State) {
        let value = state.get(self.cell).unwrap_or_default();
        let drain = self.watched.map_or(begin, |last| begin.max(last + 1));
        let landed = self.under_way.extract_if(.., |(at, _)| *at < now);
        let last = landed.max_by_key(|(at, _)| *at);
        let is_sought = drain >= self.begin && (self.which == Which::Last || self.found.is_none());
        if let Some((_, operation)) = last.filter(|_| is_sought) {
            self.found =
                Some(Write { cycle: drain, operation: Some(operation), beat: None, value });
        }
        self.value = value;
    }
}

impl Observer for Finder {
    fn wants(&self) -> Wants {
        Wants::UNNAMED | Wants::CYCLES
    }

    fn operation(&mut self, event: &Event) {
        if writes(event, self.cell) {
            self.issued.push(event.clone());
        }
    }

    fn cycle(&mut self, cycle: &PastCycle<'_>) -> ControlFlow<()> {
        let number = cycle.number;
        self.watched = Some(number);
        for event in self.issued.drain(..) {
            let event = event.since_reset(number);
            self.under_way.push((lands(&event, self.cell, number), event));
        }
        let value = cycle.state.get(self.cell).unwrap_or_default();
        let mut operation = None;
        self.under_way.retain(|(at, event)| {
            if *at == number {
                operation = Some(event.clone());
            }
            *at > number
        });
        if number >= self.begin && (operation.is_some() || value != self.value) {
            self.found = Some(Write { cycle: number, operation, beat: None, value });
            if self.which == Which::First {
                // The value before is that of the cycles before, for beats in them.
                return ControlFlow::Break(());
            }
        }
        self.value = value;
        ControlFlow::Continue(())
    }
}

/// Observer that finds a cycle in which a condition held.
pub(crate) struct Times<'a> {
    pub(crate) condition: &'a mut dyn Condition,
    pub(crate) which: Which,
    /// Cycle from which on cycles count.
    pub(crate) begin: Cycle,
    pub(crate) found: Option<Cycle>,
}

impl Observer for Times<'_> {
    fn wants(&self) -> Wants {
        Wants::CYCLES
    }

    fn cycle(&mut self, cycle: &PastCycle<'_>) -> ControlFlow<()> {
        if cycle.number >= self.begin && self.condition.holds(cycle) {
            self.found = Some(cycle.number);
            if self.which == Which::First {
                return ControlFlow::Break(());
            }
        }
        ControlFlow::Continue(())
    }
}
