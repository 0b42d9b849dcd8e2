//! Operations that take time and do nothing else: in a block with time, one stands before the operation of each
//! instruction, and one at each line of instructions. An instruction that turns out to need what is outside has issued
//! then; it is done alone without them (`CpuEngine::step`).

use super::operation::{Exit, Operation, next};
use super::shape::{Branch, BranchTarget};
use crate::core::Cpu;
use crate::isa::Instruction;
use crate::registers::{HI, SINK};
use crate::timing::{Class, is_accumulating, is_conditional, is_fused, is_part};

macro_rules! issues {
    ($($name:ident = $class:ident;)*) => {$(
        fn $name(core: &mut Cpu, op: &Operation, rest: &[Operation]) -> Exit {
            if let Some(timing) = &mut core.timing {
                timing.issue(Class::$class, [op.a, op.b, op.c], op.d);
            }
            next(core, rest)
        }
    )*};
}

issues! {
    integer = Integer;
    multiply = Multiply;
    divide = Divide;
    float = Float;
    float_divide = FloatDivide;
}

/// Defines the timing operations of accesses: base `a`, displacement, index `c`; `b` is what is stored, or what a load
/// keeps a part of.
macro_rules! accesses {
    ($($name:ident;)*) => {$(
        fn $name(core: &mut Cpu, op: &Operation, rest: &[Operation]) -> Exit {
            let base = core.registers[op.a].wrapping_add(core.registers[op.c]);
            if let Some(timing) = &mut core.timing {
                timing.$name(base.wrapping_add(op.imm()), [op.a, op.b, op.c], op.d);
            }
            next(core, rest)
        }
    )*};
}

accesses! {
    load;
    store;
}

fn fetch(core: &mut Cpu, op: &Operation, rest: &[Operation]) -> Exit {
    let address = core.running.block.wrapping_add(op.imm());
    if let Some(timing) = &mut core.timing {
        timing.fetch(address);
    }
    next(core, rest)
}

/// Creates the timing operation of the line of instructions at a displacement from the begin of the block.
pub(super) fn line(displacement: i32) -> Operation {
    Operation { run: fetch, a: 0, b: 0, c: 0, d: SINK, imm: displacement }
}

/// Creates the timing operation of an instruction that only takes its slot.
pub(super) fn slot() -> (Class, Operation) {
    (Class::Integer, Operation { run: integer, a: 0, b: 0, c: 0, d: SINK, imm: 0 })
}

/// Creates the timing operation of a branch.
pub(super) fn branch(branch: &Branch) -> (Class, Operation) {
    let a = if let BranchTarget::Register(register) = branch.place { register } else { branch.a };
    (Class::Integer, Operation { run: integer, a, b: branch.b, c: 0, d: branch.link, imm: 0 })
}

/// Creates the timing operation of an instruction that became `op`.
pub(super) fn of(instruction: Instruction, op: &Operation) -> (Class, Operation) {
    let operation = instruction.operation;
    let class = Class::of(operation);
    let run = match class {
        Class::Integer => integer,
        Class::Multiply => multiply,
        Class::Divide => divide,
        Class::Float => float,
        Class::FloatDivide => float_divide,
        Class::Load => load,
        Class::Store => store,
    };
    let is_access = matches!(class, Class::Load | Class::Store);
    // Indexed accesses have no displacement: the field of it is other things.
    let is_indexed = is_access && instruction.word >> 26 == 0x13;
    let imm = if is_access && !is_indexed { i32::from(instruction.imm()) } else { 0 };
    // Moves from and to coprocessors 0 and 2 have their kind where others have a register.
    let is_move = matches!(instruction.word >> 26, 0x10 | 0x12);
    let a = if is_move { 0 } else { op.a };
    let is_only_target = class == Class::Load && !is_part(operation) || is_move && op.d != SINK;
    let b = if is_only_target { 0 } else { op.b };
    let c = if is_fused(operation) || is_indexed {
        op.c
    } else if is_accumulating(operation) {
        HI
    } else if is_conditional(operation) && op.d != SINK {
        op.d
    } else {
        0
    };
    (class, Operation { run, a, b, c, d: op.d, imm })
}
