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

/// Format of the operands that a comparison compares: type, and one half or both.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum OperandFormat {
    /// Floats in the low halves.
    S,
    /// Integers in the low halves.
    W,
    /// Floats in both halves.
    Ps,
    /// Integers in both halves.
    Pw,
}

impl OperandFormat {
    /// Returns the format with this number in the encoding.
    #[inline]
    pub const fn from_value(value: i32) -> Self {
        match value & 3 {
            0 => Self::S,
            1 => Self::W,
            2 => Self::Ps,
            _ => Self::Pw,
        }
    }

    /// Whether both halves are compared, which sets two condition codes.
    #[inline]
    pub const fn is_pairwise(self) -> bool {
        matches!(self, Self::Ps | Self::Pw)
    }

    /// Whether integers are compared.
    #[inline]
    pub const fn is_integer(self) -> bool {
        matches!(self, Self::W | Self::Pw)
    }
}

/// A comparison, which sets condition codes: what its operands say.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Comparison {
    /// Number of the relation in the encoding, 0 to 7.
    pub relation: u8,
    /// Format of the values that are compared.
    pub format: OperandFormat,
    /// Number of the first condition code that is set; the next is set too if both halves are compared.
    pub cc: u8,
}

impl Comparison {
    /// Returns the number of condition codes that the comparison sets.
    #[inline]
    pub const fn codes(&self) -> u8 {
        if self.format.is_pairwise() { 2 } else { 1 }
    }
}

/// A register that `mfc` reads and `mtc` writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Creg {
    /// Flags and cause.
    Fcsr,
    /// Condition codes.
    Fccr,
}

impl Creg {
    /// Returns the register with this number in the encoding.
    #[inline]
    pub const fn from_value(value: i32) -> Self {
        if value == 0 { Self::Fcsr } else { Self::Fccr }
    }
}

/// A move between an FPR and a general or index register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FprTransfer {
    /// Number of the FPR that gives the value or takes it.
    pub register: i32,
    /// The general or index register on the other side.
    pub scalar: MoveReg,
    /// Section whose FPR takes part; `None` for all sections.
    pub section: Option<Section>,
}

/// A 32-bit word that a permutation writes: where it comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PermutedWord {
    /// Index of the source register, 0 or 1, from which the word comes.
    pub register: usize,
    /// Half of the source register from which the word comes.
    pub half: Halves,
    /// Whether the sign of the word is flipped.
    pub is_flipped: bool,
}

/// A permutation with signs (`psprmsgn`): four 32-bit words of two registers, put into two others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Permutation {
    /// The first of the two registers that are written.
    pub to: i32,
    /// The first of the two registers that are read.
    pub from: i32,
    /// Low and high word of the first register that is written, then of the next.
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

    /// Returns the number of the word among the four that are read.
    #[inline]
    pub const fn number(self) -> i32 {
        2 * self.register as i32 + if self.half.contains(Halves::HI) { 1 } else { 0 }
    }
}

/// The number of iterations of a hardware loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum CountOperand {
    /// An immediate number of iterations.
    Immediate(u32),
    /// The number of iterations in the general register with this number.
    Gpr(u8),
}

impl Inst<Arith> {
    /// Returns the comparison, if the operation is one.
    #[inline]
    pub fn comparison(&self) -> Option<Comparison> {
        (self.op == Arith::C).then(|| Comparison {
            relation: self.values[0] as u8,
            format: OperandFormat::from_value(self.values[1]),
            cc: self.values[2] as u8,
        })
    }

    /// Returns the set whose section addresses `amtsa` writes, the FPR that has the addresses and the half of that FPR.
    #[inline]
    pub fn section_addresses(&self) -> Option<(u8, i32, Halves)> {
        (self.op == Arith::Amtsa).then(|| written_addresses(&self.values))
    }

    /// Returns the register that `mfc` reads or `mtc` writes.
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
    /// Returns the destination and the source of a `move`.
    #[inline]
    pub fn moved(&self) -> Option<(MoveReg, MoveReg)> {
        if self.op != Exch::Move {
            return None;
        }
        let [to, from, ..] = self.values;
        Some((MoveReg::from_packed(to)?, MoveReg::from_packed(from)?))
    }

    /// Returns the register that `seti` sets, and its new value.
    #[inline]
    pub fn set_immediate(&self) -> Option<(MoveReg, u16)> {
        let [packed, value, ..] = self.values;
        let file = || RegFile::from_seti((packed >> 4) as u8);
        (self.op == Exch::Seti)
            .then(|| (MoveReg { file: file(), number: (packed & 15) as u8 }, value as u16))
    }

    /// Returns the address set that `clr` resets.
    #[inline]
    pub fn cleared_set(&self) -> Option<u8> {
        (self.op == Exch::Clr).then_some((self.values[0] & 15) as u8)
    }

    /// Returns the set whose section addresses `mtsa` writes, the FPR that has the addresses and the half of that FPR.
    #[inline]
    pub fn section_addresses(&self) -> Option<(u8, i32, Halves)> {
        (self.op == Exch::Mtsa).then(|| written_addresses(&self.values))
    }

    /// Returns the GPR that gets the largest of a half of an FPR, that FPR and the half.
    #[inline]
    pub fn largest(&self) -> Option<(u8, i32, Halves)> {
        let [gpr, packed, ..] = self.values;
        (self.op == Exch::Mxfpr).then(|| (gpr as u8, packed >> 1, Halves::named(packed)))
    }

    /// Returns the registers and the section of a `mtfpr` or `mffpr`.
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

    /// Returns the permutation, if the operation is one.
    #[inline]
    pub fn permutation(&self) -> Option<Permutation> {
        let [to, from, words @ ..] = self.values;
        (self.op.row().unit == Unit::Permute).then(|| Permutation {
            to,
            from,
            words: words.map(PermutedWord::from_value),
        })
    }

    /// Returns a permutation in the variant that can name its destination; other operations as they are.
    #[inline]
    pub fn with_variant(mut self) -> Self {
        if self.op.row().unit == Unit::Permute
            && let Some(op) = Exch::permutation_to(self.values[0])
        {
            self.op = op;
        }
        self
    }

    /// Returns the general register that a control operation reads, or that `check_dma` writes.
    #[inline]
    pub fn gpr(&self) -> Option<u8> {
        let mut operands = self.op.row().operands.iter().zip(&self.values);
        let found = operands.find(|(o, _)| matches!(o.kind, OperandKind::Gpr(_)));
        found.map(|(_, &value)| value as u8)
    }

    /// Returns the control register that a `move` writes.
    #[inline]
    pub fn control_written(&self) -> Option<u8> {
        let (to, _) = self.moved()?;
        (to.file == RegFile::Control).then_some(to.number)
    }

    /// Returns the control register that a `move` reads.
    #[inline]
    pub fn control_read(&self) -> Option<u8> {
        let (_, from) = self.moved()?;
        (from.file == RegFile::Control).then_some(from.number)
    }

    /// Returns the count and the end of the hardware loop that the operation starts.
    #[inline]
    pub fn hardware_loop(&self) -> Option<(CountOperand, BundleAddress)> {
        let count = match self.op {
            Exch::Doi => CountOperand::Immediate(self.values[0] as u32),
            Exch::Do => CountOperand::Gpr(self.values[0] as u8),
            _ => return None,
        };
        Some((count, BundleAddress(self.values[1] as u16)))
    }

    /// Returns the bundle that an immediate operand names: where the operation jumps to, or the end of a loop.
    #[inline]
    pub fn target(&self) -> Option<BundleAddress> {
        let operands = self.op.row().operands.iter().zip(&self.values);
        let found = operands.clone().find(|(o, _)| o.kind == OperandKind::Target);
        found.map(|(_, &value)| BundleAddress(value as u16))
    }
}

impl Exch {
    /// Returns the permutation that can write to this register and the next one.
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
    /// Returns the number of words that a memory operation moves in a section.
    #[inline]
    pub fn words(&self) -> u8 {
        if self.effects.contains(Effects::DOUBLE) { 2 } else { 1 }
    }

    /// Whether an operation under this condition code executes only where it holds.
    #[inline]
    pub fn obeys(&self, cc: u8) -> bool {
        cc != 0 && self.effects.contains(Effects::PREDICATED)
    }

    /// Whether the FPRs that the operation writes stay as they are where predicate `cc` disables a section.
    #[inline]
    pub fn keeps(&self, cc: u8) -> bool {
        self.obeys(cc) && !self.effects.contains(Effects::ZEROES)
    }
}
