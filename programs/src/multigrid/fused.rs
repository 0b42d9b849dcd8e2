//! Kernels of a fused page: interpolation, residual and smoother, one after the other on planes that stay in
//! local memory, each on as much more of the planes around as the next one needs. A section goes
//! through a column of 32 x 8 fine points plane by plane; planes lie in records that follow each other
//! around the whole of local memory, whose addresses wrap. How a column is gone through is in
//! `specs/src/procedures.md`; which page moves what, in `host::multigrid::fused`.
//!
//! A record has one fine plane of u with two rows more on each side, one of v, which becomes r, with one row
//! more, and a tail. All rows of fine planes have 20 words: points -4 to 35. The tails of seven records together have
//! the coarse planes of a page, each a row of every plane: one half of a tail belongs to even pages, the other to
//! odd ones. The halves that no page needs have the constants.

use super::layout::Block;
use super::sized::{around, step};
use super::sizes::{Inner, Lay, Sizes};
use super::stencil::{self, Stencil};
use super::{Kernel, Operator, transfer};
use cp2_isa::Core;

/// Words from record to record.
pub(crate) const RECORD: usize = 512;
/// Words of a row of a fine plane, and of a coarse one.
pub(crate) const ROW: usize = 20;
pub(crate) const COARSE_ROW: usize = 12;
/// Rows of u, of v and of the coarse function.
pub(crate) const U_ROWS: usize = 12;
pub(crate) const V_ROWS: usize = 10;
pub(crate) const COARSE_ROWS: usize = 7;
/// Where in a record v lies, and what follows it.
pub(crate) const V_AT: usize = U_ROWS * ROW;
pub(crate) const TAIL_AT: usize = V_AT + V_ROWS * ROW;
/// Words of half a tail: a row of each coarse plane of a page.
const HALF_TAIL: usize = COARSE_PLANES * COARSE_ROW;
/// Coarse planes of a page.
pub(crate) const COARSE_PLANES: usize = 3;
/// The results of a page: points of a row, rows, planes.
pub(crate) const POINTS: Block = Block::new(32, 8, 4);
/// The first word of results in a record: two rows of the sides, and four points.
pub(crate) const RESULT_AT: usize = 2 * ROW + 2;

/// Words of the constants of the three kernels.
const CONSTANTS: [usize; 3] = [10, 4, 6];

/// The three kernels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stage {
    /// u + Q z, in place.
    Interp,
    /// v - A u, in the place of v.
    Resid,
    /// u + S r, in place.
    Smooth,
}

/// In the order in which they run.
pub(crate) const STAGES: [Stage; 3] = [Stage::Interp, Stage::Resid, Stage::Smooth];

impl Stage {
    const fn name(self) -> &'static str {
        match self {
            Self::Interp => "fused_interp",
            Self::Resid => "fused_resid",
            Self::Smooth => "fused_smooth",
        }
    }

    /// The block on which it works, coarse for the interpolation, and rows of the body of its loop.
    const fn block(self) -> (Block, usize) {
        match self {
            Self::Interp => (Block::new(20, 6, 2), 2),
            Self::Resid => (Block::new(40, 10, 4), 2),
            Self::Smooth => (POINTS, 4),
        }
    }

    const fn lay(self) -> Lay {
        let plain = [ROW, RECORD];
        let (faced, first) = match self {
            Self::Interp => ([RECORD, COARSE_ROW], 1),
            Self::Resid => ([ROW, RECORD], 2),
            Self::Smooth => ([ROW, RECORD], 0),
        };
        Lay { faced, first, plain, in_place: true, inner: Inner::Planes }
    }

    fn text(self) -> String {
        let ((block, rows), lay) = (self.block(), self.lay());
        let code = match self {
            Self::Interp => transfer::interp_laid(block, lay, rows, true, Sizes::OfCall),
            Self::Resid => stencil::laid(Stencil::Resid, block, lay, rows),
            Self::Smooth => stencil::laid(Stencil::Smooth, block, lay, rows),
        };
        around(self.name(), "a stage of a fused page", &code)
    }

    /// What the fuller slot has to issue for so many planes, by the table of bounds in
    /// `specs/src/multigrid.md`.
    fn least_cycles(self, planes: usize) -> usize {
        let (block, r) = self.block();
        let h = block.words();
        let of_group = match self {
            Self::Interp => h * (12 * r + 1) + 4 * r + 1,
            Self::Resid => h * (11 * r + 8) / 2 + 6 * (r + 2),
            Self::Smooth => h * (6 * r + 2) + 2 * (3 * r + 2),
        };
        of_group * (block.n2 / r) * planes
    }
}

/// The text of the three kernels.
pub(crate) fn source(_: &Core) -> String {
    STAGES.map(Stage::text).concat()
}

/// The constants of the three kernels.
pub(crate) fn constants(smoother: &Operator) -> Vec<u64> {
    let mut words = Kernel::Interp.constants(&Operator::Q);
    words.extend(Kernel::Resid.constants(&Operator::A));
    words.extend(Kernel::Smooth.constants(smoother));
    words
}

/// The address of a word of a record.
pub(crate) fn word(core: &Core, number: usize, word: usize) -> usize {
    (number * RECORD + word) % core.lmem_words()
}

/// Where the coarse rows of a page begin, and its constants, of page `number` in records of its own.
pub(crate) fn tails(number: usize) -> [(usize, usize); 2] {
    let z = number * POINTS.n3;
    if number.is_multiple_of(2) {
        [(z - 1, TAIL_AT), (z + 6, TAIL_AT)]
    } else {
        [(z - 1, TAIL_AT + HALF_TAIL), (z - 2, TAIL_AT + HALF_TAIL)]
    }
}

/// The calls of a page: (stage, arguments). The results are in the four records from 4 `number` on. The first
/// page of a column only makes ready what the second one needs.
pub(crate) fn calls(core: &Core, number: usize, is_first: bool) -> Vec<(Stage, [u64; 9])> {
    let (z, [coarse, weights]) = (number * POINTS.n3, tails(number));
    let at = |number: usize, of: usize| word(core, number, of) as u64;
    let constants =
        |stage: usize| at(weights.0, weights.1 + CONSTANTS[..stage].iter().sum::<usize>());
    let call = |stage: Stage, planes: usize, [faced, plain]: [u64; 2]| {
        let ((block, rows), lay) = (stage.block(), stage.lay());
        let is_coarse = usize::from(stage == Stage::Interp);
        let faced_step = step(rows * lay.faced[0], planes * lay.faced[1]);
        let plain_step =
            step((rows * lay.plain[0]) << is_coarse, (planes * lay.plain[1]) << is_coarse);
        let (groups, a3) = (block.n2 / rows, constants(stage as usize));
        let [groups, planes] = [groups, planes].map(|n| n as u64);
        (stage, [faced, plain, plain, a3, groups, planes, faced_step, plain_step, plain_step])
    };
    let interp = call(Stage::Interp, 2, [at(coarse.0, coarse.1), at(z + 2, 0)]);
    if is_first {
        return vec![interp, call(Stage::Resid, 2, [at(z + 2, 0), at(z + 3, V_AT)])];
    }
    vec![
        interp,
        call(Stage::Resid, 4, [at(z, 0), at(z + 1, V_AT)]),
        call(Stage::Smooth, 4, [at(z - 1, V_AT), at(z, RESULT_AT)]),
    ]
}

/// Fewest cycles of the kernels of a page.
pub(crate) fn least_cycles(is_first: bool) -> usize {
    let resid = if is_first { 2 } else { 4 };
    let smooth = if is_first { 0 } else { Stage::Smooth.least_cycles(4) };
    Stage::Interp.least_cycles(2) + Stage::Resid.least_cycles(resid) + smooth
}
