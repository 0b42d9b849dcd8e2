//! Stages of a page that makes the residual of a grid and its projection in one go. A section goes through a column of
//! 32 x 16 fine points two planes at a time. Planes lie in records, see `staged`. How a column is gone through is in
//! `specs/src/procedures.md`; which page moves what, in `host::multigrid::down`.
//!
//! A record has a fine plane of u, with a row more on each side, the one before it of v, which becomes the residual, with a
//! row more behind, and the results of the projection. So what a page brings goes to two records, and every other page
//! computes in one bank while the channel is in the other.

use super::layout::Block;
use super::sizes::{Inner, Lay, Sizes};
use super::staged::{Operands, PLANES, RECORD, Sequence, word};
use super::stencil::{self, Stencil};
use super::{Kernel, Operator, transfer};

/// Words of a row of u, points -4 to 35, of v, points 0 to 35, and of results.
pub(crate) const U_ROW: usize = 20;
pub(crate) const V_ROW: usize = 18;
pub(crate) const RESULT_ROW: usize = 8;
/// Rows that are loaded. The kernel works on one more behind, which nobody uses.
pub(crate) const U_ROWS: usize = 19;
pub(crate) const V_ROWS: usize = 17;
/// Where in a record u lies, v, the projection, and the constants.
const U_AT: usize = 0;
const V_AT: usize = (U_ROWS + 1) * U_ROW;
const RESULT_AT: usize = V_AT + (V_ROWS + 1) * V_ROW;
const CONSTANTS_AT: usize = RESULT_AT + RESULT_ROW * POINTS.n2 / 2;
/// What a page makes: points of a row, rows, planes.
pub(crate) const POINTS: Block = Block::new(32, 16, 2);

/// The stages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// v - A u, in the place of v.
    Resid,
    /// P of that.
    Proj,
}

/// In the order in which they run.
const STAGES: [Stage; 2] = [Stage::Resid, Stage::Proj];

impl Stage {
    const fn name(self) -> &'static str {
        match self {
            Self::Resid => "down_resid",
            Self::Proj => "down_proj",
        }
    }

    /// The points of a group of rows in two planes, and groups of a plane.
    const fn groups(self) -> (Block, usize) {
        match self {
            Self::Resid => (Block::new(36, 3, 2), 6),
            Self::Proj => (Block::new(32, 4, 2), 4),
        }
    }

    const fn lay(self) -> Lay {
        let (faced, plain, first) = match self {
            Self::Resid => ([U_ROW, RECORD], [V_ROW, RECORD], 0),
            Self::Proj => ([V_ROW, RECORD], [RESULT_ROW, RECORD], 2),
        };
        Lay { faced, first, plain, in_place: matches!(self, Self::Resid), inner: Inner::Groups }
    }

    fn routine(self) -> String {
        let ((block, groups), lay) = (self.groups(), self.lay());
        let sizes = Sizes::Plane(groups);
        let code = match self {
            Self::Resid => stencil::laid(Stencil::Resid, block, lay, block.n2, sizes),
            Self::Proj => transfer::proj_laid(block, lay, sizes),
        };
        let ([u, r, coarse], [_, v, _]) = (plane(0, 0), plane(0, 1));
        let (faced, plain, planes, rows) = match self {
            Self::Resid => (u, v, PLANES, [block.n2; 2]),
            Self::Proj => (r, coarse, 1, [block.n2, block.n2 / 2]),
        };
        let constants = match self {
            Self::Resid => CONSTANTS,
            Self::Proj => CONSTANTS + Kernel::Resid.constants(&Operator::A).len(),
        };
        let operands = Operands { at: [faced, plain, plain], constants, rows, groups, planes };
        operands.routine(self.name(), lay, &code)
    }

    /// What the fuller slot has to issue for a page, by the table of bounds in `specs/src/multigrid.md`.
    const fn least_cycles(self) -> usize {
        let (block, groups) = self.groups();
        let (h, r) = (block.words(), block.n2);
        match self {
            Self::Resid => (h * (11 * r + 8) / 2 + 6 * (r + 2)) * groups * 2,
            Self::Proj => (h * (9 * r + 12) / 4 + 3 * (r + 2) + h * r / 8) * groups,
        }
    }
}

/// The text of the routines of both stages.
pub(crate) fn routines() -> String {
    STAGES.map(Stage::routine).concat()
}

/// Stages of a page.
pub(crate) const DEPTH: usize = STAGES.len();

/// The kernels of pages with the residual, and of those with its projection.
pub(crate) fn sequences() -> Vec<Sequence> {
    Sequence::prefixes("down", &STAGES.map(Stage::name))
}

/// The constants of both kernels.
pub(crate) fn constants() -> Vec<u64> {
    let mut words = Kernel::Resid.constants(&Operator::A);
    words.extend(Kernel::Proj.constants(&Operator::P));
    words
}

/// Where the constants lie.
pub(crate) const CONSTANTS: usize = word(0, CONSTANTS_AT);

/// Where planes lie that begin with those that a page projects, so many behind: of u, of v and its residual, of the
/// projection.
pub(crate) const fn plane(number: usize, behind: usize) -> [usize; 3] {
    let z = 2 * number + behind;
    [word(z, U_AT), word(z + 1, V_AT), word(z, RESULT_AT)]
}

/// Fewest cycles of the kernels of a page.
pub(crate) fn least_cycles(projects: bool) -> usize {
    Stage::Resid.least_cycles() + if projects { Stage::Proj.least_cycles() } else { 0 }
}
