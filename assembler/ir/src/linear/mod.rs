//! Linear code: operations in program order, with virtual registers. What the assembler reads
//! between `.linear` and `.endlinear`, what the scheduler turns into bundles, and what its checker
//! and interpreters take for the meaning. No timing here.
//!
//! The meaning is sequential: every operation, with all that it writes, is done before the next
//! begins, a loop runs its body as often as its count says.

mod access;
mod placed;
mod promise;

pub use access::FprAccess;
pub use placed::{ScheduledBundle, SlotOrigin};
pub use promise::CounterPromise;

use crate::diagnostic::Span;
use cp2_isa::{Arith, Core, Exch, Inst, MemoryHalf, Row};
use std::collections::BTreeMap;

/// Numbers that stand for physical registers, whichever core: those that the encoding reaches.
pub const PHYSICAL: usize = Core::WIDEST.fprs();

/// An FPR as linear code names it: physical below [`PHYSICAL`], virtual from there on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Reg(pub u32);

impl Reg {
    /// Returns the number of the physical register, if it is one.
    #[inline]
    pub fn physical(self) -> Option<u8> {
        (self.0 < PHYSICAL as u32).then_some(self.0 as u8)
    }

    /// Returns the index into [`Region::names`] of a virtual register; `None` for a physical one.
    #[inline]
    pub fn virtual_index(self) -> Option<usize> {
        self.0.checked_sub(PHYSICAL as u32).map(|i| i as usize)
    }

    /// Returns the virtual register with this index.
    #[inline]
    pub fn from_virtual(index: usize) -> Self {
        Self(PHYSICAL as u32 + index as u32)
    }
}

/// The operation of one line. In its operand values, FPR numbers from [`PHYSICAL`] on are virtual; an
/// operand that takes two registers holds the first, [`Region::next`] tells the second.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinearInst {
    /// For the arithmetic slot.
    Arith(Inst<Arith>),
    /// For the exchange slot.
    Exch(Inst<Exch>),
}

impl LinearInst {
    /// Returns the row of the operation in the table.
    #[inline]
    pub fn row(&self) -> &'static Row {
        match self {
            Self::Arith(inst) => inst.op.row(),
            Self::Exch(inst) => inst.op.row(),
        }
    }

    /// Whether both are the same operation, whatever its operands.
    pub fn is_same_operation(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Arith(a), Self::Arith(b)) => a.op == b.op,
            (Self::Exch(a), Self::Exch(b)) => a.op == b.op,
            _ => false,
        }
    }

    /// Whether the operation accesses memory at an address that counts 32-bit words.
    pub fn counts_halves(&self) -> bool {
        let Self::Exch(inst) = self else { return false };
        let half = inst.memory_access().and_then(|access| access.half);
        half.is_some_and(|half| matches!(half.memory, MemoryHalf::Address { .. }))
    }

    /// Returns the packed operand values.
    #[inline]
    pub fn values(&self) -> &[i32] {
        match self {
            Self::Arith(inst) => &inst.values,
            Self::Exch(inst) => &inst.values,
        }
    }
}

/// A line of linear code.
#[derive(Clone, Debug, PartialEq)]
pub struct Op {
    /// Condition code that enables sections, as in a bundle; 0 = all.
    pub cc: u8,
    /// The operation.
    pub code: LinearInst,
    /// Place where the operation was written; `None` for code made by the assembler.
    pub span: Option<Span>,
}

/// The number of times that a loop runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TripCount {
    /// The loop runs this often, at least once.
    Fixed(u32),
    /// The loop runs as often as the low 32 bits of a general register tell when the loop begins.
    Register {
        /// General register, which the body does not write.
        gpr: u8,
        /// The count is at least this (`min=`).
        min: u32,
        /// The count is a multiple of this (`multiple=`).
        multiple: u32,
    },
}

/// A loop.
#[derive(Clone, Debug, PartialEq)]
pub struct Loop {
    /// Number of times that the body runs.
    pub count: TripCount,
    /// The body; one that has no loop inside is modulo-scheduled.
    pub body: Vec<Block>,
    /// Place where `.loop` was written.
    pub span: Option<Span>,
}

/// A part of a region, in program order.
#[derive(Clone, Debug, PartialEq)]
pub enum Block {
    /// Operations without control flow: indices into [`Region::ops`].
    Straight(std::ops::Range<usize>),
    /// A loop.
    Loop(Loop),
}

/// A linear region.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Region {
    /// Name, for messages and reports.
    pub name: String,
    /// Every operation of the region in program order.
    pub ops: Vec<Op>,
    /// Blocks to which the operations belong.
    pub blocks: Vec<Block>,
    /// Names of the virtual registers, without the `%`.
    pub names: Vec<String>,
    /// For a register of which some operation takes "the next register" too: that register.
    /// For a physical register without an entry it is the one with the next number.
    pub next: BTreeMap<Reg, Reg>,
    /// Physical registers that virtual ones must be (`.assign`), by virtual index.
    pub assigned: BTreeMap<usize, u8>,
    /// Physical registers that must not be touched unless named (`.keep`).
    pub kept: Vec<u8>,
    /// Sets of address sets of which no two ever reach the same word (`.disjoint`); [`ABSOLUTE`]
    /// stands for immediate addresses, [`OWN`] for those of single sections.
    pub disjoint: Vec<Vec<u8>>,
    /// Address sets whose address is even where the region begins (`.even`).
    pub even: Vec<u8>,
    /// General registers that the scheduler may use for loop counts (`.scratch`).
    pub scratch: Vec<u8>,
    /// Place where `.linear` was written.
    pub span: Option<Span>,
}

/// In [`Region::disjoint`]: accesses with an immediate address.
pub const ABSOLUTE: u8 = 16;

/// In [`Region::disjoint`]: accesses of each section at an address of its own, `sections` in the text.
pub const OWN: u8 = 17;

/// Number of the places that [`Region::disjoint`] can name: 16 address sets, [`ABSOLUTE`], [`OWN`].
pub const PLACES: usize = 18;

/// Returns a name of [`Region::disjoint`] as it is written.
pub fn place_name(set: u8) -> String {
    match set {
        ABSOLUTE => "abs".into(),
        OWN => "sections".into(),
        set => format!("r{set}"),
    }
}

impl Region {
    /// Returns the register after `reg` where an operation takes two.
    #[inline]
    pub fn next(&self, reg: Reg) -> Option<Reg> {
        self.next.get(&reg).copied().or_else(|| {
            let after = reg.physical()?.checked_add(1)?;
            (usize::from(after) < PHYSICAL).then(|| Reg(u32::from(after)))
        })
    }

    /// Returns the name of a register as it is written.
    pub fn register_name(&self, reg: Reg) -> String {
        match reg.virtual_index() {
            Some(v) => format!("%{}", self.names.get(v).map_or("?", String::as_str)),
            None => format!("f{}", reg.0),
        }
    }

    /// Whether accesses through two address sets (or [`ABSOLUTE`]) never meet.
    #[inline]
    pub fn are_disjoint(&self, a: u8, b: u8) -> bool {
        a != b && self.disjoint.iter().any(|set| set.contains(&a) && set.contains(&b))
    }
}
