//! Operands of an operation as the field names them: a comparison, a memory access, a loop. What
//! reads them never looks at packed values or at mnemonics.

mod memory;

pub use memory::{MemoryAccess, MemoryHalf, SharedAccess, SharedAddress, SharedWords, WordHalf};

use crate::bundle::Inst;
use crate::footprint::Halves;
use crate::operand::{MoveReg, Operand, OperandKind, RegFile};
use crate::table::{Arith, Effects, Exch, Row, Unit};
use crate::{BundleAddress, Section};
use serde::{Deserialize, Serialize};

/// Format of the operands of a comparison: floats or integers, in the low halves or in both halves of the registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum OperandFormat {
    /// `s`: floats in the low halves.
    S,
    /// `w`: 32-bit integers in the low halves.
    W,
    /// `ps`: floats in both halves.
    Ps,
    /// `pw`: 32-bit integers in both halves.
    Pw,
}

impl OperandFormat {
    /// Returns the format with this number in the encoding: 0 to 3 for s, w, ps, pw. Higher bits are ignored.
    #[inline]
    pub const fn from_value(value: i32) -> Self {
        match value & 3 {
            0 => Self::S,
            1 => Self::W,
            2 => Self::Ps,
            _ => Self::Pw,
        }
    }

    /// Whether both halves are compared, so that the comparison sets two condition codes.
    #[inline]
    pub const fn is_pairwise(self) -> bool {
        matches!(self, Self::Ps | Self::Pw)
    }

    /// Whether the operands are integers, not floats.
    #[inline]
    pub const fn is_integer(self) -> bool {
        matches!(self, Self::W | Self::Pw)
    }
}

/// The operands of a comparison, an operation that sets condition codes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Comparison {
    /// Number of the relation in the encoding, 0 to 7; [`condition_name`](crate::condition_name) tells its name.
    pub relation: u8,
    /// Format of the values that are compared.
    pub format: OperandFormat,
    /// Number of the condition code that is set; if both halves are compared, that of the low halves, and the next one
    /// is set by the high halves.
    pub cc: u8,
}

impl Comparison {
    /// Returns the number of condition codes that the comparison sets: 2 if both halves are compared, otherwise 1.
    #[inline]
    pub const fn codes(&self) -> u8 {
        if self.format.is_pairwise() { 2 } else { 1 }
    }
}

/// Register of a section that `mfc` reads and `mtc` writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Creg {
    /// FCSR: sticky flags and cause of the exceptions of arithmetic.
    Fcsr,
    /// FCCR: the condition codes.
    Fccr,
}

impl Creg {
    /// Returns the register with this number in the encoding: 0 is FCSR, and every other number is taken for FCCR.
    #[inline]
    pub const fn from_value(value: i32) -> Self {
        if value == 0 { Self::Fcsr } else { Self::Fccr }
    }
}

/// The operands of `mtfpr` or `mffpr`, which move a value between an FPR and a general or index register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FprTransfer {
    /// Number of the FPR: the destination of `mtfpr`, the source of `mffpr`.
    pub register: i32,
    /// The general or index register: the source of `mtfpr`, the destination of `mffpr`.
    pub scalar: MoveReg,
    /// Section whose FPR takes part; `None` if `mtfpr` writes the FPR of all sections.
    pub section: Option<Section>,
}

/// Source of a 32-bit word that `psprmsgn` writes: which register and half the word comes from, and whether its sign is
/// flipped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PermutedWord {
    /// Source register from which the word comes: 0 for the first of the two, 1 for the next.
    pub register: usize,
    /// Half of the source register from which the word comes.
    pub half: Halves,
    /// Whether the highest bit of the word, its sign, is flipped on the way.
    pub is_flipped: bool,
}

/// The operands of `psprmsgn`, which fills the four 32-bit words of two FPRs with words of two other FPRs, some with
/// flipped signs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Permutation {
    /// Number of the first of the two FPRs that are written; the other is the next one.
    pub to: i32,
    /// Number of the first of the two FPRs that are read; the other is the next one.
    pub from: i32,
    /// Sources of the four words that are written: low and high half of the first register, low and high half of the
    /// next.
    pub words: [PermutedWord; 4],
}

impl PermutedWord {
    const fn from_value(value: i32) -> Self {
        Self {
            register: (value >> 1 & 1) as usize,
            half: Halves::named(value),
            is_flipped: value & 4 != 0,
        }
    }

    /// Returns the number, 0 to 3, of the source word among the four that are read: low and high half of the first
    /// register, low and high half of the next.
    #[inline]
    pub const fn number(self) -> i32 {
        2 * self.register as i32 + if self.half.contains(Halves::HI) { 1 } else { 0 }
    }
}

/// Operand that tells the number of iterations of a hardware loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum CountOperand {
    /// An immediate number of iterations.
    Immediate(u32),
    /// The number of iterations in the general register with this number.
    Gpr(u8),
}

impl Inst<Arith> {
    /// Returns the operands of the operation if it is a comparison; otherwise `None`.
    #[inline]
    pub fn comparison(&self) -> Option<Comparison> {
        (self.op == Arith::C).then(|| Comparison {
            relation: self.values[0] as u8,
            format: OperandFormat::from_value(self.values[1]),
            cc: self.values[2] as u8,
        })
    }

    /// Returns the operands of `amtsa`, which writes section addresses: the number of the address set, the number of
    /// the FPR that has the addresses, and the half of that FPR. `None` for other operations.
    #[inline]
    pub fn section_addresses(&self) -> Option<(u8, i32, Halves)> {
        (self.op == Arith::Amtsa).then(|| written_addresses(&self.values))
    }

    /// Returns the register that `mfc` reads or `mtc` writes; `None` for other operations.
    #[inline]
    pub fn creg(&self) -> Option<Creg> {
        let operands = self.op.row().operands.iter().zip(&self.values);
        let found = operands.clone().find(|(o, _)| o.kind == OperandKind::Creg);
        found.map(|(_, &value)| Creg::from_value(value))
    }
}

/// Returns the set, the FPR and its half of an operation that writes section addresses.
const fn written_addresses(values: &[i32]) -> (u8, i32, Halves) {
    (values[0] as u8 & 15, values[1] >> 1, Halves::named(values[1]))
}

impl Inst<Exch> {
    /// Returns the registers of a `move`, first the destination, then the source; `None` for other operations and if a
    /// register does not exist.
    #[inline]
    pub fn moved(&self) -> Option<(MoveReg, MoveReg)> {
        if self.op != Exch::Move {
            return None;
        }
        let [to, from, ..] = self.values;
        Some((MoveReg::from_packed(to)?, MoveReg::from_packed(from)?))
    }

    /// Returns the register that `seti` sets, and its new value; `None` for other operations.
    #[inline]
    pub fn set_immediate(&self) -> Option<(MoveReg, u16)> {
        let [packed, value, ..] = self.values;
        let file = || RegFile::from_seti((packed >> 4) as u8);
        (self.op == Exch::Seti)
            .then(|| (MoveReg { file: file(), number: (packed & 15) as u8 }, value as u16))
    }

    /// Returns the number of the address set that `clr` resets; `None` for other operations.
    #[inline]
    pub fn cleared_set(&self) -> Option<u8> {
        (self.op == Exch::Clr).then_some((self.values[0] & 15) as u8)
    }

    /// Returns the operands of `mtsa`, which writes section addresses: the number of the address set, the number of the
    /// FPR that has the addresses, and the half of that FPR. `None` for other operations.
    #[inline]
    pub fn section_addresses(&self) -> Option<(u8, i32, Halves)> {
        (self.op == Exch::Mtsa).then(|| written_addresses(&self.values))
    }

    /// Returns the operands of `mxfpr`, which writes the largest of the sections' values of one half of an FPR into a
    /// GPR: the number of the GPR, the number of the FPR, and the half. `None` for other operations.
    #[inline]
    pub fn largest(&self) -> Option<(u8, i32, Halves)> {
        let [gpr, packed, ..] = self.values;
        (self.op == Exch::Mxfpr).then(|| (gpr as u8, packed >> 1, Halves::named(packed)))
    }

    /// Returns the operands of `mtfpr` or `mffpr`: the registers and the section; `None` for other operations.
    #[inline]
    pub fn fpr_transfer(&self) -> Option<FprTransfer> {
        let (register, packed) = match self.op {
            Exch::Mtfpr => (self.values[0], self.values[1]),
            Exch::Mffpr => (self.values[1], self.values[0]),
            _ => return None,
        };
        let file = if packed < 16 { RegFile::Gpr } else { RegFile::Ireg };
        let scalar = MoveReg { file, number: (packed & 15) as u8 };
        let section = Section::new(self.values[2] as usize);
        Some(FprTransfer { register, scalar, section })
    }

    /// Returns the operands of the operation if it is `psprmsgn`, in either variant; otherwise `None`.
    #[inline]
    pub fn permutation(&self) -> Option<Permutation> {
        let [to, from, words @ ..] = self.values;
        (self.op.row().unit == Unit::Permute).then(|| Permutation {
            to,
            from,
            words: words.map(PermutedWord::from_value),
        })
    }

    /// Returns the operation in a form that can be encoded: `psprmsgn` with the opcode, of its two, that can name its
    /// destination. All other operations come back unchanged.
    #[inline]
    pub fn with_variant(mut self) -> Self {
        if self.op.row().unit == Unit::Permute
            && let Some(op) = Exch::permutation_to(self.values[0])
        {
            self.op = op;
        }
        self
    }

    /// Returns the number of the general register that the operation has as an operand of its own kind, read (`do`,
    /// `call`, `jump`, `stop`, `run`, `setsa`, `setq`, `lhgnp` and their kind) or written (`check_dma`, `mxfpr`).
    /// `None` for other operations, `move`, `seti`, `mtfpr` and `mffpr` among them.
    #[inline]
    pub fn gpr(&self) -> Option<u8> {
        let mut operands = self.op.row().operands.iter().zip(&self.values);
        let found = operands.find(|(o, _)| matches!(o.kind, OperandKind::Gpr(_)));
        found.map(|(_, &value)| value as u8)
    }

    /// Returns the number of the control register that a `move` writes; `None` for other operations and other
    /// destinations.
    #[inline]
    pub fn control_written(&self) -> Option<u8> {
        let (to, _) = self.moved()?;
        (to.file == RegFile::Control).then_some(to.number)
    }

    /// Returns the number of the control register that a `move` reads; `None` for other operations and other sources.
    #[inline]
    pub fn control_read(&self) -> Option<u8> {
        let (_, from) = self.moved()?;
        (from.file == RegFile::Control).then_some(from.number)
    }

    /// Returns the operands of `do` or `doi`, which start a hardware loop: the number of iterations, and the address of
    /// the last bundle but one of the body. `None` for other operations.
    #[inline]
    pub fn hardware_loop(&self) -> Option<(CountOperand, BundleAddress)> {
        let count = match self.op {
            Exch::Doi => CountOperand::Immediate(self.values[0] as u32),
            Exch::Do => CountOperand::Gpr(self.values[0] as u8),
            _ => return None,
        };
        Some((count, BundleAddress(self.values[1] as u16)))
    }

    /// Returns the address of a bundle that the operation names as an immediate: the target of a jump, call or `runi`,
    /// or the end of a hardware loop, which is its last bundle but one. `None` if there is no such operand.
    #[inline]
    pub fn target(&self) -> Option<BundleAddress> {
        let operands = self.op.row().operands.iter().zip(&self.values);
        let found = operands.clone().find(|(o, _)| o.kind == OperandKind::Target);
        found.map(|(_, &value)| BundleAddress(value as u16))
    }
}

impl Exch {
    /// Returns the variant of `psprmsgn` that can write to the FPR with this number and the next one: bit 5 of the
    /// number decides, so there always is one.
    #[inline]
    pub fn permutation_to(register: i32) -> Option<Self> {
        let reaches = |op: &Self| {
            let takes = |operand: &Operand| operand.write && operand.kind.reaches(register);
            op.row().operands.iter().any(takes)
        };
        [Self::Psprmsgn0, Self::Psprmsgn1].into_iter().find(reaches)
    }
}

impl Row {
    /// Returns the number of 64-bit words, 1 or 2, that a memory operation moves in each section; 1 for operations that
    /// move none.
    #[inline]
    pub fn words(&self) -> u8 {
        if self.effects.contains(Effects::DOUBLE) { 2 } else { 1 }
    }

    /// Whether the operation, in a bundle with predicate `cc`, executes only in the sections whose condition code `cc`
    /// is 1. False for `cc` 0, which is no predicate, and for operations that ignore predicates.
    #[inline]
    pub fn obeys(&self, cc: u8) -> bool {
        cc != 0 && self.effects.contains(Effects::PREDICATED)
    }

    /// Whether the operation, in a bundle with predicate `cc`, leaves its destination FPRs as they are in the sections
    /// that the predicate disables. False if it executes in every section, and if it writes zeros there.
    #[inline]
    pub fn keeps(&self, cc: u8) -> bool {
        self.obeys(cc) && !self.effects.contains(Effects::ZEROES)
    }
}
