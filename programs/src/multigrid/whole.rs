//! Stages of a page that does all operators of a grid in one go: interpolation, residual, smoother, the residual
//! behind them and its projection. A section goes through a column of 32 x 8 fine points two planes at a time; each
//! kernel works on as much of the planes around as the next one needs. Planes lie in records, see `staged`. How a column is
//! gone through is in `specs/src/procedures.md`; which page moves what, in `host::multigrid::whole`.
//!
//! A record has a fine plane of u, one of v, which becomes the residual of the new u, one of the residual in between,
//! and a row of results of the projection for every two rows. All rows of fine planes have 20 words: points -4 to 35.
//! What a page interpolates lies in a place of that residual which is free then.

use super::layout::Block;
use super::sizes::{Inner, Lay, Sizes};
use super::staged::{Operands, PLANES, RECORD, Sequence, word};
use super::stencil::{self, Stencil};
use super::{Kernel, Operator, transfer};

/// Words of a row of a fine plane, of a coarse one that is read, and of one that is written.
pub(crate) const ROW: usize = 20;
pub(crate) const COARSE_ROW: usize = 12;
pub(crate) const RESULT_ROW: usize = 8;
/// Rows of each that are loaded, and how many of them lie before the first row of the column.
pub(crate) const U_ROWS: (usize, usize) = (15, 3);
pub(crate) const V_ROWS: (usize, usize) = (13, 2);
pub(crate) const COARSE_ROWS: (usize, usize) = (9, 3);
/// Coarse planes that a page reads.
pub(crate) const COARSE_PLANES: usize = 2;
/// Where in a record u lies, with a row before those that are loaded; v; the residual in between, which has the rows
/// of v; the projection; the constants.
const U_AT: usize = 0;
pub(crate) const V_AT: usize = 320;
const R_AT: usize = 640;
pub(crate) const RESULT_AT: usize = 960;
const CONSTANTS_AT: usize = 992;
/// What a page gives: points of a row, rows, planes.
pub(crate) const POINTS: Block = Block::new(32, 8, 2);
/// Pages of a column before the first one that gives coarse points.
pub(crate) const LEAD: usize = 4;

/// The stages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stage {
    /// u + Q z, in place.
    Interp,
    /// r = v - A u.
    Resid,
    /// u + S r, in place.
    Smooth,
    /// v - A u, in the place of v.
    Again,
    /// P of that.
    Proj,
}

/// In the order in which they run.
pub(crate) const STAGES: [Stage; 5] =
    [Stage::Interp, Stage::Resid, Stage::Smooth, Stage::Again, Stage::Proj];

impl Stage {
    const fn name(self) -> &'static str {
        match self {
            Self::Interp => "whole_interp",
            Self::Resid => "whole_resid",
            Self::Smooth => "whole_smooth",
            Self::Again => "whole_again",
            Self::Proj => "whole_proj",
        }
    }

    /// The kernel whose constants it has.
    const fn kernel(self) -> Kernel {
        match self {
            Self::Interp => Kernel::Interp,
            Self::Resid | Self::Again => Kernel::Resid,
            Self::Smooth => Kernel::Smooth,
            Self::Proj => Kernel::Proj,
        }
    }

    /// The points of a group of rows in two planes, coarse ones for the interpolation, and groups of a plane.
    const fn groups(self) -> (Block, usize) {
        match self {
            Self::Interp => (Block::new(20, 2, 2), 4),
            Self::Resid => (Block::new(40, 4, 2), 4),
            Self::Smooth => (Block::new(40, 4, 2), 3),
            Self::Again => (Block::new(36, 3, 2), 3),
            Self::Proj => (Block::new(32, 4, 2), 2),
        }
    }

    const fn lay(self) -> Lay {
        let fine = [ROW, RECORD];
        let coarse = [COARSE_ROW, COARSE_ROWS.0 * COARSE_ROW];
        let (faced, plain, first) = match self {
            Self::Interp => (coarse, fine, 1),
            Self::Resid | Self::Smooth => (fine, fine, 2),
            Self::Again => (fine, fine, 0),
            Self::Proj => (fine, [RESULT_ROW, RECORD], 0),
        };
        let in_place = !matches!(self, Self::Resid | Self::Proj);
        Lay { faced, first, plain, in_place, inner: Inner::Groups }
    }

    fn routine(self) -> String {
        let ((block, groups), lay) = (self.groups(), self.lay());
        let sizes = Sizes::Plane(groups);
        let rows = block.n2;
        let code = match self {
            Self::Interp => transfer::interp_laid(block, lay, rows, true, sizes),
            Self::Resid | Self::Again => stencil::laid(Stencil::Resid, block, lay, rows, sizes),
            Self::Smooth => stencil::laid(Stencil::Smooth, block, lay, rows, sizes),
            Self::Proj => transfer::proj_laid(block, lay, sizes),
        };
        let (rows, planes) = match self {
            Self::Interp => ([rows, 2 * rows], 1),
            Self::Proj => ([rows, rows / 2], 1),
            _ => ([rows; 2], PLANES),
        };
        let constants = CONSTANTS + constants_before(self.kernel());
        let operands = Operands { at: self.at(), constants, rows, groups, planes };
        operands.routine(self.name(), lay, &code)
    }

    /// The first words of the operand with faces, of the one without and of the result, in the first page of a run.
    const fn at(self) -> [usize; 3] {
        let (u, v) = (word(2, U_AT + 3 * ROW), word(1, V_AT + 2 * ROW + 2));
        match self {
            Self::Interp => {
                let ([_, _, coarse], u) = (loaded(0), word(4, U_AT));
                [coarse, u, u]
            }
            Self::Resid => [word(2, U_AT + ROW), word(3, V_AT), word(3, R_AT)],
            Self::Smooth => [word(1, R_AT), u, u],
            Self::Again => [word(0, U_AT + 3 * ROW), v, v],
            Self::Proj => {
                let result = word(0, RESULT_AT);
                [word(0, V_AT + 2 * ROW), result, result]
            }
        }
    }

    /// What the fuller slot has to issue for a page, by the table of bounds in `specs/src/multigrid.md`.
    const fn least_cycles(self) -> usize {
        let (block, groups) = self.groups();
        let (h, r) = (block.words(), block.n2);
        match self {
            Self::Interp => (h * (12 * r + 1) + 4 * r + 1) * groups,
            Self::Resid | Self::Again => (h * (11 * r + 8) / 2 + 6 * (r + 2)) * groups * 2,
            Self::Smooth => (h * (6 * r + 2) + 2 * (3 * r + 2)) * groups * 2,
            Self::Proj => (h * (9 * r + 12) / 4 + 3 * (r + 2) + h * r / 8) * groups,
        }
    }

    /// Whether a page needs it, by its number in the column, which has [`LEAD`] pages before page 0.
    pub(crate) const fn is_in(self, page: isize) -> bool {
        page + LEAD as isize >= self as isize
    }
}

/// The text of the routines of all stages.
pub(crate) fn routines() -> String {
    STAGES.map(Stage::routine).concat()
}

/// Stages of a page.
pub(crate) const DEPTH: usize = STAGES.len();

/// The kernels of pages with one stage to all of them.
pub(crate) fn sequences() -> Vec<Sequence> {
    Sequence::prefixes("whole", &STAGES.map(Stage::name))
}

/// The constants of all kernels.
pub(crate) fn constants(smoother: &Operator) -> Vec<u64> {
    let mut words = Kernel::Interp.constants(&Operator::Q);
    words.extend(Kernel::Resid.constants(&Operator::A));
    words.extend(Kernel::Smooth.constants(smoother));
    words.extend(Kernel::Proj.constants(&Operator::P));
    words
}

/// Words of the constants before those of a kernel.
const fn constants_before(kernel: Kernel) -> usize {
    match kernel {
        Kernel::Interp => 0,
        Kernel::Resid => 10,
        Kernel::Smooth => 14,
        _ => 20,
    }
}

/// Where the constants lie.
pub(crate) const CONSTANTS: usize = word(0, CONSTANTS_AT);

/// Where the planes of u and v that a page needs first lie, by its number in a run, and what it interpolates.
pub(crate) const fn loaded(number: usize) -> [usize; 3] {
    let z = 2 * number;
    [word(z + 4, U_AT + ROW), word(z + 3, V_AT), word(z + 5, R_AT)]
}

/// Where the first of two planes lies of what a page gives: of the new u, of its residual, of the projection.
pub(crate) const fn given(number: usize) -> [usize; 3] {
    let z = 2 * number;
    [word(z + 2, U_AT + 4 * ROW + 2), word(z + 1, V_AT + 2 * ROW + 2), word(z, RESULT_AT)]
}

/// Fewest cycles of the kernels of a page, by its number in the column.
pub(crate) fn least_cycles(page: isize, projects: bool) -> usize {
    let of_page = STAGES.into_iter().filter(|stage| stage.is_in(page));
    let of_page = of_page.filter(|&stage| projects || stage != Stage::Proj);
    of_page.map(Stage::least_cycles).sum()
}
