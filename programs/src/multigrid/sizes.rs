//! Who tells the size of a block, and what of a text depends on that: how its loops begin.

use super::Kernel;
use crate::linear_text::LinearText;

/// Who tells the size of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sizes {
    /// The text.
    OfText,
    /// The call: planes in `g5`. Groups are counted around the linear code.
    OfCall,
}

/// Least passes of a kernel's loop over planes, or over words for `norm`: fewer leave the scheduler no
/// room to overlap them.
pub(crate) const fn least_passes(kernel: Kernel) -> usize {
    if matches!(kernel, Kernel::Norm) { 4 } else { 2 }
}

impl Sizes {
    /// Groups of rows that the linear code counts.
    pub(super) fn groups(self, groups: usize) -> usize {
        if self == Self::OfText { groups } else { 1 }
    }

    /// Begins the loop over the planes.
    pub(super) fn begin_planes(self, code: &mut LinearText, planes: usize) {
        self.begin(code, planes, Kernel::Resid);
    }

    /// Begins what `norm` repeats.
    pub(super) fn begin_words(self, code: &mut LinearText, passes: usize) {
        self.begin(code, passes, Kernel::Norm);
    }

    fn begin(self, code: &mut LinearText, passes: usize, kernel: Kernel) {
        match self {
            Self::OfText => code.begin_loop(passes),
            Self::OfCall => code.begin_loop_of_register("g5", least_passes(kernel)),
        }
    }
}
