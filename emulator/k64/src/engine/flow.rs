//! Branches, jumps, traps and what else ends a block.
//!
//! A branch stands behind its delay slot if the slot does not write what the branch reads; else the condition of the
//! branch is kept in the latch before. A likely branch is the opposite branch over its delay slot, then the slot, then
//! a jump.

use super::operation::{Exit, Handler, Operation, next, stop};
use crate::core::Cpu;
use crate::exception::Exception;
use crate::registers::LATCH;

/// Condition under which a branch is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Condition {
    Equal,
    Unequal,
    NotPositive,
    Positive,
    Negative,
    NotNegative,
}

macro_rules! conditions {
    ($($condition:ident $branch:ident $latch:ident $opposite:ident = |$a:ident, $b:ident| $holds:expr;)*) => {
        $(
            fn $branch(core: &mut Cpu, op: &Operation, rest: &[Operation]) -> Exit {
                let ($a, $b) = (core.registers[op.a], core.registers[op.b]);
                if $holds {
                    return exit_block(core, op);
                }
                next(core, rest)
            }
            fn $latch(core: &mut Cpu, op: &Operation, rest: &[Operation]) -> Exit {
                let ($a, $b) = (core.registers[op.a], core.registers[op.b]);
                core.registers[LATCH] = u64::from($holds);
                next(core, rest)
            }
        )*
        impl Condition {
            /// Returns the handler that leaves the block if the condition holds.
            pub(super) fn branch(self) -> Handler {
                match self { $(Self::$condition => $branch,)* }
            }
            /// Returns the handler that keeps in the latch whether the condition holds.
            pub(super) fn latch(self) -> Handler {
                match self { $(Self::$condition => $latch,)* }
            }
            /// Returns the condition that holds if this one does not.
            pub(crate) fn opposite(self) -> Self {
                match self { $(Self::$condition => Self::$opposite,)* }
            }
        }
    };
}

conditions! {
    Equal beq latch_equal Unequal = |a, b| a == b;
    Unequal bne latch_unequal Equal = |a, b| a != b;
    NotPositive blez latch_not_positive Positive = |a, _b| a as i64 <= 0;
    Positive bgtz latch_positive NotPositive = |a, _b| a as i64 > 0;
    Negative bltz latch_negative NotNegative = |a, _b| (a as i64) < 0;
    NotNegative bgez latch_not_negative Negative = |a, _b| a as i64 >= 0;
}

/// Leaves the block for the address that the immediate gives, relative to the begin of the block.
#[inline(always)]
fn exit_block(core: &mut Cpu, op: &Operation) -> Exit {
    core.pc = core.running.block.wrapping_add(op.imm());
    Exit::branch(op.c)
}

/// Jumps.
pub(super) fn jump(core: &mut Cpu, op: &Operation, _rest: &[Operation]) -> Exit {
    exit_block(core, op)
}

/// Jumps to the address in a register.
pub(super) fn jump_register(core: &mut Cpu, op: &Operation, _rest: &[Operation]) -> Exit {
    core.pc = core.registers[op.a];
    Exit::branch(op.c)
}

/// Writes a link: an address relative to the begin of the block.
pub(super) fn link(core: &mut Cpu, op: &Operation, rest: &[Operation]) -> Exit {
    core.registers[op.d] = core.running.block.wrapping_add(op.imm());
    next(core, rest)
}

macro_rules! traps {
    ($($name:ident = |$a:ident, $b:ident| $holds:expr;)*) => {$(
        /// Raises a trap if the condition holds. The immediate is the code, or the second operand where `c` is 1.
        pub(super) fn $name(core: &mut Cpu, op: &Operation, rest: &[Operation]) -> Exit {
            let has_immediate = op.c == 1;
            let second = if has_immediate { op.imm() } else { core.registers[op.b] };
            let ($a, $b) = (core.registers[op.a], second);
            if $holds {
                let code = if has_immediate { 0 } else { op.imm as u16 };
                return stop(core, rest, Exception::Trap(code));
            }
            next(core, rest)
        }
    )*};
}

traps! {
    tge = |a, b| a as i64 >= b as i64;
    tgeu = |a, b| a >= b;
    tlt = |a, b| (a as i64) < b as i64;
    tltu = |a, b| a < b;
    teq = |a, b| a == b;
    tne = |a, b| a != b;
}

/// Executes `syscall`.
pub(super) fn syscall(core: &mut Cpu, _op: &Operation, rest: &[Operation]) -> Exit {
    stop(core, rest, Exception::Syscall)
}

/// Executes `break`; the immediate is the code.
pub(super) fn break_(core: &mut Cpu, op: &Operation, rest: &[Operation]) -> Exit {
    stop(core, rest, Exception::Break(op.imm as u32))
}

/// Raises an exception for a word that is not an operation; the immediate is the word.
pub(super) fn reserved(core: &mut Cpu, op: &Operation, rest: &[Operation]) -> Exit {
    stop(core, rest, Exception::Reserved(op.imm as u32))
}

/// Raises an exception for an operation of a coprocessor that is not enabled; `c` is the number of the coprocessor.
pub(super) fn coprocessor(core: &mut Cpu, op: &Operation, rest: &[Operation]) -> Exit {
    stop(core, rest, Exception::Coprocessor(op.c))
}

/// Executes `rdhwr`; the immediate is the word of the instruction.
pub(super) fn rdhwr(core: &mut Cpu, op: &Operation, rest: &[Operation]) -> Exit {
    let word = op.imm as u32;
    let value = match word >> 11 & 31 {
        0 => 0,
        1 => 32,
        2 => core.cycle() / 2,
        3 => 2,
        29 => core.thread_pointer,
        _ => return stop(core, rest, Exception::Reserved(word)),
    };
    core.registers[op.d] = value;
    next(core, rest)
}
