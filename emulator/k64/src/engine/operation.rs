//! A decoded operation: 16 bytes, a function and what it works on. A function ends by calling that of the next
//! operation, which is a jump where the compiler makes it one; the depth is that of a block where it does not.

use crate::core::Core;
use crate::exception::Exception;

/// What computes an operation and all that follow in its block.
pub(super) type Handler = fn(&mut Core, &Operation, &[Operation]) -> Exit;

/// A decoded operation. `d` is the register that it writes, or the sink: branches rely on that.
#[derive(Clone, Copy)]
pub(super) struct Operation {
    pub(super) run: Handler,
    pub(super) a: u8,
    pub(super) b: u8,
    /// A third operand; in branches the instructions of the block up to the delay slot, with it.
    pub(super) c: u8,
    pub(super) d: u8,
    pub(super) imm: i32,
}

/// How a block was left.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Left {
    /// At its end.
    End,
    /// By a branch; `Core::pc` says where to.
    Branch,
    /// By an operation that stops; `Core::stopped` says why.
    Stopped,
}

/// How a block was left, and where: instructions done for a branch, operations behind for a stop.
#[derive(Clone, Copy)]
pub(super) struct Exit {
    pub(super) left: Left,
    pub(super) n: u32,
}

/// The rest of the block.
#[inline(always)]
pub(super) fn next(core: &mut Core, rest: &[Operation]) -> Exit {
    match rest.split_first() {
        Some((operation, rest)) => (operation.run)(core, operation, rest),
        None => Exit { left: Left::End, n: 0 },
    }
}

/// The block ends here with an exception.
#[cold]
#[inline(never)]
pub(super) fn stop(core: &mut Core, rest: &[Operation], exception: Exception) -> Exit {
    core.stopped = Some(exception);
    Exit { left: Left::Stopped, n: rest.len() as u32 }
}

impl Operation {
    /// The immediate as it is added to registers.
    #[inline(always)]
    pub(super) fn imm(&self) -> u64 {
        i64::from(self.imm) as u64
    }
}
