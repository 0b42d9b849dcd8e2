//! Stages of a page that makes the residual of a grid and its projection in one go. A section goes through a column of
//! fine points plane by plane; planes lie in records, see `staged`. How a column is gone through is in
//! `specs/src/procedures/multigrid.md`; which page moves what, in `multigrid/down.rs` of the procedures.
//!
//! A record has a fine plane of u, with a row more on each side; the plane before it of v, which becomes the residual, with a
//! row more behind; and the results of the projection.

use super::columns::Columns;
use super::layout::GridBlock;
use super::sizes::Sizes;
use super::staged::{Operands, Stage, StagedKernel, lay, word};
use super::stencil::{self, Order, Stencil};
use super::{GridKernel, Operator, transfer};

/// Rows of the residual that linear code works on at once, and fine ones of the projection.
const ROWS: usize = 3;
const PROJECTED_ROWS: usize = 4;
/// Words before the constants of a record.
const CONSTANTS_AT: usize = 2032;

/// Layout of the planes of a page in records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    /// The columns that pages go through.
    pub columns: Columns,
}

impl Layout {
    /// Returns the words of a row of v: points 0 to n + 3.
    pub const fn v_row(self) -> usize {
        self.columns.n1 / 2 + 2
    }

    /// Returns the words of a row of results of the projection: n1 / 2 points, two to a word.
    pub const fn result_row(self) -> usize {
        self.columns.n1 / 4
    }

    /// Returns the number of rows of u that a page reads, from -1 on.
    pub const fn u_rows(self) -> usize {
        self.columns.n2 + 3
    }

    /// Returns the number of rows of v, from 0 on.
    pub const fn v_rows(self) -> usize {
        self.columns.n2 + 1
    }

    /// Returns the number of groups of rows of the residual; nobody uses rows behind the one that the projection reads.
    const fn groups(self) -> usize {
        self.v_rows().div_ceil(ROWS)
    }

    const fn v_at(self) -> usize {
        (ROWS * self.groups() + 2) * self.columns.row()
    }

    const fn result_at(self) -> usize {
        self.v_at() + ROWS * self.groups() * self.v_row()
    }

    /// Returns the address of the plane of u behind that of a page, by the number of the page.
    pub const fn u(self, number: usize) -> usize {
        word(number + 2, 0)
    }

    /// Returns the address of the plane of v and of the residual, by the number of the page.
    pub const fn v(self, number: usize) -> usize {
        word(number + 2, self.v_at())
    }

    /// Returns the address of the coarse plane, by the number of the page.
    pub const fn result(self, number: usize) -> usize {
        word(number, self.result_at())
    }

    fn resid(self) -> Stage {
        let lay = lay(self.columns.row(), 0, self.v_row(), true);
        let block = GridBlock::new(self.columns.n1 + 4, ROWS, 2);
        let sizes = Sizes::Plane(self.groups());
        let v = word(2, self.v_at());
        Stage {
            label: RESID,
            operands: Operands { at: [word(0, 0), v, v], constants: CONSTANTS },
            code: stencil::laid((Stencil::Resid, Order::Turning), block, lay, ROWS, sizes),
        }
    }

    fn proj(self) -> Stage {
        let lay = lay(self.v_row(), 2, self.result_row(), false);
        let block = GridBlock::new(self.columns.n1, PROJECTED_ROWS, 2);
        let sizes = Sizes::Plane(self.columns.n2 / PROJECTED_ROWS);
        let result = word(0, self.result_at());
        let constants = CONSTANTS + GridKernel::Resid.constants(&Operator::A).len();
        Stage {
            label: PROJ,
            operands: Operands { at: [word(0, self.v_at()), result, result], constants },
            code: transfer::proj_laid(block, lay, sizes),
        }
    }

    /// Returns the text of the routines of both stages.
    pub fn routines(self) -> String {
        self.resid().routine() + &self.proj_routine()
    }

    /// Returns the text of the routine of the projection alone.
    pub fn proj_routine(self) -> String {
        self.proj().routine()
    }

    /// Returns the fewest cycles of the residual and of its projection: what the fuller slot has to issue.
    pub fn least_cycles(self) -> [usize; 2] {
        [self.resid().least_cycles(), self.proj().least_cycles()]
    }
}

/// Word of local memory, the same in all sections, from which on the routines of residual and projection expect
/// [`constants`]; it lies behind the planes in the second record ([`RECORD`](super::staged::RECORD)).
pub const CONSTANTS: usize = word(1, CONSTANTS_AT);

/// Labels of the routines.
const RESID: &str = "down_resid";
const PROJ: &str = "down_proj";

/// Returns the kernels of pages with the residual: of one page, and of two pages of which the second one projects the
/// residual.
pub fn sequences() -> [StagedKernel; 2] {
    [
        StagedKernel { name: "down_resid_page".to_owned(), pages: vec![vec![RESID]] },
        StagedKernel { name: "down_pages".to_owned(), pages: vec![vec![RESID], vec![RESID, PROJ]] },
    ]
}

/// Returns the kernels of pages whose residual there is already: of one page with nothing to do, and of two pages of which
/// the second one projects the residual.
pub fn proj_sequences() -> [StagedKernel; 2] {
    [
        StagedKernel { name: "proj_page".to_owned(), pages: vec![Vec::new()] },
        StagedKernel { name: "proj_pages".to_owned(), pages: vec![Vec::new(), vec![PROJ]] },
    ]
}

/// Returns the constants of both routines, which lie at [`CONSTANTS`]: those of the residual, then those of the projection.
pub fn constants() -> Vec<u64> {
    let mut words = GridKernel::Resid.constants(&Operator::A);
    words.extend(GridKernel::Proj.constants(&Operator::P));
    words
}
