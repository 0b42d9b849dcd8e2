//! Resources that operations use and define: registers by half, memory by words, flags.

use crate::WordAddress;
use crate::control;
use crate::operand::{MoveReg, RegFile};
use crate::registers::Storage;
use serde::{Deserialize, Serialize};

bitflags::bitflags! {
    /// Halves of a 64-bit register.
    #[derive(
        Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
    )]
    pub struct Halves: u8 {
        /// Bits 31:0.
        const LO = 1;
        /// Bits 63:32.
        const HI = 2;
    }
}

impl Halves {
    /// All 64 bits.
    pub const BOTH: Self = Self::all();

    /// Returns the half that bit 0 of an operand names: 1 is the high one.
    pub const fn named(value: i32) -> Self {
        if value & 1 == 1 { Self::HI } else { Self::LO }
    }

    /// Returns the halves that the set does not have.
    pub const fn others(self) -> Self {
        self.complement()
    }

    /// Returns the bits of a 64-bit register that the halves have.
    #[inline]
    pub const fn mask(self) -> u64 {
        let low = if self.contains(Self::LO) { 0xffff_ffff } else { 0 };
        let high = if self.contains(Self::HI) { 0xffff_ffff << 32 } else { 0 };
        low | high
    }
}

/// A resource that an operation can use or define.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Resource {
    /// Halves of an FPR.
    Fpr(u8, Halves),
    /// A condition code, by its number.
    Fccr(u8),
    /// Flags and cause.
    Fcsr,
    /// General register.
    Gpr(u8),
    /// Index register.
    Ireg(u8),
    /// Address.
    A(u8),
    /// Address step.
    N(u8),
    /// Address mode.
    M(u8),
    /// The section addresses of a set.
    SectionA(u8),
    /// The shared address of a set.
    SharedA(u8),
    /// All of shared memory.
    Shared,
    /// Control register; of STATUS what the following two are not.
    Control(u8),
    /// STATUS.FPE.
    Fpe,
    /// STATUS.COMMCP2 and STATUS.COMMK64.
    Mailbox,
    /// Words of local memory.
    Memory(Words),
}

/// Words of local memory that one access touches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Words {
    /// Number of words in each section: 1, or 2 that follow each other.
    pub count: u8,
    /// First word of the access, if the bundle says which it is; otherwise the place from which the access takes the address.
    pub from: WordsFrom,
}

/// The way in which an access finds its words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum WordsFrom {
    /// From this word on.
    Word(WordAddress),
    /// From where this address set points.
    Set(u8),
    /// In every section from where its own address points, which is in a section address or in an FPR.
    Sections,
}

impl Resource {
    /// Returns the bits that two resources have in common; of memory, those that they may have in common.
    pub fn common(self, other: Self) -> Option<Self> {
        match (self, other) {
            (Self::Fpr(n, x), Self::Fpr(m, y)) => {
                (n == m && x.intersects(y)).then_some(Self::Fpr(n, x & y))
            }
            _ => self.overlaps(other).then_some(self),
        }
    }

    /// Whether two accesses touch the same bits, for certain or possibly.
    pub fn overlaps(self, other: Self) -> bool {
        match (self, other) {
            (Self::Fpr(a, x), Self::Fpr(b, y)) => a == b && x.intersects(y),
            (Self::Memory(a), Self::Memory(b)) => a.may_meet(b),
            _ => self == other,
        }
    }

    /// Returns the register that a `move` names.
    pub fn of_move(reg: MoveReg) -> Self {
        let n = reg.number;
        match reg.file {
            RegFile::Gpr => Self::Gpr(n),
            RegFile::Control => Self::Control(n),
            RegFile::A => Self::A(n),
            RegFile::N => Self::N(n),
            RegFile::M => Self::M(n),
            RegFile::Ireg => Self::Ireg(n),
        }
    }
}

impl Words {
    /// Whether both can touch a common word.
    pub fn may_meet(self, other: Self) -> bool {
        match (self.from, other.from) {
            (WordsFrom::Word(a), WordsFrom::Word(b)) => {
                a < b.plus(other.count.into()) && b < a.plus(self.count.into())
            }
            _ => true,
        }
    }
}

impl Resource {
    /// Returns the kind of register or memory that the resource is a part of.
    pub fn storage(self) -> Storage {
        match self {
            Self::Fpr(..) => Storage::Fpr,
            Self::Fccr(_) => Storage::Fccr,
            Self::Fcsr => Storage::Fcsr,
            Self::Gpr(_) => Storage::Gpr,
            Self::Ireg(_) => Storage::Ireg,
            Self::A(_) => Storage::A,
            Self::N(_) => Storage::N,
            Self::M(_) => Storage::M,
            Self::SectionA(_) => Storage::SectionA,
            Self::SharedA(_) => Storage::SharedA,
            Self::Shared => Storage::Shared,
            Self::Control(control::PSP) => Storage::Calls,
            // LC, LA and LSP show the loops.
            Self::Control(n) => Storage::of_control(n).unwrap_or(Storage::Loops),
            Self::Fpe | Self::Mailbox => Storage::Status,
            Self::Memory(_) => Storage::Lmem,
        }
    }
}

impl std::fmt::Display for Resource {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let name = self.storage().info().name;
        match *self {
            Self::Fpr(n, Halves::LO) => write!(f, "{name}{n}.lo"),
            Self::Fpr(n, Halves::HI) => write!(f, "{name}{n}.hi"),
            Self::Fpr(n, _)
            | Self::Gpr(n)
            | Self::Ireg(n)
            | Self::A(n)
            | Self::N(n)
            | Self::M(n)
            | Self::SectionA(n)
            | Self::SharedA(n) => {
                write!(f, "{name}{n}")
            }
            Self::Fcsr => f.write_str(name),
            Self::Shared => f.write_str(name.trim_end()),
            Self::Fccr(n) => write!(f, "cc{n}"),
            Self::Control(n) => f.write_str(crate::control_name(n)),
            Self::Fpe => write!(f, "{name}.fpe"),
            Self::Mailbox => write!(f, "{name}.comm"),
            Self::Memory(Words { count, from: WordsFrom::Word(first) }) => {
                write!(f, "[{first}..{}]", first.0 + u16::from(count) - 1)
            }
            Self::Memory(Words { from: WordsFrom::Set(set), .. }) => write!(f, "[(r{set})]"),
            Self::Memory(Words { from: WordsFrom::Sections, .. }) => f.write_str("[each section]"),
        }
    }
}
