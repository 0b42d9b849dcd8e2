//! The shapes of operations: which fields of an instruction are the registers and the immediate that a handler
//! works on. Which operation has which shape and handler is in `translate`.

use super::flow::Condition;
use super::operation::{Handler, Operation};
use crate::isa::Instruction;
use crate::registers::{ANSWER, CONDITION, FPR, SINK, target};

/// Translation of an instruction.
pub(super) enum Translated {
    /// No operation: the instruction does nothing that a program can see.
    Nothing,
    /// Operation within a block.
    Operation(Operation),
    /// Operation behind which the block ends.
    Last(Operation),
    /// Branch or jump, which has a delay slot.
    Branch(Branch),
}

/// Encoding of the target of a branch or jump.
#[derive(Clone, Copy)]
pub(super) enum Where {
    /// Distance from the delay slot.
    Branch,
    /// Address within the 256 MiB region of the delay slot.
    Jump,
}

/// Target of a branch or jump, with its condition.
#[derive(Clone, Copy)]
pub(super) enum BranchTarget {
    /// Jump to the address in a register.
    Register(u8),
    /// Jump, or branch that is always taken.
    Always(Where),
    /// Branch that is taken if the condition holds.
    If(Condition, Where),
}

/// Branch or jump.
#[derive(Clone, Copy)]
pub(super) struct Branch {
    pub(super) place: BranchTarget,
    pub(super) a: u8,
    pub(super) b: u8,
    /// Register for the address behind the delay slot, or the sink.
    pub(super) link: u8,
    pub(super) is_likely: bool,
    /// Operation that runs before the branch, for a condition that is not in a register.
    pub(super) before: Option<Operation>,
}

/// Creates an operation on these registers and immediate.
fn with(run: Handler, [a, b, c, d]: [u8; 4], imm: i32) -> Translated {
    Translated::Operation(Operation { run, a, b, c, d, imm })
}

/// Translates an instruction to an operation on any registers and immediate.
pub(super) fn operation(_: Instruction, run: Handler, registers: [u8; 4], imm: i32) -> Translated {
    with(run, registers, imm)
}

/// Translates an instruction with result rd and operands rs and rt.
pub(super) fn three(i: Instruction, run: Handler) -> Translated {
    with(run, [i.rs(), i.rt(), 0, target(i.rd())], 0)
}

/// Translates an instruction with result rt and operands rs and a signed immediate.
pub(super) fn signed(i: Instruction, run: Handler) -> Translated {
    with(run, [i.rs(), 0, 0, target(i.rt())], i32::from(i.imm()))
}

/// Translates an instruction with result rt and operands rs and an unsigned immediate.
pub(super) fn unsigned(i: Instruction, run: Handler) -> Translated {
    with(run, [i.rs(), 0, 0, target(i.rt())], i32::from(i.imm() as u16))
}

/// Translates a shift with result rd and operands rt and the amount in rs.
pub(super) fn shift_variable(i: Instruction, run: Handler) -> Translated {
    with(run, [i.rt(), i.rs(), 0, target(i.rd())], 0)
}

/// Translates a shift with result rd and operands rt and the amount in the word, to which `more` is added.
pub(super) fn shift(i: Instruction, run: Handler, more: i32) -> Translated {
    if i.rd() == 0 {
        return Translated::Nothing;
    }
    with(run, [i.rt(), 0, 0, target(i.rd())], i32::from(i.sa()) + more)
}

/// Translates an instruction with result rd and operand `a`.
pub(super) fn one(i: Instruction, run: Handler, a: u8) -> Translated {
    with(run, [a, 0, 0, target(i.rd())], 0)
}

/// Translates an instruction on a bit field: result rt, operands rs and rt, `lsb` and size of the field.
pub(super) fn field(i: Instruction, run: Handler, lsb: u8, size: i32) -> Translated {
    // Sizes that no encoding of the architecture has are unpredictable; these keep shifts in range.
    let size = size.clamp(1, 64 - i32::from(lsb));
    with(run, [i.rs(), i.rt(), lsb, target(i.rt())], size)
}

/// Translates a load to rt; loads of parts of unaligned values read rt too.
pub(super) fn load(i: Instruction, run: Handler) -> Translated {
    with(run, [i.rs(), i.rt(), 0, target(i.rt())], i32::from(i.imm()))
}

/// Translates a store of rt.
pub(super) fn store(i: Instruction, run: Handler) -> Translated {
    with(run, [i.rs(), i.rt(), 0, SINK], i32::from(i.imm()))
}

/// Translates a trap that compares two registers; its code of 10 bits is the immediate of the operation.
pub(super) fn trap(i: Instruction, run: Handler) -> Translated {
    with(run, [i.rs(), i.rt(), 0, SINK], (i.word >> 6 & 0x3ff) as i32)
}

/// Translates a trap that compares a register with an immediate, and has no code; `c` is 1.
pub(super) fn trap_immediate(i: Instruction, run: Handler) -> Translated {
    with(run, [i.rs(), 0, 1, SINK], i32::from(i.imm()))
}

/// Translates a branch that compares rs with rt, or with 0 where rt is part of the code.
pub(super) fn branch(i: Instruction, condition: Condition) -> Translated {
    let b = if matches!(condition, Condition::Equal | Condition::Unequal) { i.rt() } else { 0 };
    if condition == Condition::Equal && i.rs() == b {
        return jump(i, BranchTarget::Always(Where::Branch), SINK);
    }
    let place = BranchTarget::If(condition, Where::Branch);
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

/// Translates a branch on a condition of the FPU.
pub(super) fn on_condition(i: Instruction, condition: Condition, is_likely: bool) -> Translated {
    let place = BranchTarget::If(condition, Where::Branch);
    Translated::Branch(Branch {
        place,
        a: CONDITION + i.cc(),
        b: 0,
        link: SINK,
        is_likely,
        before: None,
    })
}

/// Translates a jump; `link` is the register for the address behind the delay slot, or the sink.
pub(super) fn jump(_: Instruction, place: BranchTarget, link: u8) -> Translated {
    Translated::Branch(Branch { place, a: 0, b: 0, link, is_likely: false, before: None })
}

/// Translates an instruction with result fd and operands fs and ft.
pub(super) fn float3(i: Instruction, run: Handler) -> Translated {
    with(run, [FPR + i.rd(), FPR + i.rt(), 0, FPR + i.sa()], 0)
}

/// Translates an instruction with result fd and operand fs.
pub(super) fn float2(i: Instruction, run: Handler) -> Translated {
    with(run, [FPR + i.rd(), 0, 0, FPR + i.sa()], 0)
}

/// Translates an instruction with result fd and operands fs, ft and fr.
pub(super) fn float4(i: Instruction, run: Handler) -> Translated {
    with(run, [FPR + i.rd(), FPR + i.rt(), FPR + i.rs(), FPR + i.sa()], 0)
}

/// Translates a move from fs to fd under the condition in register `b`.
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

/// Translates an instruction that is done alone, on what is outside of the registers; the immediate is the word of the
/// instruction.
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

/// Translates an instruction that is done alone and writes rt; the immediate is the word of the instruction.
pub(super) fn alone_to(i: Instruction, run: Handler) -> Translated {
    let d = target(i.rt());
    Translated::Last(Operation { run, a: i.rs(), b: i.rt(), c: i.rd(), d, imm: i.word as i32 })
}

/// Translates a branch on a condition of coprocessor 2, which the operation `ask` reads before the branch.
pub(super) fn on_coprocessor(i: Instruction, ask: Handler, condition: Condition) -> Translated {
    let place = BranchTarget::If(condition, Where::Branch);
    let before = Operation { run: ask, a: 0, b: 0, c: i.cc(), d: ANSWER, imm: 0 };
    let before = Some(before);
    Translated::Branch(Branch { place, a: ANSWER, b: 0, link: SINK, is_likely: false, before })
}

/// Translates an instruction that ends its block and writes no register.
pub(super) fn last(_: Instruction, run: Handler, imm: i32) -> Translated {
    Translated::Last(Operation { run, a: 0, b: 0, c: 0, d: SINK, imm })
}

/// Translates an instruction that does nothing, such as a hint.
pub(super) fn nothing(_: Instruction, _reason: &str) -> Translated {
    Translated::Nothing
}
