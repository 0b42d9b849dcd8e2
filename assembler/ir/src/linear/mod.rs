//! Linear code: operations in program order, with virtual registers. The assembler reads it between `.linear` and
//! `.endlinear`, the scheduler turns it into bundles, and its checker and interpreters take it for the meaning. No
//! timing here.
//!
//! The meaning is sequential: every operation, with all that it writes, is done before the next begins, and a loop runs
//! its body as often as its count says.

mod access;
mod placed;
mod promise;

pub use access::FprAccess;
pub use placed::{ScheduledBundle, SlotOrigin};
pub use promise::CounterPromise;

use crate::diagnostic::Span;
use cp2_isa::{Arith, Core, Exch, Inst, MemoryHalf, Row};
use std::collections::BTreeMap;

/// The number of FPRs that the widest encoding can name, whatever the core has. [`Reg`] numbers below it are physical
/// registers, those from it on virtual ones.
pub const PHYSICAL: usize = Core::WIDEST.fprs();

/// A floating-point register (FPR) in linear code: physical if the number is below [`PHYSICAL`], else virtual, to which
/// the scheduler gives a physical one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Reg(pub u32);

impl Reg {
    /// Returns the number of the FPR, if the register is physical; `None` for a virtual register.
    #[inline]
    pub fn physical(self) -> Option<u8> {
        (self.0 < PHYSICAL as u32).then_some(self.0 as u8)
    }

    /// Returns the index of a virtual register, from 0, into [`Region::names`]; `None` for a physical register.
    #[inline]
    pub fn virtual_index(self) -> Option<usize> {
        self.0.checked_sub(PHYSICAL as u32).map(|i| i as usize)
    }

    /// Returns the virtual register with this index into [`Region::names`].
    #[inline]
    pub fn from_virtual(index: usize) -> Self {
        Self(PHYSICAL as u32 + index as u32)
    }
}

/// An operation of linear code with its operands. FPR numbers from [`PHYSICAL`] on stand for virtual registers. An
/// operand that takes two registers holds the first, and [`Region::next`] tells the second.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinearInst {
    /// An operation for the arithmetic slot of a bundle.
    Arith(Inst<Arith>),
    /// An operation for the exchange slot of a bundle: memory accesses and moves.
    Exch(Inst<Exch>),
}

impl LinearInst {
    /// Returns the operation's row in the table of all operations of CP2.
    #[inline]
    pub fn row(&self) -> &'static Row {
        match self {
            Self::Arith(inst) => inst.op.row(),
            Self::Exch(inst) => inst.op.row(),
        }
    }

    /// Returns true if both are the same operation of the table; their operands may differ.
    pub fn is_same_operation(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Arith(a), Self::Arith(b)) => a.op == b.op,
            (Self::Exch(a), Self::Exch(b)) => a.op == b.op,
            _ => false,
        }
    }

    /// Returns true if the operation accesses local memory at an address that counts 32-bit words instead of words of
    /// 64 bits.
    pub fn counts_halves(&self) -> bool {
        let Self::Exch(inst) = self else { return false };
        let half = inst.memory_access().and_then(|access| access.half);
        half.is_some_and(|half| matches!(half.memory, MemoryHalf::Address { .. }))
    }

    /// Returns the values of the operands as the encoding holds them, in the order of the row's operands.
    #[inline]
    pub fn values(&self) -> &[i32] {
        match self {
            Self::Arith(inst) => &inst.values,
            Self::Exch(inst) => &inst.values,
        }
    }
}

/// A line of linear code: an operation with its predicate.
#[derive(Clone, Debug, PartialEq)]
pub struct Op {
    /// Number of the condition code that decides in which sections the operation executes; 0 for all sections.
    pub cc: u8,
    /// The operation with its operands, for the arithmetic or the exchange slot.
    pub code: LinearInst,
    /// Place in the source where the operation was written; `None` for an operation that the assembler adds.
    pub span: Option<Span>,
}

/// The trip count of a loop, the number of times that its body runs: a number in the source, or one in a general
/// register that is known only in the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TripCount {
    /// A count that the source gives as a number: the body runs this often, at least once.
    Fixed(u32),
    /// A count in a general register: its low 32 bits when the loop begins.
    Register {
        /// Number of the general register, which the body does not write.
        gpr: u8,
        /// Promise of the source that the count is at least this (`min=`).
        min: u32,
        /// Promise of the source that the count is a multiple of this (`multiple=`).
        multiple: u32,
        /// Count for which the schedule is to take the fewest cycles (`expected=`), at least `min`; it holds for others too.
        expected: Option<u32>,
    },
}

impl TripCount {
    /// Returns the count for which a schedule is to take the fewest cycles; `None` for a count in a register of which none is
    /// expected.
    pub fn expected(self) -> Option<u32> {
        match self {
            Self::Fixed(n) => Some(n),
            Self::Register { expected, .. } => expected,
        }
    }
}

/// A loop of a region: the lines between `.loop` and `.endloop`.
#[derive(Clone, Debug, PartialEq)]
pub struct Loop {
    /// Trip count: the number of times that the body runs.
    pub count: TripCount,
    /// Blocks of the body in program order. A loop without a loop inside is software-pipelined.
    pub body: Vec<Block>,
    /// Place in the source where `.loop` was written; `None` for a loop without a source.
    pub span: Option<Span>,
}

/// A part of a region of linear code: operations without control flow, or a loop.
#[derive(Clone, Debug, PartialEq)]
pub enum Block {
    /// Operations without control flow: the range of their indices in [`Region::ops`].
    Straight(std::ops::Range<usize>),
    /// A loop, with the blocks of its body.
    Loop(Loop),
}

/// A region: linear code between `.linear` and `.endlinear`, with its directives.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Region {
    /// Name of the region, for messages and reports.
    pub name: String,
    /// Operations of the region in program order; other fields refer to them by index.
    pub ops: Vec<Op>,
    /// Blocks of the region in program order; they divide the operations among them.
    pub blocks: Vec<Block>,
    /// Names of the virtual registers, without the `%`, by the index of the register.
    pub names: Vec<String>,
    /// The second register of operands that take a pair of registers, by the first one. The second of a physical
    /// register without an entry is the one with the next number.
    pub next: BTreeMap<Reg, Reg>,
    /// Numbers of the physical registers that the source demands for virtual ones (`.assign`), by the index of the
    /// virtual register.
    pub assigned: BTreeMap<usize, u8>,
    /// Numbers of the FPRs that the scheduler must not choose for virtual registers (`.keep`).
    pub kept: Vec<u8>,
    /// Promises of `.disjoint`: lists of address sets (0 to 15; each is an address with its step and mode, in
    /// registers) of which no two ever reach the same word in local memory. [`ABSOLUTE`] stands for immediate
    /// addresses, [`OWN`] for addresses that each section has of its own.
    pub disjoint: Vec<Vec<u8>>,
    /// Numbers of the address sets whose address is even where the region begins, a promise of `.even`.
    pub even: Vec<u8>,
    /// Numbers of the general registers that the scheduler may use for loop counts (`.scratch`).
    pub scratch: Vec<u8>,
    /// Place in the source where `.linear` was written; `None` for a region without a source.
    pub span: Option<Span>,
}

/// The number that stands for accesses with an immediate address in [`Region::disjoint`], beside those of the 16
/// address sets; `abs` in the source.
pub const ABSOLUTE: u8 = 16;

/// The number that stands for accesses at an address that each section has of its own in [`Region::disjoint`], beside
/// those of the 16 address sets; `sections` in the source.
pub const OWN: u8 = 17;

/// The number of ways to address memory that [`Region::disjoint`] can name: 16 address sets, [`ABSOLUTE`] and [`OWN`].
pub const PLACES: usize = 18;

/// Returns the text that `.disjoint` has for one of its numbers: `r0` to `r15` for an address set, `abs` for
/// [`ABSOLUTE`], `sections` for [`OWN`].
pub fn place_name(set: u8) -> String {
    match set {
        ABSOLUTE => "abs".into(),
        OWN => "sections".into(),
        set => format!("r{set}"),
    }
}

impl Region {
    /// Returns the second register of an operand that takes a pair of registers, given the first: the one in
    /// [`Region::next`], else the physical register with the next number. Returns `None` if there is none.
    #[inline]
    pub fn next(&self, reg: Reg) -> Option<Reg> {
        self.next.get(&reg).copied().or_else(|| {
            let after = reg.physical()?.checked_add(1)?;
            (usize::from(after) < PHYSICAL).then(|| Reg(u32::from(after)))
        })
    }

    /// Returns the name of a register in the source: `%x` for a virtual one, `f12` for a physical one.
    pub fn register_name(&self, reg: Reg) -> String {
        match reg.virtual_index() {
            Some(v) => format!("%{}", self.names.get(v).map_or("?", String::as_str)),
            None => format!("f{}", reg.0),
        }
    }

    /// Returns true if a `.disjoint` of the region promises that accesses through `a` and `b` never reach the same
    /// word. Both are numbers of address sets, [`ABSOLUTE`] or [`OWN`].
    #[inline]
    pub fn are_disjoint(&self, a: u8, b: u8) -> bool {
        a != b && self.disjoint.iter().any(|set| set.contains(&a) && set.contains(&b))
    }
}
