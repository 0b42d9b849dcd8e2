//! Surroundings of the core of a machine, as a trait: memory that others share, devices, coprocessor 2, interrupt
//! lines.

use crate::memory::{Allowed, Memory, PageBytes};
use std::any::Any;

/// Push to the FIFO of coprocessor 2 (CP2), which an instruction of the control processor asks for: a bundle
/// (instruction of CP2, 64 bits), and what is to be done with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Push {
    /// Bundle that CP2 is to execute: pushed by `dmtc2` or `mtc2` to register 0.
    Execute(u64),
    /// Bundle that is to be stored in CP2's instruction memory: pushed by `ldc2`.
    Store(u64),
}

/// Reason outside of the core why a run of a program on the bare machine ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Halt {
    /// The program wrote this exit code to the exit register of the machine.
    Exit(u8),
    /// A part outside of the core made a fault, such as a kernel of CP2; with its message.
    Fault(String),
    /// A breakpoint of a part outside of the core was reached; time outside stands still until that part is told to go
    /// on.
    Breakpoint,
    /// The program asked a part outside of the core for something that whoever runs the program has to do.
    Request,
}

/// Question of a program to what is outside of the core: a register that it reads again and again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Question {
    /// Register of coprocessor 2 with this number, as [`Outside::coprocessor_register`] has it.
    Coprocessor(u8),
    /// Register of a device, of 4 bytes, at this physical address, as [`Outside::load`] has it.
    Device(u64),
}

/// Surroundings of the core of a machine: memory that others share, devices, coprocessor 2, interrupt lines. Addresses
/// are physical; cycles are the core's, counted from reset. [`Outside::advance`] is called before an instruction that
/// can see or change anything here, so the other functions need not know the time.
pub trait Outside: Any + Send {
    /// Returns the page of memory at `address`, a multiple of the size of a page, and the accesses that it allows. The
    /// core keeps the page in its [`Memory`] from then on. `None` if there is no memory.
    fn page(&mut self, address: u64) -> Option<(Box<PageBytes>, Allowed)>;

    /// Returns the value of `bytes` bytes (1, 2, 4 or 8) at an address where there is no memory, such as a device, in
    /// the low bits; `None` if nothing answers, which is a bus error.
    fn load(&mut self, address: u64, bytes: usize) -> Option<u64>;

    /// Stores the low `bytes` bytes (1, 2, 4 or 8) of `value` at an address where there is no memory, such as a device;
    /// `None` if nothing answers, which is a bus error.
    fn store(&mut self, address: u64, bytes: usize, value: u64) -> Option<()>;

    /// Advances everything outside of the core to `cycle`, unless it is there already. Pages of the core's `memory`
    /// that the core wrote are taken over, and those that others changed are removed, so that memory is as in that
    /// cycle.
    fn advance(&mut self, memory: &mut Memory, cycle: u64);

    /// Returns the latest cycle after `now` up to which the core may run before it looks outside again, because
    /// something may change there by itself that it can see; `None` if nothing is under way.
    fn next_look(&self, now: u64) -> Option<u64>;

    /// Lets time pass while the core waits: up to the first cycle in which an interrupt line may come up, at most up to
    /// the cycle `limit`. Returns the cycle that is reached.
    fn wait(&mut self, memory: &mut Memory, limit: u64) -> u64 {
        self.advance(memory, limit);
        limit
    }

    /// Lets time pass while the core asks a question again and again: up to the first cycle in which one of `bits` of the
    /// answer may be another, at most up to the cycle `limit`. Returns the cycle that is reached; `None`, and no time
    /// passes, if it cannot be told when the answer changes, or if reading the register changes something.
    fn wait_for_answer(
        &mut self,
        _memory: &mut Memory,
        _question: Question,
        _bits: u64,
        _limit: u64,
    ) -> Option<u64> {
        None
    }

    /// Returns the interrupt lines that are up, as bits of the eight bits of Cause.IP: bit 2 is the lowest line.
    fn interrupts(&self) -> u8;

    /// Returns the reason why the run ends in the present cycle; `None` if it goes on.
    fn halt(&self) -> Option<Halt>;

    /// Returns the number of cycles that accesses to registers outside of the core took since the last call, beyond the
    /// cycle of their instructions, and sets it to 0.
    fn take_stall(&mut self) -> u64 {
        0
    }

    /// Whether there is a coprocessor 2 (CP2).
    fn has_coprocessor(&self) -> bool {
        false
    }

    /// Returns the value of the register of coprocessor 2 with a number, 0 to 31; `None` if it has no such register.
    fn coprocessor_register(&mut self, _number: u8) -> Option<u64> {
        None
    }

    /// Writes the register of coprocessor 2 with a number, 1 to 31; `None` if it has no such register.
    fn set_coprocessor_register(&mut self, _number: u8, _value: u64) -> Option<()> {
        None
    }

    /// Pushes a bundle to the FIFO of coprocessor 2; the result is `false`, and nothing is pushed, if the FIFO is full.
    fn push(&mut self, _push: Push) -> bool {
        false
    }

    /// Returns a copy of the state outside of the core that time changes, for [`Outside::restore`]; `None` if it
    /// cannot be copied, and a run cannot go back then.
    fn snapshot(&self) -> Option<Box<dyn Any + Send>> {
        None
    }

    /// Restores a state that [`Outside::snapshot`] returned. Without an implementation nothing happens.
    fn restore(&mut self, _kept: &dyn Any) {}

    /// Whether the FIFO of coprocessor 2 is full.
    fn is_full(&self) -> bool {
        false
    }
}
