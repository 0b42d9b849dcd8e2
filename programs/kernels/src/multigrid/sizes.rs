//! Ways in which a kernel of multigrid learns the size of a block, from its text or from its call, and the parts of a
//! text that depend on that, such as the beginnings of its loops.

use super::{GridBlock, GridKernel};
use crate::linear_text::LinearText;

/// Faces of a block that lie in local memory, the same along each of the three axes: the layers of points directly
/// before and behind the block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Faces {
    /// 1 if the layer of points before the first one along each axis lies in local memory, else 0.
    pub before: usize,
    /// 1 if the layer of points behind the last one along each axis lies in local memory, else 0.
    pub behind: usize,
}

impl Faces {
    /// All faces.
    pub(crate) const BOTH: Self = Self { before: 1, behind: 1 };

    /// Returns the faces that a kernel of [`sized`](super::sized) reads: both, only those behind for projections, only
    /// those before for interpolations. The others need not be moved to local memory.
    pub const fn of(kernel: GridKernel) -> Self {
        match kernel.special() {
            GridKernel::Proj => Self { before: 0, behind: 1 },
            GridKernel::Interp | GridKernel::Interp0 => Self { before: 1, behind: 0 },
            _ => Self::BOTH,
        }
    }

    /// Returns the words of a plane; rows have their full length.
    pub(crate) const fn plane(self, block: GridBlock) -> usize {
        block.row() * (block.n2 + self.before + self.behind)
    }

    /// Returns the number of the first word, from 0, in a row of a block with faces ([`GridBlock::row`]) from which on
    /// the row has to be filled: 2, the word of the first point, if the faces before it do not lie in local memory,
    /// else 0.
    pub const fn first_word(self) -> usize {
        2 * (1 - self.before)
    }
}

/// Layout of the operands of a kernel in local memory, in words. Columns of words are counted as in a block with faces, of
/// which 2 is the first one of points.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Lay {
    /// Words from row to row and from plane to plane of the operand with faces.
    pub(super) faced: [usize; 2],
    /// Column with which the rows of the operand with faces begin.
    pub(super) first: usize,
    /// Words from row to row and from plane to plane of the operand without faces, and of the result.
    pub(super) plain: [usize; 2],
    /// Whether the result replaces the operand without faces.
    pub(super) in_place: bool,
    /// Direction in which the loop of linear code goes; the other one is counted around it.
    pub(super) inner: Inner,
    /// Address sets of the operand with faces.
    pub(super) sets: FacedSets,
}

/// Address sets through which linear code reaches the planes of the operand with faces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FacedSets {
    /// A set for all planes together, which lie equally far from each other.
    One,
    /// A set for each plane, wherever it lies.
    Each,
}

impl FacedSets {
    /// The set of the first plane, which [`Self::One`] has for all of them, then those of the planes behind.
    pub(super) const ALL: [usize; 3] = [0, 4, 5];

    /// Returns the sets of an operand with this number of planes, one to three.
    pub(super) fn of(self, planes: usize) -> &'static [usize] {
        match self {
            Self::One => &Self::ALL[..1],
            Self::Each => &Self::ALL[..planes],
        }
    }
}

/// Direction in which a loop goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Inner {
    /// Planes of a group of rows.
    Planes,
    /// Groups of rows of a plane.
    Groups,
}

impl Lay {
    /// Returns the layout of whole blocks: the one that is cut, and the one that results.
    pub(super) const fn of(kernel: GridKernel, block: GridBlock, sizes: Sizes) -> Self {
        let outer = kernel.outer(block);
        Self {
            faced: [block.row(), sizes.faces(kernel).plane(block)],
            first: 0,
            plain: [outer.words(), outer.plain_plane()],
            in_place: kernel.is_in_place(),
            inner: Inner::Planes,
            sets: FacedSets::One,
        }
    }

    /// Returns the address set and the displacement of a word of the operand with faces. A column beside the row gives what
    /// nobody needs, so the nearest one in the row serves: beside it may be what the channel moves.
    pub(super) fn faced_place(&self, plane: usize, row: usize, k: usize) -> (usize, i64) {
        let k = k.clamp(self.first, self.first + self.faced[0] - 1);
        let (set, plane) = match self.sets {
            FacedSets::One => (FacedSets::ALL[0], plane),
            FacedSets::Each => (FacedSets::ALL[plane], 0),
        };
        (set, (plane * self.faced[1] + row * self.faced[0] + k) as i64 - self.first as i64)
    }

    /// Returns the displacement of a word of the operand with faces from the begin of its first plane, or with a set for each
    /// plane from that of its own.
    pub(super) fn faced_at(&self, plane: usize, row: usize, k: usize) -> i64 {
        self.faced_place(plane, row, k).1
    }

    /// Moves the sets of the operand with faces, which has this number of planes, by a displacement from the begin of the
    /// block that is being written.
    pub(super) fn leave_faced(&self, code: &mut LinearText, planes: usize, displacement: i64) {
        for &set in self.sets.of(planes) {
            code.leave_at(set, displacement);
        }
    }

    /// Returns the words by which a pass over `rows` rows goes on, of the operand with faces and of the others; planes may be
    /// steps of several.
    pub(super) const fn pass_steps(&self, rows: [usize; 2], planes: [usize; 2]) -> [i64; 2] {
        let by = match self.inner {
            Inner::Planes => [planes[0] * self.faced[1], planes[1] * self.plain[1]],
            Inner::Groups => [rows[0] * self.faced[0], rows[1] * self.plain[0]],
        };
        [by[0] as i64, by[1] as i64]
    }

    /// Returns the displacement of a word of the operand without faces or of the result.
    pub(super) const fn plain_at(&self, plane: usize, row: usize, word: usize) -> i64 {
        (plane * self.plain[1] + row * self.plain[0] + word) as i64
    }
}

/// Source of the size of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sizes {
    /// Text of the kernel.
    Text,
    /// Call of the kernel: planes in `g5`. Groups are counted around the linear code.
    Call,
    /// Text of linear code that goes through this number of groups of rows of a plane, whose schedule is then short as a
    /// whole; planes are counted around it.
    Plane(usize),
}

/// Returns the fewest passes that the loop of a kernel of [`sized`](super::sized) makes in a call, 4 for `norm` and 2
/// for the others: fewer leave the scheduler no room to overlap passes. The loop goes over planes, or over words for
/// `norm`.
pub const fn least_passes(kernel: GridKernel) -> usize {
    if matches!(kernel, GridKernel::Norm) { 4 } else { 2 }
}

impl Sizes {
    /// Returns the number of groups of rows that the linear code counts.
    pub(super) fn groups(self, groups: usize) -> usize {
        if self == Self::Text { groups } else { 1 }
    }

    /// Returns the faces of a block in local memory.
    pub(super) const fn faces(self, kernel: GridKernel) -> Faces {
        match self {
            Self::Text => Faces::BOTH,
            Self::Call | Self::Plane(_) => Faces::of(kernel),
        }
    }

    /// Begins the loop over the planes.
    pub(super) fn begin_planes(self, code: &mut LinearText, planes: usize) {
        self.begin(code, planes, GridKernel::Resid);
    }

    /// Begins what `norm` repeats.
    pub(super) fn begin_words(self, code: &mut LinearText, passes: usize) {
        self.begin(code, passes, GridKernel::Norm);
    }

    fn begin(self, code: &mut LinearText, passes: usize, kernel: GridKernel) {
        match self {
            Self::Text => code.begin_loop(passes),
            Self::Call => code.begin_loop_of_register("g5", least_passes(kernel), passes),
            Self::Plane(groups) => code.begin_loop(groups),
        }
    }
}
