//! Stages of a fused page: interpolation, residual and smoother, one after the other on planes that stay in
//! local memory, each on as much more of the planes around as the next one needs. A section goes
//! through a column of 32 x 16 fine points two planes at a time; planes lie in records,
//! see `staged`. How a column is gone through is in `specs/src/procedures.md`; which page moves what, in `host::multigrid::fused`.
//!
//! A record has one fine plane of u with two rows more on each side, the one before it of v, which becomes r, with one row
//! more, and a tail. All rows of fine planes have 20 words: points -4 to 35. The tail of the first record of a page has
//! its coarse planes, one of the others the constants.

use super::layout::Block;
use super::sizes::{Inner, Lay, Sizes};
use super::staged::{Operands, PLANES, RECORD, Sequence, word};
use super::stencil::{self, Stencil};
use super::{Kernel, Operator, transfer};

/// Words of a row of a fine plane, and of a coarse one.
pub(crate) const ROW: usize = 20;
pub(crate) const COARSE_ROW: usize = 12;
/// Rows of u, of v and of the coarse function.
pub(crate) const U_ROWS: usize = 20;
pub(crate) const V_ROWS: usize = 18;
pub(crate) const COARSE_ROWS: usize = 11;
/// Coarse planes of a page, and words of one.
pub(crate) const COARSE_PLANES: usize = 2;
pub(crate) const COARSE_PLANE: usize = COARSE_ROWS * COARSE_ROW;
/// Where in a record u lies, v, and what follows it.
const U_AT: usize = 0;
const V_AT: usize = U_ROWS * ROW;
const TAIL_AT: usize = V_AT + V_ROWS * ROW;
/// The results of a page: points of a row, rows, planes.
pub(crate) const POINTS: Block = Block::new(32, 16, 2);
/// The first word of results in a record: two rows of the sides, and four points.
const RESULT_AT: usize = 2 * ROW + 2;
/// Pages of a column before the first one that gives results.
pub(crate) const LEAD: usize = 2;

/// The stages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stage {
    /// u + Q z, in place.
    Interp,
    /// Q z.
    Interp0,
    /// v - A u, in the place of v.
    Resid,
    /// u + S r, in place.
    Smooth,
}

/// In the order in which they run; only one of the interpolations does.
const STAGES: [Stage; 4] = [Stage::Interp, Stage::Interp0, Stage::Resid, Stage::Smooth];

impl Stage {
    const fn name(self) -> &'static str {
        match self {
            Self::Interp => "fused_interp",
            Self::Interp0 => "fused_interp0",
            Self::Resid => "fused_resid",
            Self::Smooth => "fused_smooth",
        }
    }

    /// The points of a group of rows in two planes, coarse ones for the interpolations, and groups of a plane.
    const fn groups(self) -> (Block, usize) {
        match self {
            Self::Interp | Self::Interp0 => (Block::new(20, 2, 2), 5),
            Self::Resid => (Block::new(40, 3, 2), 6),
            Self::Smooth => (Block::new(32, 4, 2), 4),
        }
    }

    const fn lay(self) -> Lay {
        let fine = [ROW, RECORD];
        let (faced, first) = match self {
            Self::Interp | Self::Interp0 => ([COARSE_ROW, COARSE_PLANE], 1),
            Self::Resid => (fine, 2),
            Self::Smooth => (fine, 0),
        };
        Lay { faced, first, plain: fine, in_place: true, inner: Inner::Groups }
    }

    fn routine(self) -> String {
        let ((block, groups), lay) = (self.groups(), self.lay());
        let sizes = Sizes::Plane(groups);
        let rows = block.n2;
        let code = match self {
            Self::Interp => transfer::interp_laid(block, lay, rows, true, sizes),
            Self::Interp0 => transfer::interp_laid(block, lay, rows, false, sizes),
            Self::Resid => stencil::laid(Stencil::Resid, block, lay, rows, sizes),
            Self::Smooth => stencil::laid(Stencil::Smooth, block, lay, rows, sizes),
        };
        let [u, v, coarse] = loaded(0, 0);
        let (faced, plain, planes, rows) = match self {
            Self::Interp | Self::Interp0 => (coarse, u, 1, [rows, 2 * rows]),
            Self::Resid => (word(0, U_AT), v, PLANES, [rows; 2]),
            // The plane before the first one.
            Self::Smooth => (word(0, V_AT), given(0, 0), PLANES, [rows; 2]),
        };
        let constants = CONSTANTS + self.constants_before();
        let operands = Operands { at: [faced, plain, plain], constants, rows, groups, planes };
        operands.routine(self.name(), lay, &code)
    }

    /// What the fuller slot has to issue for a page, by the table of bounds in `specs/src/multigrid.md`.
    const fn least_cycles(self) -> usize {
        let (block, groups) = self.groups();
        let (h, r) = (block.words(), block.n2);
        match self {
            Self::Interp => (h * (12 * r + 1) + 4 * r + 1) * groups,
            Self::Interp0 => (h * (11 * r + 1) + 3 * r + 1) * groups,
            Self::Resid => (h * (11 * r + 8) / 2 + 6 * (r + 2)) * groups * 2,
            Self::Smooth => (h * (6 * r + 2) + 2 * (3 * r + 2)) * groups * 2,
        }
    }

    /// Words of the constants before its own.
    const fn constants_before(self) -> usize {
        match self {
            Self::Interp | Self::Interp0 => 0,
            Self::Resid => 10,
            Self::Smooth => 14,
        }
    }

    /// Whether a page needs it, by its number in the column, which has [`LEAD`] pages before page 0.
    pub(crate) const fn is_in(self, page: isize) -> bool {
        let before = match self {
            Self::Interp | Self::Interp0 => LEAD as isize,
            Self::Resid => 1,
            Self::Smooth => 0,
        };
        page >= -before
    }
}

/// The text of the routines of all stages.
pub(crate) fn routines() -> String {
    STAGES.map(Stage::routine).concat()
}

/// Stages of a page.
pub(crate) const DEPTH: usize = 3;

/// The kernels of pages with one stage to all of them: for either interpolation so many.
pub(crate) fn sequences() -> Vec<Sequence> {
    let of = |name, interpolation: Stage| {
        let stages = [interpolation, Stage::Resid, Stage::Smooth].map(Stage::name);
        Sequence::prefixes(name, &stages)
    };
    [of("fused", Stage::Interp), of("fused_anew", Stage::Interp0)].concat()
}

/// The constants of the kernels.
pub(crate) fn constants(smoother: &Operator) -> Vec<u64> {
    let mut words = Kernel::Interp.constants(&Operator::Q);
    words.extend(Kernel::Resid.constants(&Operator::A));
    words.extend(Kernel::Smooth.constants(smoother));
    words
}

/// Where the constants lie.
pub(crate) const CONSTANTS: usize = word(1, TAIL_AT);

/// Where a page's planes of u lie that it interpolates, of v that become residuals, and its coarse planes: so many planes
/// on, by the number of the page in a run. What a page brings goes to two records, so that every other page computes in one bank
/// while the channel is in the other.
pub(crate) const fn loaded(number: usize, plane: usize) -> [usize; 3] {
    let z = 2 * number + plane;
    let coarse = word(2 * number + 2, TAIL_AT) + plane * COARSE_PLANE;
    [word(z + 2, U_AT), word(z + 2, V_AT), coarse]
}

/// Where the results of a page lie, so many planes on.
pub(crate) const fn given(number: usize, plane: usize) -> usize {
    word(2 * number + plane, RESULT_AT)
}

/// Fewest cycles of the kernels of a page, by its number in the column.
pub(crate) fn least_cycles(page: isize, interpolation: Stage) -> usize {
    let stages = [interpolation, Stage::Resid, Stage::Smooth];
    stages.into_iter().filter(|stage| stage.is_in(page)).map(Stage::least_cycles).sum()
}
