//! Observers that search a stretch of a run: for writes of a register or word, or for cycles in which a condition
//! holds; the first or the last.

use cp2_emu::State;
use cp2_emu::dma::Beat;
use cp2_emu::machine::Act;
use cp2_emu::memory::Direction;
use cp2_emu::stats::Cause;
use cp2_emu::trace::{Event, Observer, PastCycle, Wants};
use cp2_isa::{Bank, BundleAddress, Cycle, SectionMask, Storage, StorageCell as Cell, WordAddress};
use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::sync::Arc;

/// Choice between the first and the last match in a stretch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MatchChoice {
    /// The match in the earliest cycle.
    First,
    /// The match in the latest cycle.
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
    /// Returns whether the condition holds for a cycle that is over. It is asked for cycles in their order, and for some before
    /// those that are searched.
    fn holds(&mut self, cycle: &PastCycle<'_>) -> bool;

    /// Returns the condition as a [`CountedCondition`], if it is one; then the search can pass over cycles whose counts
    /// show that it cannot hold. With `None` every cycle is looked at.
    fn about(&self) -> Option<CountedCondition> {
        None
    }

    /// Returns the addresses of bundles of which one issues in every cycle in which the condition holds, if that is known; then the
    /// search can pass over cycles in which none of them has issued. The condition is asked for the cycle before each stretch that
    /// is looked at, too.
    fn bundles(&self) -> Option<&BTreeSet<BundleAddress>> {
        None
    }
}

/// A condition on writes of a register or word, for which [`Recording::find_write`](crate::Recording::find_write) searches.
pub trait WriteCondition {
    /// Returns whether the search is for this write, as far as the write itself tells.
    fn admits(&self, _: &Write) -> bool {
        true
    }

    /// Returns whether the condition holds in a state: for the first write of a range the state after its cycle is asked for, for the
    /// last one that before it.
    fn holds(&self, _: &State) -> bool {
        true
    }
}

/// The condition that every write meets.
impl WriteCondition for () {}

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

/// Observer that finds a write of a place that meets a condition.
pub(crate) struct Finder<'a> {
    cell: Cell,
    which: MatchChoice,
    condition: &'a dyn WriteCondition,
    /// Whether the condition held in the state before the first cycle, and the cycles behind which that changed.
    held: bool,
    turns: Vec<(Cycle, bool)>,
    /// Actions of the host in the part that is watched, which may change the state between two cycles.
    acts: Arc<[Act]>,
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

impl<'a> Finder<'a> {
    /// Creates a finder of writes from cycle `begin` on; the state is that before the first cycle that it watches.
    pub(crate) fn new(
        cell: Cell,
        (which, condition): (MatchChoice, &'a dyn WriteCondition),
        begin: Cycle,
        state: &State,
    ) -> Self {
        Self {
            cell,
            which,
            condition,
            held: condition.holds(state),
            turns: Vec::new(),
            acts: Arc::new([]),
            begin,
            value: state.get(cell).unwrap_or_default(),
            issued: Vec::new(),
            under_way: Vec::new(),
            watched: None,
            found: None,
        }
    }

    /// Takes the actions of the host in the part that is watched next.
    pub(crate) fn expect(&mut self, acts: &Arc<[Act]>) {
        self.acts = acts.clone();
    }

    /// Takes note of whether the condition holds in the state behind a cycle.
    fn note(&mut self, cycle: Cycle, state: &State) {
        let holds = self.condition.holds(state);
        if holds != self.turns.last().map_or(self.held, |(_, last)| *last) {
            self.turns.push((cycle, holds));
        }
    }

    /// Whether the condition holds for a write. Where the host acts between the cycle and the state that counts, it may hold.
    pub(crate) fn admits(&self, write: &Write) -> bool {
        let acts_at = |cycle: Cycle| self.acts.iter().any(|act| act.cycle == cycle);
        let (behind, is_open) = match self.which {
            MatchChoice::First => (Some(write.cycle), acts_at(write.cycle + 1)),
            MatchChoice::Last => (write.cycle.0.checked_sub(1).map(Cycle), acts_at(write.cycle)),
        };
        let turn = self.turns.partition_point(|(cycle, _)| behind.is_some_and(|b| *cycle <= b));
        let holds = turn.checked_sub(1).map_or(self.held, |last| self.turns[last].1);
        (holds || is_open) && self.condition.admits(write)
    }

    /// Takes note of the state behind a part of the run that began in cycle `begin`, `now` being the cycle that comes next. The drain
    /// of a run that the host has ended is one step, in which no cycle is watched: of the writes that land in it the last one is
    /// found, in the first cycle of the drain, for the state before it shows the old value and the one behind it that one's.
    pub(crate) fn settle(&mut self, begin: Cycle, now: Cycle, state: &State) {
        let value = state.get(self.cell).unwrap_or_default();
        let drain = self.watched.map_or(begin, |last| begin.max(last + 1));
        let landed = self.under_way.extract_if(.., |(at, _)| *at < now);
        let last = landed.max_by_key(|(at, _)| *at);
        let is_sought =
            drain >= self.begin && (self.which == MatchChoice::Last || self.found.is_none());
        self.note(drain, state);
        if let Some((_, operation)) = last.filter(|_| is_sought) {
            let write = Write { cycle: drain, operation: Some(operation), beat: None, value };
            if self.admits(&write) {
                self.found = Some(write);
            }
        }
        self.value = value;
    }
}

impl Observer for Finder<'_> {
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
        self.note(number, cycle.state);
        if number >= self.begin && (operation.is_some() || value != self.value) {
            let write = Write { cycle: number, operation, beat: None, value };
            if self.admits(&write) {
                self.found = Some(write);
                if self.which == MatchChoice::First {
                    // The value before is that of the cycles before, for beats in them.
                    return ControlFlow::Break(());
                }
            }
        }
        self.value = value;
        ControlFlow::Continue(())
    }
}

/// Observer that finds a cycle in which a condition held.
pub(crate) struct Times<'a> {
    pub(crate) condition: &'a mut dyn Condition,
    pub(crate) which: MatchChoice,
    /// Cycle from which on cycles count.
    pub(crate) begin: Cycle,
    pub(crate) found: Option<Cycle>,
}

impl Observer for Times<'_> {
    fn wants(&self) -> Wants {
        Wants::CYCLES
    }

    fn cycle(&mut self, cycle: &PastCycle<'_>) -> ControlFlow<()> {
        let holds = self.condition.holds(cycle);
        if holds && cycle.number >= self.begin {
            self.found = Some(cycle.number);
            if self.which == MatchChoice::First {
                return ControlFlow::Break(());
            }
        }
        ControlFlow::Continue(())
    }
}
