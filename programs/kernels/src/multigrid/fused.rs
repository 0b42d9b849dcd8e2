//! Stages of the pages that do interpolation, residual and smoother of a grid in one go, on planes that stay in local
//! memory. Each stage works on as much more of the planes around as the next one needs. A section goes through a column
//! of fine points plane by plane, one plane in a page; planes lie in records, see `staged`.
//! `specs/src/procedures/multigrid.md` tells how a column is gone through, and `multigrid/fused.rs` of the procedures
//! which page moves what.
//!
//! A record has one fine plane of u with two rows more on each side; the plane before it of v, which becomes r, with
//! one row more; and a tail with a coarse plane. All rows of fine planes have points -4 to n1 + 3.

use super::columns::Columns;
use super::layout::GridBlock;
use super::plane::{self, Fine};
use super::sizes::Sizes;
use super::staged::{Operands, RecordPlace, Records, Stage, StagedKernel};
use super::stencil::{self, Order, Stencil};
use super::{GridKernel, Operator};

/// Coarse rows that the interpolation works on at once, rows of the residual, and those of the smoother.
const COARSE_ROWS: usize = 2;
const ROWS: usize = 3;
const SMOOTH_ROWS: usize = 4;
/// Words before the constants of a record.
const CONSTANTS_AT: usize = 2016;
/// Numbers of pages before page 0 of a column at which the stages begin: interpolation at page -4, residual at page -2,
/// smoother at page 0, the first that gives results. A page is the planes that lie in local memory at once; the pages
/// before 0 make the planes that page 0 needs.
pub const LEAD: [usize; 3] = [4, 2, 0];

/// The mode of the interpolation from the coarse grid in pages that do interpolation, residual and smoother: whether
/// its values are added to u on the fine grid or replace it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InterpolationMode {
    /// The interpolated values are added to u.
    Add,
    /// The interpolated values replace u, whose old values are not read.
    Replace,
}

/// Layout of the planes of u, v and the coarse grid in the [records](Records) of local memory (quarters of it,
/// each with one plane of every array), for pages that do interpolation, residual and smoother. A page is the planes
/// that lie in local memory at once; page p of a column interpolates to plane `p + 2`, makes the residual of plane `p +
/// 1`, and smooths plane p.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    /// Cross-section of the columns of the grid that the pages go through.
    pub columns: Columns,
    /// Places of the records in local memory.
    pub records: Records,
}

impl Layout {
    /// Returns the number of words of a row of a coarse plane in local memory: n1 / 2 points and four more on each
    /// side, two to a word, where n1 is the number of fine points of a row of the column.
    pub const fn coarse_row(self) -> usize {
        self.columns.n1 / 4 + 4
    }

    /// Returns the number of rows of a plane of u that a page loads to each section, from row -2 to row n2 + 1, where
    /// rows 0 to n2 - 1 are those of the column.
    pub const fn u_rows(self) -> usize {
        self.columns.n2 + 4
    }

    /// Returns the number of rows of a plane of v that a page loads to each section, from row -1 to row n2, where rows
    /// 0 to n2 - 1 are those of the column.
    pub const fn v_rows(self) -> usize {
        self.columns.n2 + 2
    }

    /// Returns the number of rows of a coarse plane that a page loads to each section, from row -2 to row n2 / 2, where
    /// rows 0 to n2 / 2 - 1 lie in the column.
    pub const fn coarse_rows(self) -> usize {
        self.columns.n2 / 2 + 3
    }

    /// Returns the number of groups of rows of the residual; nobody uses rows behind the one that the smoother reads.
    const fn groups(self) -> usize {
        self.v_rows().div_ceil(ROWS)
    }

    /// Returns the word of v in a record, behind all rows of u that the residual reads.
    const fn v_at(self) -> usize {
        (ROWS * self.groups() + 2) * self.columns.row()
    }

    const fn coarse_at(self) -> usize {
        self.v_at() + ROWS * self.groups() * self.columns.row()
    }

    const fn result_at(self) -> usize {
        2 * self.columns.row() + 2
    }

    /// Returns the word address in local memory of the plane of u that page `number` loads and to which it
    /// interpolates. Pages are numbered from 0 in the order of their runs; the number modulo 4 decides.
    pub const fn u(self, number: usize) -> usize {
        self.records.word(number + 2, 0)
    }

    /// Returns the word address in local memory of the plane of v that page `number` loads and that becomes the
    /// residual. Pages are numbered as in [`Self::u`].
    pub const fn v(self, number: usize) -> usize {
        self.records.word(number + 2, self.v_at())
    }

    /// Returns the word addresses in local memory of the two neighbouring coarse planes that page `number` reads, the
    /// first page of a pair. The fine plane of this page lies between these planes, and that of the next page lies on
    /// the second one. Pages are numbered as in [`Self::u`].
    pub const fn coarse(self, number: usize) -> [usize; 2] {
        let coarse = self.coarse_at();
        [self.records.word(number, coarse), self.records.word(number + 2, coarse)]
    }

    /// Returns the word address in local memory where page `number` leaves its plane of the new u: that of point 0 of
    /// row 0, in rows of [`Columns::row`] words. Pages are numbered as in [`Self::u`].
    pub const fn result(self, number: usize) -> usize {
        self.records.word(number, self.result_at())
    }

    fn interp(self, fine: Fine, mode: InterpolationMode) -> Stage {
        let (row, u) = (self.coarse_row(), self.columns.row());
        let lay = self.records.lay([row, 1, 2], u, true);
        let size = (row - 2, COARSE_ROWS, self.u_rows() / 2 / COARSE_ROWS);
        let (label, faced, before): (_, &[usize], _) = match fine {
            Fine::Between => (BETWEEN, &[0, 2], 0),
            // The second page finds its first record one further on.
            Fine::On => (ON, &[1], plane::CONSTANTS.len()),
        };
        Stage {
            label,
            work: "interpolation",
            operands: Operands {
                faced,
                faced_word: self.coarse_at(),
                plain: RecordPlace { record: 2, word: 0 },
                result: None,
                constants: self.constants() + before,
            },
            code: plane::interp(fine, size, lay, mode == InterpolationMode::Add),
        }
    }

    fn resid(self) -> Stage {
        let lay = self.records.lay([self.columns.row(), 2, 1], self.columns.row(), true);
        let block = GridBlock::new(self.columns.n1 + 8, ROWS, 2);
        let sizes = Sizes::Plane(self.groups());
        Stage {
            label: RESID,
            work: "residual",
            operands: Operands {
                faced: &[0, 1, 2],
                faced_word: 0,
                plain: RecordPlace { record: 2, word: self.v_at() },
                result: None,
                constants: self.constants() + 2 * plane::CONSTANTS.len(),
            },
            code: stencil::laid((Stencil::Resid, Order::Turning), block, lay, ROWS, sizes),
        }
    }

    fn smooth(self) -> Stage {
        let lay = self.records.lay([self.columns.row(), 0, 1], self.columns.row(), true);
        let block = GridBlock::new(self.columns.n1, SMOOTH_ROWS, 2);
        let sizes = Sizes::Plane(self.columns.n2 / SMOOTH_ROWS);
        let resid = GridKernel::Resid.constants(&Operator::A).len();
        let order = if self.columns == Columns::WIDE { Order::Deferred } else { Order::Rows };
        Stage {
            label: SMOOTH,
            work: "smoothing",
            operands: Operands {
                faced: &[0, 1, 2],
                faced_word: self.v_at(),
                plain: RecordPlace { record: 0, word: self.result_at() },
                result: None,
                constants: self.constants() + 2 * plane::CONSTANTS.len() + resid,
            },
            code: stencil::laid((Stencil::Smooth, order), block, lay, SMOOTH_ROWS, sizes),
        }
    }

    /// Returns the word address in local memory, the same in all sections, from which on the routines of all stages read
    /// the words of [`constants`]. They lie behind the planes in the second of the four records.
    pub const fn constants(self) -> usize {
        self.records.word(1, CONSTANTS_AT)
    }

    fn stages(self, mode: InterpolationMode) -> [Stage; 4] {
        let interp = |fine| self.interp(fine, mode);
        [interp(Fine::Between), interp(Fine::On), self.resid(), self.smooth()]
    }

    /// Returns the assembly text of the routines of all stages, which the kernels of [`sequences`] call. `mode`
    /// tells whether the interpolation adds to u.
    pub fn routines(self, mode: InterpolationMode) -> String {
        self.stages(mode).iter().map(|stage| stage.routine(self.records)).collect()
    }

    /// Returns the fewest cycles that a page takes for each stage: the number of operations that the fuller slot has to
    /// issue for it, latencies not counted. `mode` tells whether the interpolation adds
    /// to u.
    pub fn least_cycles(self, mode: InterpolationMode) -> LeastCycles {
        LeastCycles(self.stages(mode).map(|stage| stage.least_cycles()))
    }
}

/// Fewest cycles that a page (the planes that lie in local memory at once) takes for each of the four stages that do
/// interpolation, residual and smoother, in this order: interpolation to a plane between coarse planes, interpolation
/// to a plane on a coarse plane, residual, smoother. [`Layout::least_cycles`] makes it.
#[derive(Clone, Copy, Debug)]
pub struct LeastCycles(pub [usize; 4]);

impl LeastCycles {
    /// Returns the fewest cycles of the kernel for page `page` of a column: the sum over the stages that the page has.
    /// Pages before page 0, which only prepare data, have negative numbers and fewer stages; before page -4 the sum is
    /// 0.
    pub fn of(self, page: isize) -> usize {
        let [between, on, resid, smooth] = self.0;
        let interp = if page % 2 == 0 { between } else { on };
        [interp, resid, smooth][..stages(page)].iter().sum()
    }
}

/// Labels of the routines.
const BETWEEN: &str = "fused_between";
const ON: &str = "fused_on";
const RESID: &str = "fused_resid";
const SMOOTH: &str = "fused_smooth";

/// Returns the number of stages (of interpolation, residual, smoother, in this order) that page `page` of a column has,
/// where a page is the planes that lie in local memory at once: 1 from page -4 on, 2 from -2 on, 3 from 0 on, and none
/// before, as [`LEAD`] tells.
pub const fn stages(page: isize) -> usize {
    let mut stages = 0;
    while stages < LEAD.len() && page >= -(LEAD[stages] as isize) {
        stages += 1;
    }
    stages
}

/// Returns the three kernels that go from page to page by themselves: for pages with the first stage (interpolation),
/// with the first two (and residual) and with all three (and smoother). One pass of a kernel goes through two pages,
/// the first with a fine plane between coarse planes, the second with one on a coarse plane.
pub fn sequences() -> [StagedKernel; LEAD.len()] {
    [1, 2, 3].map(|n| {
        let of = |interp| [interp, RESID, SMOOTH][..n].to_vec();
        StagedKernel { name: format!("fused_{n}"), pages: vec![of(BETWEEN), of(ON)] }
    })
}

/// Returns the words with the weights of all operators, which the routines read and the first pages load to
/// [`Layout::constants`]: those of both interpolations, of the residual, and of the smoother with the weights of `smoother`.
pub fn constants(smoother: &Operator) -> Vec<u64> {
    let mut words = plane::constants(&Operator::Q, Fine::Between);
    words.extend(plane::constants(&Operator::Q, Fine::On));
    words.extend(GridKernel::Resid.constants(&Operator::A));
    words.extend(GridKernel::Smooth.constants(smoother));
    words
}
