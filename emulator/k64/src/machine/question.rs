//! Loops that only ask: whether the turn of a loop does nothing but look at an answer, and which bits of the answer
//! decide whether there is another turn.

use crate::isa::{Instruction, Operation as Op};

/// Bits of a value of 64 bits that are 0 in a value that was extended from 32 bits without its sign.
const UPPER: u64 = !0 << 32;

/// Dependence of the bits of an operand on the bits of the result that somebody looks at.
enum Needs {
    /// All bits of the operands decide every bit of the result.
    All,
    /// Bits of the mask are the same in operand and result; the others decide nothing.
    Masked(u64),
    /// The result is the operand, moved to the left by so many bits, or to the right if the number is negative; of the
    /// operand only bits of the mask count.
    Moved { left: i32, of: u64 },
}

impl Needs {
    /// Returns the bits of an operand that decide `bits` of the result.
    fn of(&self, bits: u64) -> u64 {
        match (bits, self) {
            (0, _) => 0,
            (_, Self::All) => !0,
            (_, Self::Masked(mask)) => bits & mask,
            (_, Self::Moved { left, of }) => {
                let amount = left.unsigned_abs();
                of & if *left >= 0 { bits >> amount } else { bits << amount }
            }
        }
    }
}

/// Effect of an instruction that only computes or branches.
struct Effect {
    /// Registers that it reads; 0 stands for none.
    reads: [u8; 2],
    /// Register that it writes; `None` for a branch, whose way all bits that it reads decide.
    writes: Option<u8>,
    needs: Needs,
}

/// Returns the bits of a word that decide `bits` of the same word with its sign extended to 64 bits.
fn before_extension(bits: u64) -> u64 {
    bits & !UPPER | u64::from(bits & UPPER != 0) << 31
}

/// Returns the bits of a field of `size` bits, from bit 0 on.
fn low_bits(size: u32) -> u64 {
    !0 >> (64 - size.clamp(1, 64))
}

/// Returns the effect of an instruction on registers; `None` if it may do anything else, such as raise an exception,
/// or reach memory.
fn effect(i: Instruction) -> Option<Effect> {
    let branch = |reads| Effect { reads, writes: None, needs: Needs::All };
    let three = |needs| Effect { reads: [i.rs(), i.rt()], writes: Some(i.rd()), needs };
    let immediate = |needs| Effect { reads: [i.rs(), 0], writes: Some(i.rt()), needs };
    let shift = |needs| Effect { reads: [i.rt(), 0], writes: Some(i.rd()), needs };
    let moved = |left: i32, of| Needs::Moved { left, of };
    let amount = i32::from(i.sa());
    Some(match i.operation {
        Op::Beq | Op::Bne => branch([i.rs(), i.rt()]),
        Op::Blez | Op::Bgtz | Op::Bltz | Op::Bgez => branch([i.rs(), 0]),
        Op::J => branch([0, 0]),
        Op::Or if i.rs() == 0 || i.rt() == 0 => three(Needs::Masked(!0)),
        Op::Addu | Op::Daddu | Op::Subu | Op::Dsubu => three(Needs::All),
        Op::And | Op::Or | Op::Xor | Op::Nor | Op::Slt | Op::Sltu => three(Needs::All),
        Op::Andi => immediate(Needs::Masked(u64::from(i.imm() as u16))),
        Op::Addiu | Op::Daddiu | Op::Slti | Op::Sltiu | Op::Ori | Op::Xori | Op::Lui => {
            immediate(Needs::All)
        }
        Op::Dsll => shift(moved(amount, !0)),
        Op::Dsll32 => shift(moved(amount + 32, !0)),
        Op::Dsrl => shift(moved(-amount, !0)),
        Op::Dsrl32 => shift(moved(-amount - 32, !0)),
        // A shift of 32 bits extends the sign of its result.
        Op::Sll | Op::Srl | Op::Sra | Op::Dsra | Op::Dsra32 => shift(Needs::All),
        Op::Dext => immediate(moved(-amount, low_bits(u32::from(i.rd()) + 1) << amount)),
        Op::Dextm => immediate(moved(-amount, low_bits(u32::from(i.rd()) + 33) << amount)),
        Op::Dextu => {
            immediate(moved(-amount - 32, low_bits(u32::from(i.rd()) + 1) << (amount + 32)))
        }
        Op::Ext => immediate(Needs::All),
        _ => return None,
    })
}

/// Whether an instruction only computes with registers, or branches: whether it may stand in a loop that only asks.
pub(super) fn is_pure(i: Instruction) -> bool {
    effect(i).is_some()
}

/// Whether a pure instruction is a branch, which has a delay slot.
pub(super) fn is_branch(i: Instruction) -> bool {
    effect(i).is_some_and(|effect| effect.writes.is_none())
}

/// Returns the bits of an answer that decide whether a loop goes on: `asks` is the instruction that asks and writes the
/// answer to its register rt, `turn` the pure instructions that were done behind it until it came again. `None` if
/// something of a turn is left to the next one, but for values that never change: then more than the last answer counts.
pub(super) fn deciding_bits(asks: Instruction, turn: &[Instruction]) -> Option<u64> {
    let effects: Vec<Effect> = turn.iter().map(|i| effect(*i)).collect::<Option<_>>()?;
    let written = effects.iter().filter_map(|e| e.writes).fold(1 << asks.rt(), with);
    let base = if matches!(asks.operation, Op::Lw | Op::Lwu) { asks.rs() } else { 0 };
    // The instruction that asks reads its base before it writes.
    let (mut fresh, mut early) = (1_u32 << asks.rt(), with(0, base));
    for effect in &effects {
        early |= effect.reads.iter().fold(0, |set, read| with(set, *read)) & !fresh;
        fresh = effect.writes.map_or(fresh, |register| with(fresh, register));
    }
    // Register 0 never changes.
    if early & written & !1 != 0 {
        return None;
    }
    // The loop may end by the first branch or a later one. What is not written again before, a program can see then.
    let first = effects.iter().position(|e| e.writes.is_none()).map_or(0, |branch| branch + 2);
    let renewed = effects.iter().take(first).filter_map(|e| e.writes).fold(1 << asks.rt(), with);
    let mut wanted: [u64; 32] =
        std::array::from_fn(|r| if (written & !renewed) >> r & 1 != 0 { !0 } else { 0 });
    for Effect { reads, writes, needs } in effects.iter().rev() {
        let bits = match writes {
            None => !0,
            Some(register) => std::mem::take(&mut wanted[usize::from(*register)]),
        };
        for read in reads {
            wanted[usize::from(*read)] |= needs.of(bits);
        }
    }
    let bits = wanted[usize::from(asks.rt())];
    match asks.operation {
        Op::Dmfc2 => Some(bits),
        Op::Mfc2 | Op::Lw => Some(before_extension(bits)),
        Op::Lwu => Some(bits & !UPPER),
        _ => None,
    }
}

/// Returns a set of registers with another one, a bit for each.
fn with(set: u32, register: u8) -> u32 {
    set | 1 << register
}
