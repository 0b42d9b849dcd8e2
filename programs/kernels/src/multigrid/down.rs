//! Stages of the pages that make the residual of a grid and its projection in one go. A section goes through a column
//! of fine points plane by plane, one plane in a page; planes lie in records, see `staged`.
//! `specs/src/procedures/multigrid.md` tells how a column is gone through, and `multigrid/down.rs` of the procedures
//! which page moves what.
//!
//! A record has a fine plane of u, with a row more on each side; the plane before it of v, which becomes the residual,
//! with a row more behind; and the results of the projection.

use super::columns::Columns;
use super::layout::GridBlock;
use super::sizes::Sizes;
use super::staged::{Operands, RecordPlace, Records, Stage, StagedKernel};
use super::stencil::{self, Order, Stencil};
use super::{GridKernel, Operator, transfer};

/// Rows of the residual that linear code works on at once, and fine ones of the projection.
const ROWS: usize = 3;
const PROJECTED_ROWS: usize = 4;
/// Words before the constants of a record.
const CONSTANTS_AT: usize = 2032;

/// Layout of the planes of u, v and the projected residual v - A u in the [records](Records) of local memory
/// (quarters of it, each with one plane of every array), for pages that make the residual and its projection. A page is
/// the planes that lie in local memory at once; page p of a column makes the residual of plane p.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    /// Cross-section of the columns of the grid that the pages go through.
    pub columns: Columns,
    /// Places of the records in local memory.
    pub records: Records,
}

impl Layout {
    /// Returns the number of words of a row of v in local memory: points 0 to n1 + 3, two to a word, where n1 is the
    /// number of points of a row of the column.
    pub const fn v_row(self) -> usize {
        self.columns.n1 / 2 + 2
    }

    /// Returns the number of words of a row of results of the projection in local memory: n1 / 2 coarse points, two to
    /// a word, where n1 is the number of fine points of a row of the column.
    pub const fn result_row(self) -> usize {
        self.columns.n1 / 4
    }

    /// Returns the number of rows of a plane of u that a page loads to each section, from row -1 to row n2 + 1, where
    /// rows 0 to n2 - 1 are those of the column.
    pub const fn u_rows(self) -> usize {
        self.columns.n2 + 3
    }

    /// Returns the number of rows of a plane of v that a page loads to each section, from row 0 to row n2, where rows 0
    /// to n2 - 1 are those of the column.
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

    /// Returns the word address in local memory to which page `number` loads a plane of u, the one behind the plane of
    /// which the page makes the residual. Pages are numbered from 0 in the order of their runs; the number modulo 4
    /// decides.
    pub const fn u(self, number: usize) -> usize {
        self.records.word(number + 2, 0)
    }

    /// Returns the word address in local memory to which page `number` loads a plane of v, and where the page leaves
    /// the residual of this plane. Pages are numbered as in [`Self::u`].
    pub const fn v(self, number: usize) -> usize {
        self.records.word(number + 2, self.v_at())
    }

    /// Returns the word address in local memory where page `number` leaves a coarse plane of the projected residual.
    /// Pages are numbered as in [`Self::u`].
    pub const fn result(self, number: usize) -> usize {
        self.records.word(number, self.result_at())
    }

    fn resid(self) -> Stage {
        let lay = self.records.lay([self.columns.row(), 0, 1], self.v_row(), true);
        let block = GridBlock::new(self.columns.n1 + 4, ROWS, 2);
        let sizes = Sizes::Plane(self.groups());
        Stage {
            label: RESID,
            work: "residual",
            operands: Operands {
                faced: &[0, 1, 2],
                faced_word: 0,
                plain: RecordPlace { record: 2, word: self.v_at() },
                result: None,
                constants: self.constants(),
            },
            code: stencil::laid((Stencil::Resid, Order::Turning), block, lay, ROWS, sizes),
        }
    }

    fn proj(self) -> Stage {
        let lay = self.records.lay([self.v_row(), 2, 1], self.result_row(), false);
        let block = GridBlock::new(self.columns.n1, PROJECTED_ROWS, 2);
        let sizes = Sizes::Plane(self.columns.n2 / PROJECTED_ROWS);
        let result = RecordPlace { record: 0, word: self.result_at() };
        Stage {
            label: PROJ,
            work: "projection",
            operands: Operands {
                faced: &[0, 1, 2],
                faced_word: self.v_at(),
                plain: result,
                result: Some(result),
                constants: self.constants() + GridKernel::Resid.constants(&Operator::A).len(),
            },
            code: transfer::proj_laid(block, lay, sizes),
        }
    }

    /// Returns the word address in local memory, the same in all sections, from which on the routines of residual and
    /// projection read the words of [`constants`]. They lie behind the planes in the second of the four records.
    pub const fn constants(self) -> usize {
        self.records.word(1, CONSTANTS_AT)
    }

    /// Returns the assembly text of the routines of both stages, the residual and its projection, which the kernels of
    /// [`sequences`] call.
    pub fn routines(self) -> String {
        self.resid().routine(self.records) + &self.proj_routine()
    }

    /// Returns the assembly text of the routine of the projection alone, which the kernels of [`proj_sequences`] call.
    pub fn proj_routine(self) -> String {
        self.proj().routine(self.records)
    }

    /// Returns the fewest cycles that a page takes for the residual of its plane, then those for the projection of that
    /// residual: for each the number of operations that its fuller slot has to issue, latencies not counted. A page is
    /// the planes of all sections that lie in local memory at once, one plane of results in each.
    pub fn least_cycles(self) -> [usize; 2] {
        [self.resid().least_cycles(), self.proj().least_cycles()]
    }
}

/// Labels of the routines.
const RESID: &str = "down_resid";
const PROJ: &str = "down_proj";

/// Returns the two kernels for pages that make the residual of a plane: one that takes single pages, and one that takes
/// pairs of pages, of which the second also projects the residual, as every second fine plane lies on a coarse one.
pub fn sequences() -> [StagedKernel; 2] {
    [
        StagedKernel { name: "down_resid_page".to_owned(), pages: vec![vec![RESID]] },
        StagedKernel { name: "down_pages".to_owned(), pages: vec![vec![RESID], vec![RESID, PROJ]] },
    ]
}

/// Returns the two kernels for pages that load the residual from system memory, where it is already: one that takes
/// single pages, which compute nothing and only bring a plane, and one that takes pairs of pages, of which the second
/// projects the residual.
pub fn proj_sequences() -> [StagedKernel; 2] {
    [
        StagedKernel { name: "proj_page".to_owned(), pages: vec![Vec::new()] },
        StagedKernel { name: "proj_pages".to_owned(), pages: vec![Vec::new(), vec![PROJ]] },
    ]
}

/// Returns the words with the weights of both operators, which the routines read and the first pages load to
/// [`Layout::constants`]: those of the residual, then those of the projection.
pub fn constants() -> Vec<u64> {
    let mut words = GridKernel::Resid.constants(&Operator::A);
    words.extend(GridKernel::Proj.constants(&Operator::P));
    words
}
