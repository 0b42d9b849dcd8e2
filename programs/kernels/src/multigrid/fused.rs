//! Stages of a fused page: interpolation, residual and smoother, one after the other on planes that stay in local
//! memory, each on as much more of the planes around as the next one needs. A section goes through a column of fine
//! points plane by plane; planes lie in records, see `staged`. How a column is gone through is in
//! `specs/src/procedures/multigrid.md`; which page moves what, in `multigrid/fused.rs` of the procedures.
//!
//! A record has one fine plane of u with two rows more on each side; the plane before it of v, which becomes r, with one row
//! more; and a tail with a coarse plane. All rows of fine planes have points -4 to n + 3.

use super::columns::Columns;
use super::layout::GridBlock;
use super::plane::{self, Fine};
use super::sizes::Sizes;
use super::staged::{Operands, Stage, StagedKernel, lay, word};
use super::stencil::{self, Order, Stencil};
use super::{GridKernel, Operator};

/// Coarse rows that the interpolation works on at once, rows of the residual, and those of the smoother.
const COARSE_ROWS: usize = 2;
const ROWS: usize = 3;
const SMOOTH_ROWS: usize = 4;
/// Words before the constants of a record.
const CONSTANTS_AT: usize = 2016;
/// Number of pages of a column before the first one that gives results, by the first stage that they need.
pub const LEAD: [usize; 3] = [4, 2, 0];

/// Use of the old u in the interpolation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Onto {
    /// The interpolation is added to u.
    Old,
    /// The interpolation replaces u, which is not read.
    Nothing,
}

/// Layout of the planes of a page in records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    /// The columns that pages go through.
    pub columns: Columns,
}

impl Layout {
    /// Returns the words of a row of a coarse plane: points n / 2 and four more on each side.
    pub const fn coarse_row(self) -> usize {
        self.columns.n1 / 4 + 4
    }

    /// Returns the number of rows of u, from -2 on.
    pub const fn u_rows(self) -> usize {
        self.columns.n2 + 4
    }

    /// Returns the number of rows of v, from -1 on.
    pub const fn v_rows(self) -> usize {
        self.columns.n2 + 2
    }

    /// Returns the number of coarse rows, from -2 on.
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

    /// Returns the address of the plane of u to which a page interpolates, by the number of the page in a run.
    pub const fn u(self, number: usize) -> usize {
        word(number + 2, 0)
    }

    /// Returns the address of the plane of v that becomes the residual, by the number of the page in a run.
    pub const fn v(self, number: usize) -> usize {
        word(number + 2, self.v_at())
    }

    /// Returns the addresses of the coarse planes between which the first of two pages interpolates, by its number in a run;
    /// on the latter of them lies the fine plane of the second page.
    pub const fn coarse(self, number: usize) -> [usize; 2] {
        [word(number, self.coarse_at()), word(number + 2, self.coarse_at())]
    }

    /// Returns the address of the results of a page, by its number in a run.
    pub const fn result(self, number: usize) -> usize {
        word(number, self.result_at())
    }

    fn interp(self, fine: Fine, onto: Onto) -> Stage {
        let mut lay = lay(self.coarse_row(), 1, self.columns.row(), true);
        lay.faced[1] = word(2, 0);
        let size = (self.coarse_row() - 2, COARSE_ROWS, self.u_rows() / 2 / COARSE_ROWS);
        let [below, above] = self.coarse(0);
        let (label, coarse, before) = match fine {
            Fine::Between => (BETWEEN, below, 0),
            // The second page finds its first record one further on.
            Fine::On => (ON, above - word(1, 0), plane::CONSTANTS.len()),
        };
        let u = self.u(0);
        Stage {
            label,
            operands: Operands { at: [coarse, u, u], constants: CONSTANTS + before },
            code: plane::interp(fine, size, lay, onto == Onto::Old),
        }
    }

    fn resid(self) -> Stage {
        let lay = lay(self.columns.row(), 2, self.columns.row(), true);
        let block = GridBlock::new(self.columns.n1 + 8, ROWS, 2);
        let v = self.v(0);
        Stage {
            label: RESID,
            operands: Operands {
                at: [word(0, 0), v, v],
                constants: CONSTANTS + 2 * plane::CONSTANTS.len(),
            },
            code: stencil::laid(
                (Stencil::Resid, Order::Turning),
                block,
                lay,
                ROWS,
                Sizes::Plane(self.groups()),
            ),
        }
    }

    fn smooth(self) -> Stage {
        let lay = lay(self.columns.row(), 0, self.columns.row(), true);
        let block = GridBlock::new(self.columns.n1, SMOOTH_ROWS, 2);
        let sizes = Sizes::Plane(self.columns.n2 / SMOOTH_ROWS);
        let resid = GridKernel::Resid.constants(&Operator::A).len();
        let constants = CONSTANTS + 2 * plane::CONSTANTS.len() + resid;
        let u = self.result(0);
        let order = if self.columns == Columns::WIDE { Order::Deferred } else { Order::Rows };
        Stage {
            label: SMOOTH,
            operands: Operands { at: [word(0, self.v_at()), u, u], constants },
            code: stencil::laid((Stencil::Smooth, order), block, lay, SMOOTH_ROWS, sizes),
        }
    }

    fn stages(self, onto: Onto) -> [Stage; 4] {
        let interp = |fine| self.interp(fine, onto);
        [interp(Fine::Between), interp(Fine::On), self.resid(), self.smooth()]
    }

    /// Returns the text of the routines of all stages.
    pub fn routines(self, onto: Onto) -> String {
        self.stages(onto).iter().map(Stage::routine).collect()
    }

    /// Returns the fewest cycles of the stages: what the fuller slot has to issue.
    pub fn least_cycles(self, onto: Onto) -> LeastCycles {
        LeastCycles(self.stages(onto).map(|stage| stage.least_cycles()))
    }
}

/// Fewest cycles of each stage in a page, in the order of the stages: interpolations between and on planes, residual,
/// smoother.
#[derive(Clone, Copy, Debug)]
pub struct LeastCycles(pub [usize; 4]);

impl LeastCycles {
    /// Returns the fewest cycles of a page, by its number in the column, which has pages before page 0.
    pub fn of(self, page: isize) -> usize {
        let [between, on, resid, smooth] = self.0;
        let interp = if page % 2 == 0 { between } else { on };
        [interp, resid, smooth][..stages(page)].iter().sum()
    }
}

/// Word of local memory, the same in all sections, from which on the routines of all stages expect [`constants`]; it lies
/// behind the planes in the second record ([`RECORD`](super::staged::RECORD)).
pub const CONSTANTS: usize = word(1, CONSTANTS_AT);

/// Labels of the routines.
const BETWEEN: &str = "fused_between";
const ON: &str = "fused_on";
const RESID: &str = "fused_resid";
const SMOOTH: &str = "fused_smooth";

/// Returns the number of stages of a page, the first ones, by the page's number in the column.
pub const fn stages(page: isize) -> usize {
    let mut stages = 0;
    while stages < LEAD.len() && page >= -(LEAD[stages] as isize) {
        stages += 1;
    }
    stages
}

/// Returns the kernels of pages with the first stage, with the first two and with all three, two pages in turn.
pub fn sequences() -> [StagedKernel; LEAD.len()] {
    [1, 2, 3].map(|n| {
        let of = |interp| [interp, RESID, SMOOTH][..n].to_vec();
        StagedKernel { name: format!("fused_{n}"), pages: vec![of(BETWEEN), of(ON)] }
    })
}

/// Returns the constants of the routines, which lie at [`CONSTANTS`]: of both interpolations, the residual, the smoother.
pub fn constants(smoother: &Operator) -> Vec<u64> {
    let mut words = plane::constants(&Operator::Q, Fine::Between);
    words.extend(plane::constants(&Operator::Q, Fine::On));
    words.extend(GridKernel::Resid.constants(&Operator::A));
    words.extend(GridKernel::Smooth.constants(smoother));
    words
}
