//! The surroundings of a core: memory that others share, devices, coprocessor 2, interrupt lines.

use crate::memory::{Allowed, Memory, PageBytes};
use std::any::Any;

/// Request of a push to coprocessor 2 (`[L]`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Push {
    /// `dmtc2 rt, 0`: a bundle to execute.
    Execute(u64),
    /// `ldc2 0, ...`: a bundle to store in instruction memory.
    Store(u64),
}

/// Reason outside of the core why a run ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Halt {
    /// The program wrote its exit code.
    Exit(u8),
    /// Fault of a part outside, with its message.
    Fault(String),
    /// A breakpoint outside was reached; time outside stands still until it is told to go on.
    Breakpoint,
}

/// Surroundings of a core: memory that others share, devices, coprocessor 2, interrupt lines. Addresses are physical.
/// [`Outside::advance`] is called before an instruction that can see or change anything here, so the other functions need not
/// know the time.
pub trait Outside: Any {
    /// Returns the page of memory that begins at an address, to be kept in the core's [`Memory`] from now on; none if there
    /// is no memory.
    fn page(&mut self, address: u64) -> Option<(Box<PageBytes>, Allowed)>;

    /// Loads from an address without memory; none if nothing answers.
    fn load(&mut self, address: u64, bytes: usize) -> Option<u64>;

    /// Stores to an address without memory; none if nothing answers.
    fn store(&mut self, address: u64, bytes: usize, value: u64) -> Option<()>;

    /// Advances everything to a cycle; memory is then as it is in that cycle.
    fn advance(&mut self, memory: &mut Memory, cycle: u64);

    /// Returns the earliest cycle after `now` in which something may change by itself that the core can see; none if nothing
    /// is under way.
    fn next_look(&self, now: u64) -> Option<u64>;

    /// Lets time pass while the core waits, to the first cycle in which a line may come up, at most to `limit`, and returns
    /// the cycle that is reached.
    fn wait(&mut self, memory: &mut Memory, limit: u64) -> u64 {
        self.advance(memory, limit);
        limit
    }

    /// Returns the interrupt lines that are up, as bits of Cause.IP: bit 2 the lowest.
    fn interrupts(&self) -> u8;

    /// Returns the reason why the run ends, if it does.
    fn halt(&self) -> Option<Halt>;

    /// Returns the cycles that the accesses since the last call took beyond the one of their instruction.
    fn take_stall(&mut self) -> u64 {
        0
    }

    /// Whether there is a coprocessor 2.
    fn has_coprocessor(&self) -> bool {
        false
    }

    /// Reads a register of coprocessor 2; none if it has no such register.
    fn coprocessor_register(&mut self, _number: u8) -> Option<u64> {
        None
    }

    /// Writes a register of coprocessor 2; none if it has no such register.
    fn set_coprocessor_register(&mut self, _number: u8, _value: u64) -> Option<()> {
        None
    }

    /// Pushes to the FIFO of coprocessor 2; false if it is full.
    fn push(&mut self, _push: Push) -> bool {
        false
    }

    /// Returns a copy of all that time changes, for [`Outside::put_back`]; none if it cannot be kept.
    fn keep(&self) -> Option<Box<dyn Any>> {
        None
    }

    /// Restores the state that [`Outside::keep`] returned.
    fn put_back(&mut self, _kept: &dyn Any) {}

    /// Whether the FIFO of coprocessor 2 is full.
    fn is_full(&self) -> bool {
        false
    }
}
