//! Observers that find something in a stretch of a run: writes of a place, cycles in which a condition held; the first or the
//! last.

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

/// Write of a register or a word in a recorded run: when, by what, which value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Write {
    /// Cycle in which the write happened: behind it the value is there.
    pub cycle: Cycle,
    /// Operation that wrote, with cycles since reset, if one of a bundle did.
    pub operation: Option<Event<Cycle>>,
    /// Beat that wrote, if the channel did. If there is neither operation nor beat, the value has changed beside an operation
    /// (an address that steps, a flag), or the host changed it.
    pub beat: Option<Beat>,
    /// Value that the register or word has behind the cycle.
    pub value: u64,
}

/// A condition that can hold behind a cycle.
pub trait Condition {
    /// Whether the condition holds behind a cycle.
    fn holds(&mut self, cycle: &PastCycle<'_>) -> bool;

    /// Returns the kind of the condition, if counts can tell where it cannot hold, so that most of a run need not be gone
    /// through.
    fn about(&self) -> Option<When> {
        None
    }
}

impl<F: FnMut(&PastCycle<'_>) -> bool> Condition for F {
    fn holds(&mut self, cycle: &PastCycle<'_>) -> bool {
        self(cycle)
    }
}

/// Condition on a cycle that is found fast, since counts tell where it cannot hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    /// The cause of the cycle is this one; `None`: no kernel ran.
    Cause(Option<Cause>),
    /// CP2 accessed a bank.
    Bank(Bank),
    /// A register or a word has a value.
    Value(Cell, u64),
}

impl Condition for When {
    fn holds(&mut self, cycle: &PastCycle<'_>) -> bool {
        match *self {
            Self::Cause(cause) => cycle.cause == cause,
            Self::Bank(bank) => cycle.banks.contains(bank),
            Self::Value(cell, value) => cycle.state.get(cell) == Some(value),
        }
    }

    fn about(&self) -> Option<When> {
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
        Self { cell, which, begin, value, issued, under_way, found: None }
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
