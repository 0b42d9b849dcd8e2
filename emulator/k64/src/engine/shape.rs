//! The shapes of operations: which fields of an instruction are the registers and the immediate that a handler
//! works on. Which operation has which shape and handler is in `translate`.

use super::flow::Condition;
use super::operation::{Handler, Operation};
use crate::isa::Instruction;
use crate::registers::{ANSWER, CONDITION, FPR, SINK, target};

/// What an instruction becomes.
pub(super) enum Translated {
    /// Nothing that a program could see.
    Nothing,
    /// An operation.
    Operation(Operation),
    /// An operation behind which the block ends.
    Last(Operation),
    /// A branch or jump, which has a delay slot.
    Branch(Branch),
}

/// How a target is encoded.
#[derive(Clone, Copy)]
pub(super) enum Where {
    /// Relative to the delay slot.
    Branch,
    /// Within the region of the delay slot.
    Jump,
}

/// Where a branch goes, and when.
#[derive(Clone, Copy)]
pub(super) enum Place {
    /// To a register.
    Register(u8),
    /// Always.
    Always(Where),
    /// If the condition holds.
    If(Condition, Where),
}

/// A branch or jump.
#[derive(Clone, Copy)]
pub(super) struct Branch {
    pub(super) place: Place,
    pub(super) a: u8,
    pub(super) b: u8,
    /// Register for the address behind the delay slot, or the sink.
    pub(super) link: u8,
    pub(super) is_likely: bool,
    /// What is done first, for a condition that is no register.
    pub(super) before: Option<Operation>,
}

/// Registers and immediate that an operation works on.
fn with(run: Handler, [a, b, c, d]: [u8; 4], imm: i32) -> Translated {
    Translated::Operation(Operation { run, a, b, c, d, imm })
}

/// Any registers and immediate.
pub(super) fn operation(_: Instruction, run: Handler, registers: [u8; 4], imm: i32) -> Translated {
    with(run, registers, imm)
}

/// rd of rs and rt.
pub(super) fn three(i: Instruction, run: Handler) -> Translated {
    with(run, [i.rs(), i.rt(), 0, target(i.rd())], 0)
}

/// rt of rs and a signed immediate.
pub(super) fn signed(i: Instruction, run: Handler) -> Translated {
    with(run, [i.rs(), 0, 0, target(i.rt())], i32::from(i.imm()))
}

/// rt of rs and an unsigned immediate.
pub(super) fn unsigned(i: Instruction, run: Handler) -> Translated {
    with(run, [i.rs(), 0, 0, target(i.rt())], i32::from(i.imm() as u16))
}

/// rd of rt and the amount in rs.
pub(super) fn shift_variable(i: Instruction, run: Handler) -> Translated {
    with(run, [i.rt(), i.rs(), 0, target(i.rd())], 0)
}

/// rd of rt and an amount.
pub(super) fn shift(i: Instruction, run: Handler, more: i32) -> Translated {
    if i.rd() == 0 {
        return Translated::Nothing;
    }
    with(run, [i.rt(), 0, 0, target(i.rd())], i32::from(i.sa()) + more)
}

/// rd of one register.
pub(super) fn one(i: Instruction, run: Handler, a: u8) -> Translated {
    with(run, [a, 0, 0, target(i.rd())], 0)
}

/// rt and a field: `lsb` and size.
pub(super) fn field(i: Instruction, run: Handler, lsb: u8, size: i32) -> Translated {
    // Sizes that no encoding of the architecture has are unpredictable; these keep shifts in range.
    let size = size.clamp(1, 64 - i32::from(lsb));
    with(run, [i.rs(), i.rt(), lsb, target(i.rt())], size)
}

/// rt of memory; parts of unaligned values read it too.
pub(super) fn load(i: Instruction, run: Handler) -> Translated {
    with(run, [i.rs(), i.rt(), 0, target(i.rt())], i32::from(i.imm()))
}

/// Memory of rt.
pub(super) fn store(i: Instruction, run: Handler) -> Translated {
    with(run, [i.rs(), i.rt(), 0, SINK], i32::from(i.imm()))
}

pub(super) fn trap(i: Instruction, run: Handler) -> Translated {
    with(run, [i.rs(), i.rt(), (i.word >> 6) as u8, SINK], 0)
}

pub(super) fn trap_immediate(i: Instruction, run: Handler) -> Translated {
    with(run, [i.rs(), 0, 0, SINK], i32::from(i.imm()))
}

/// A branch that compares rs with rt, or with 0 where rt is part of the code.
pub(super) fn branch(i: Instruction, condition: Condition) -> Translated {
    let b = if matches!(condition, Condition::Equal | Condition::Unequal) { i.rt() } else { 0 };
    if condition == Condition::Equal && i.rs() == b {
        return jump(i, Place::Always(Where::Branch), SINK);
    }
    let place = Place::If(condition, Where::Branch);
    Translated::Branch(Branch { place, a: i.rs(), b, link: SINK, is_likely: false, before: None })
}

pub(super) fn likely(i: Instruction, condition: Condition) -> Translated {
    match branch(i, condition) {
        Translated::Branch(branch) => Translated::Branch(Branch { is_likely: true, ..branch }),
        other => other,
    }
}

fn linking(translated: Translated) -> Translated {
    match translated {
        Translated::Branch(branch) => Translated::Branch(Branch { link: 31, ..branch }),
        other => other,
    }
}

pub(super) fn branch_linking(i: Instruction, condition: Condition) -> Translated {
    linking(branch(i, condition))
}

pub(super) fn likely_linking(i: Instruction, condition: Condition) -> Translated {
    linking(likely(i, condition))
}

/// A branch on a condition of the FPU.
pub(super) fn on_condition(i: Instruction, condition: Condition, is_likely: bool) -> Translated {
    let place = Place::If(condition, Where::Branch);
    Translated::Branch(Branch {
        place,
        a: CONDITION + i.cc(),
        b: 0,
        link: SINK,
        is_likely,
        before: None,
    })
}

/// A jump, with the register for its link or the sink.
pub(super) fn jump(_: Instruction, place: Place, link: u8) -> Translated {
    Translated::Branch(Branch { place, a: 0, b: 0, link, is_likely: false, before: None })
}

/// fd of fs and ft.
pub(super) fn float3(i: Instruction, run: Handler) -> Translated {
    with(run, [FPR + i.rd(), FPR + i.rt(), 0, FPR + i.sa()], 0)
}

/// fd of fs.
pub(super) fn float2(i: Instruction, run: Handler) -> Translated {
    with(run, [FPR + i.rd(), 0, 0, FPR + i.sa()], 0)
}

/// fd of fs, ft and fr.
pub(super) fn float4(i: Instruction, run: Handler) -> Translated {
    with(run, [FPR + i.rd(), FPR + i.rt(), FPR + i.rs(), FPR + i.sa()], 0)
}

/// fd of fs, if a register is right.
pub(super) fn float_move(i: Instruction, run: Handler, b: u8) -> Translated {
    with(run, [FPR + i.rd(), b, 0, FPR + i.sa()], 0)
}

pub(super) fn compare(i: Instruction, run: Handler) -> Translated {
    let d = CONDITION + i.cc_out();
    with(run, [FPR + i.rd(), FPR + i.rt(), 0, d], i32::from(i.relation()))
}

pub(super) fn float_load(i: Instruction, run: Handler) -> Translated {
    with(run, [i.rs(), 0, 0, FPR + i.rt()], i32::from(i.imm()))
}

pub(super) fn float_store(i: Instruction, run: Handler) -> Translated {
    with(run, [i.rs(), FPR + i.rt(), 0, SINK], i32::from(i.imm()))
}

pub(super) fn indexed_load(i: Instruction, run: Handler) -> Translated {
    with(run, [i.rs(), 0, i.rt(), FPR + i.sa()], 0)
}

pub(super) fn indexed_store(i: Instruction, run: Handler) -> Translated {
    with(run, [i.rs(), FPR + i.rd(), i.rt(), SINK], 0)
}

/// An operation on what is outside of the registers, by its word.
pub(super) fn alone(i: Instruction, run: Handler) -> Translated {
    Translated::Last(Operation {
        run,
        a: i.rs(),
        b: i.rt(),
        c: i.rd(),
        d: SINK,
        imm: i.word as i32,
    })
}

/// The same, whose result goes to rt.
pub(super) fn alone_to(i: Instruction, run: Handler) -> Translated {
    let d = target(i.rt());
    Translated::Last(Operation { run, a: i.rs(), b: i.rt(), c: i.rd(), d, imm: i.word as i32 })
}

/// A branch on a condition of coprocessor 2.
pub(super) fn on_coprocessor(i: Instruction, ask: Handler, condition: Condition) -> Translated {
    let place = Place::If(condition, Where::Branch);
    let before = Operation { run: ask, a: 0, b: 0, c: i.cc(), d: ANSWER, imm: 0 };
    let before = Some(before);
    Translated::Branch(Branch { place, a: ANSWER, b: 0, link: SINK, is_likely: false, before })
}

/// Ends the block.
pub(super) fn last(_: Instruction, run: Handler, imm: i32) -> Translated {
    Translated::Last(Operation { run, a: 0, b: 0, c: 0, d: SINK, imm })
}

/// A hint.
pub(super) fn nothing(_: Instruction, _reason: &str) -> Translated {
    Translated::Nothing
}
