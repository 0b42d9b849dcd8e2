//! What is under way when a block begins or ends: which results, in how many cycles. A block is
//! translated for one shape, so that every write-back is resolved when it is translated.

use cp2_emu::cp2::seam::Part;
use cp2_isa::Halves;
use cp2_isa::rules::landing::Moment;
use cp2_isa::rules::times::{GPR_TO_LOOP, GPR_TO_STOP};

/// Where a result goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Goal {
    /// Part of an FPR; whether it comes from a load.
    Fpr { reg: u8, part: Part8, from_load: bool },
    /// A condition code.
    Condition(u8),
}

/// [`Part`] that can be hashed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Part8 {
    Whole,
    Lo,
    Hi,
}

impl From<Part> for Part8 {
    fn from(part: Part) -> Self {
        match part {
            Part::Whole => Self::Whole,
            Part::Lo => Self::Lo,
            Part::Hi => Self::Hi,
        }
    }
}

impl From<Part8> for Part {
    fn from(part: Part8) -> Self {
        match part {
            Part8::Whole => Self::Whole,
            Part8::Lo => Self::Lo,
            Part8::Hi => Self::Hi,
        }
    }
}

impl Part8 {
    /// The part that is made of these halves.
    pub(crate) fn of(halves: Halves) -> Self {
        match halves {
            Halves::LO => Self::Lo,
            Halves::HI => Self::Hi,
            _ => Self::Whole,
        }
    }
}

impl Goal {
    /// Whether two results would reach the same bits.
    pub(crate) fn collides(self, other: Self) -> bool {
        match (self, other) {
            (Self::Fpr { reg: a, part: p, .. }, Self::Fpr { reg: b, part: q, .. }) => {
                a == b && (p == q || p == Part8::Whole || q == Part8::Whole)
            }
            _ => false,
        }
    }

    /// When in its cycle it is written.
    pub(crate) fn moment(self) -> Moment {
        match self {
            Self::Fpr { from_load: true, .. } => Moment::Middle,
            _ => Moment::End,
        }
    }
}

/// A result under way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Entry {
    /// Cycles until it is seen.
    pub(crate) offset: u8,
    pub(crate) goal: Goal,
    /// Its sections are known only when it is made; their mask follows the value.
    pub(crate) masked: bool,
}

// Who reads behind the latest write of a general register sees no value older than that of two cycles.
const _: () = assert!(GPR_TO_LOOP <= 3 && GPR_TO_STOP <= 3);

/// What is under way, in the order in which it is written.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Shape {
    pub(crate) entries: Vec<Entry>,
    /// General registers written in the last two cycles, the last first.
    pub(crate) gpr_written: [Option<u8>; 2],
}

impl Shape {
    /// Vectors that the values and masks take.
    pub(crate) fn slots(&self) -> usize {
        self.entries.iter().map(|e| 1 + usize::from(e.masked)).sum()
    }
}
