//! Shape of the pipeline when a block begins or ends: the results under way, and in how many cycles they are seen. A block is
//! translated for one shape, so that every write-back is resolved when it is translated.

use crate::abi::context::PENDING;
use cp2_isa::rules::landing::WritePhase;
use cp2_isa::rules::times::{GPR_TO_LOOP, GPR_TO_STOP};
use cp2_isa::{Core, Halves};
use serde::{Deserialize, Serialize};

/// Register to which a result goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(crate) enum ResultTarget {
    /// Halves of an FPR, and whether they come from a load.
    Fpr { reg: u8, halves: Halves, from_load: bool },
    /// A condition code.
    Condition(u8),
}

impl ResultTarget {
    /// Whether two results would reach the same bits.
    pub(crate) fn collides(self, other: Self) -> bool {
        match (self, other) {
            (Self::Fpr { reg: a, halves: x, .. }, Self::Fpr { reg: b, halves: y, .. }) => {
                a == b && x.intersects(y)
            }
            _ => false,
        }
    }

    /// Returns the phase of its cycle in which the result is written.
    pub(crate) fn phase(self) -> WritePhase {
        match self {
            Self::Fpr { from_load: true, .. } => WritePhase::Middle,
            _ => WritePhase::End,
        }
    }
}

/// Result under way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(crate) struct PendingResult {
    /// Number of cycles until the result is seen.
    pub(crate) offset: u8,
    pub(crate) goal: ResultTarget,
    /// Whether the sections of the result are known only when it is made; their mask follows the value then.
    pub(crate) masked: bool,
}

// What reads behind the latest write of a general register sees no value older than that of two cycles.
const _: () = assert!(GPR_TO_LOOP <= 3 && GPR_TO_STOP <= 3);

/// Shape of the pipeline: the results under way, in the order in which they are written.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(crate) struct PipelineState {
    pub(crate) entries: Vec<PendingResult>,
    /// General registers written in the last two cycles, the last first.
    pub(crate) gpr_written: [Option<u8>; 2],
}

impl PipelineState {
    /// Whether the shape can be one on a core.
    pub(crate) fn is_sound(&self, core: &Core) -> bool {
        let is_there = |entry: &PendingResult| match entry.goal {
            ResultTarget::Fpr { reg, .. } => usize::from(reg) < core.fprs(),
            ResultTarget::Condition(cc) => cc < 8,
        };
        self.slots() <= PENDING
            && self.entries.iter().all(is_there)
            && self.gpr_written.iter().flatten().all(|&number| number < 16)
    }

    /// Returns the number of vectors that the values and masks take.
    pub(crate) fn slots(&self) -> usize {
        self.entries.iter().map(|e| 1 + usize::from(e.masked)).sum()
    }
}
