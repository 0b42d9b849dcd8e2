//! A decoded operation: 16 bytes, a function and what it works on. A function ends by calling that of the next
//! operation, which is a jump where the compiler makes it one; the depth is that of a block where it does not.

use crate::core::Cpu;
use crate::exception::Exception;

/// Function that executes an operation and then the rest of its block.
pub(crate) type Handler = fn(&mut Cpu, &Operation, &[Operation]) -> Exit;

/// A decoded operation. `d` is the register that it writes, or the sink: branches rely on that.
#[derive(Clone, Copy)]
pub(crate) struct Operation {
    pub(crate) run: Handler,
    pub(crate) a: u8,
    pub(crate) b: u8,
    /// Third operand; in branches the number of instructions of the block up to the delay slot, with it.
    pub(crate) c: u8,
    pub(crate) d: u8,
    pub(crate) imm: i32,
}

/// Way in which a block was left.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Left {
    /// At the end of the block.
    End,
    /// By a branch, the last of so many instructions; `Cpu::pc` is its target.
    Branch(u32),
    /// By an exception of an operation with so many behind it; `Running::stopped` tells which.
    Stopped(u32),
}

/// Way in which a block was left ([`Left`]), packed: instructions done for a branch, operations behind for a stop.
/// Packed, because a call whose result is two registers does not become a jump.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub(crate) struct Exit(u64);

impl Exit {
    /// Exit at the end of the block.
    pub(crate) const END: Self = Self(0);

    /// Creates the exit by a branch, the last of so many instructions.
    #[inline(always)]
    pub(crate) fn branch(n: u8) -> Self {
        Self(1 << 32 | u64::from(n))
    }

    /// Unpacks the exit.
    #[inline(always)]
    pub(crate) fn left(self) -> Left {
        match self.0 >> 32 {
            0 => Left::End,
            1 => Left::Branch(self.0 as u32),
            _ => Left::Stopped(self.0 as u32),
        }
    }
}

/// Runs the rest of the block.
#[inline(always)]
pub(crate) fn next(core: &mut Cpu, rest: &[Operation]) -> Exit {
    match rest.split_first() {
        Some((operation, rest)) => (operation.run)(core, operation, rest),
        None => Exit::END,
    }
}

/// Ends the block with an exception.
#[cold]
#[inline(never)]
pub(crate) fn stop(core: &mut Cpu, rest: &[Operation], exception: Exception) -> Exit {
    core.running.stopped = Some(exception);
    Exit(2 << 32 | rest.len() as u64)
}

impl Operation {
    /// Returns the immediate, sign-extended to 64 bits.
    #[inline(always)]
    pub(crate) fn imm(&self) -> u64 {
        i64::from(self.imm) as u64
    }
}
