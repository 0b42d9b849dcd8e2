//! Resources that operations use and define: registers by half, memory by words, flags.

use crate::WordAddress;
use crate::control;
use crate::operand::{MoveReg, RegFile};
use crate::registers::Storage;
use serde::{Deserialize, Serialize};

bitflags::bitflags! {
    /// A set of the two 32-bit halves of a 64-bit register or word.
    #[derive(
        Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
    )]
    pub struct Halves: u8 {
        /// Low half: bits 31:0.
        const LO = 1;
        /// High half: bits 63:32.
        const HI = 2;
    }
}

impl Halves {
    /// Both halves: all 64 bits.
    pub const BOTH: Self = Self::all();

    /// Returns the half that bit 0 of `value`, the packed value of an operand, names: 1 is the high half, 0 the low
    /// one.
    pub const fn named(value: i32) -> Self {
        if value & 1 == 1 { Self::HI } else { Self::LO }
    }

    /// Returns the mask, over 64 bits, of the bits that belong to the halves of the set.
    #[inline]
    pub const fn mask(self) -> u64 {
        let low = if self.contains(Self::LO) { 0xffff_ffff } else { 0 };
        let high = if self.contains(Self::HI) { 0xffff_ffff << 32 } else { 0 };
        low | high
    }
}

/// A resource that an operation can read or write: a register, a part of one, or memory. Resources of a section, such
/// as FPRs, stand for those of any section; [`Access::sections`](crate::Access::sections) tells of which.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Resource {
    /// Halves of the FPR with this number.
    Fpr(u8, Halves),
    /// Condition code with this number, 0 to 7.
    Fccr(u8),
    /// Register FCSR of a section: sticky flags and cause of the exceptions of arithmetic.
    Fcsr,
    /// General register with this number, 0 to 15.
    Gpr(u8),
    /// Index register with this number, 0 to 15.
    Ireg(u8),
    /// Register An, the address, of the address set with this number.
    A(u8),
    /// Register Nn, the step, of the address set with this number.
    N(u8),
    /// Register Mn, the mode, of the address set with this number.
    M(u8),
    /// Section addresses of the address set with this number: an address of local memory in each section (extension
    /// `section-addressing`).
    SectionA(u8),
    /// Shared address of the address set with this number: an address of shared memory (extension `shared-memory`).
    SharedA(u8),
    /// All of shared memory, the memory that the sections have in common (extension `shared-memory`).
    Shared,
    /// Control register with this number ([`control`](crate::control)). Of STATUS only the bits that [`Resource::Fpe`]
    /// and [`Resource::Mailbox`] do not stand for.
    Control(u8),
    /// Field FPE of STATUS: the sticky exceptions of arithmetic of all sections together.
    Fpe,
    /// Bits COMMCP2 and COMMK64 of STATUS, which tell whether the mailbox COMM was written and not yet read.
    Mailbox,
    /// Words of local memory.
    Memory(Words),
}

/// Words of the local memory of a section that one access of local memory touches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Words {
    /// Number of words in each section: 1, or 2 at consecutive addresses.
    pub count: u8,
    /// Position of the first word: its address if the bundle tells it, otherwise the registers that hold the address.
    pub from: WordsFrom,
}

/// Position of the first word of an access of local memory, as far as the bundle tells it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum WordsFrom {
    /// The address of the first word, which the bundle tells.
    Word(WordAddress),
    /// The word to which register An of the address set with this number points.
    Set(u8),
    /// In every section the word to which an address of that section points: a section address, or one in an FPR.
    Sections,
}

impl Resource {
    /// Returns the part that both resources have in common, or `None` if there is none. Of two FPRs the part is the
    /// halves of both; of other resources it is `self` as a whole. Accesses of local memory have words in common unless
    /// the bundles show that they do not.
    pub fn common(self, other: Self) -> Option<Self> {
        match (self, other) {
            (Self::Fpr(n, x), Self::Fpr(m, y)) => {
                (n == m && x.intersects(y)).then_some(Self::Fpr(n, x & y))
            }
            _ => self.overlaps(other).then_some(self),
        }
    }

    /// Whether the two resources have bits in common. Accesses of local memory count as overlapping unless the bundles
    /// show that their words differ.
    pub fn overlaps(self, other: Self) -> bool {
        match (self, other) {
            (Self::Fpr(a, x), Self::Fpr(b, y)) => a == b && x.intersects(y),
            (Self::Memory(a), Self::Memory(b)) => a.may_meet(b),
            _ => self == other,
        }
    }

    /// Returns the resource that stands for a register which `move` copies from or to.
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
    /// Whether the two accesses may touch a common word. Only two known addresses can show that they do not.
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
    /// Returns the kind of register or memory that the resource is a part of; control registers LC, LA and LSP belong
    /// to the loop stack, PSP to the call stack.
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
