//! Kernels of a page that does all operators of a grid in one go: interpolation, residual, smoother, the residual
//! behind them and its projection. A section goes through a column of 32 x 8 fine points two planes at a time; each
//! kernel works on as much of the planes around as the next one needs. Planes lie in eight records that follow each
//! other around the whole of local memory, whose addresses wrap. How a column is gone through is in
//! `specs/src/procedures.md`; which page moves what, in `host::multigrid::whole`.
//!
//! A record has a fine plane of u, one of v, which becomes the residual of the new u, one of the residual in between,
//! and a row of results of the projection for every two rows. All rows of fine planes have 20 words: points -4 to 35.
//! What a page interpolates lies in a place of that residual which is free then.

use super::layout::Block;
use super::sized::{around, step};
use super::sizes::{Inner, Lay, Sizes};
use super::stencil::{self, Stencil};
use super::{Kernel, Operator, transfer};
use cp2_isa::Core;

/// Words from record to record, and records.
pub(crate) const RECORD: usize = 1024;
const RECORDS: usize = 8;
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

/// The kernels.
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

    fn text(self) -> String {
        let ((block, _), lay) = (self.groups(), self.lay());
        let rows = block.n2;
        let code = match self {
            Self::Interp => transfer::interp_laid(block, lay, rows, true, Sizes::OfCall),
            Self::Resid | Self::Again => stencil::laid(Stencil::Resid, block, lay, rows),
            Self::Smooth => stencil::laid(Stencil::Smooth, block, lay, rows),
            Self::Proj => transfer::proj_laid(block, lay, Sizes::OfCall),
        };
        around(self.name(), "a stage of a page with all operators", &code)
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

/// The text of the kernels.
pub(crate) fn source(_: &Core) -> String {
    STAGES.map(Stage::text).concat()
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

/// The address of a word of the record of a plane.
pub(crate) const fn word(plane: usize, word: usize) -> usize {
    (plane % RECORDS) * RECORD + word
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

/// The call of a stage in a page, by its number in a run.
pub(crate) fn call(stage: Stage, number: usize) -> [u64; 9] {
    let z = 2 * number;
    let [_, _, coarse] = loaded(number);
    let ((block, groups), lay) = (stage.groups(), stage.lay());
    let [faced, plain, result] = match stage {
        Stage::Interp => [coarse, word(z + 4, U_AT), word(z + 4, U_AT)],
        Stage::Resid => [word(z + 2, U_AT + ROW), word(z + 3, V_AT), word(z + 3, R_AT)],
        Stage::Smooth => {
            let u = word(z + 2, U_AT + 3 * ROW);
            [word(z + 1, R_AT), u, u]
        }
        Stage::Again => {
            let v = word(z + 1, V_AT + 2 * ROW + 2);
            [word(z, U_AT + 3 * ROW), v, v]
        }
        Stage::Proj => {
            let result = word(z, RESULT_AT);
            [word(z, V_AT + 2 * ROW), result, result]
        }
    };
    let is_coarse = matches!(stage, Stage::Interp | Stage::Proj);
    let rows = match stage {
        Stage::Interp => [block.n2, 2 * block.n2],
        Stage::Proj => [block.n2, block.n2 / 2],
        _ => [block.n2; 2],
    };
    let next = |rows: usize, lay: [usize; 2]| step(lay[1], groups * rows * lay[0]);
    let (of_faced, of_plain) = (next(rows[0], lay.faced), next(rows[1], lay.plain));
    let planes = if is_coarse { 1 } else { 2 };
    let constants = CONSTANTS + constants_before(stage.kernel());
    let [faced, plain, result, constants] = [faced, plain, result, constants].map(|at| at as u64);
    [faced, plain, result, constants, planes, groups as u64, of_faced, of_plain, of_plain]
}

/// Fewest cycles of the kernels of a page, by its number in the column.
pub(crate) fn least_cycles(page: isize, projects: bool) -> usize {
    let of_page = STAGES.into_iter().filter(|stage| stage.is_in(page));
    let of_page = of_page.filter(|&stage| projects || stage != Stage::Proj);
    of_page.map(Stage::least_cycles).sum()
}
