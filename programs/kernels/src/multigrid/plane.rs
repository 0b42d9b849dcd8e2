//! The interpolation to one fine plane: that on a coarse plane, or that between two. The operator is a product of one
//! for each axis, so the latter is the former of the sum of both planes with other weights.

use super::sizes::Lay;
use super::transfer::FineWords;
use super::{GridKernel, Operator};
use crate::linear_text::LinearText;

/// Place of the fine plane among the coarse ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fine {
    /// On a coarse plane.
    On,
    /// Between two coarse planes.
    Between,
}

impl Fine {
    /// Returns the number of coarse planes that the fine one is interpolated from.
    const fn coarse_planes(self) -> usize {
        match self {
            Self::On => 1,
            Self::Between => 2,
        }
    }
}

/// Address set of the fine plane.
const FINE: usize = 1;

/// The matrices of fine rows on coarse ones and between them, then that of the left neighbour and of the own pair on
/// coarse rows.
pub(super) const CONSTANTS: [&str; 8] = ["%a0", "%a1", "%h0", "%h1", "%l0", "%l1", "%o0", "%o1"];

/// Returns the words of [`CONSTANTS`], for a fine plane in this place.
pub(super) fn constants(operator: &Operator, fine: Fine) -> Vec<u64> {
    let [_, c1, c2, c3] = operator.0;
    let operator = match fine {
        Fine::On => *operator,
        Fine::Between => Operator([c1, c2, c3, 0.0]),
    };
    // Without the matrix of rows between four coarse ones.
    let words = GridKernel::Interp.constants(&operator);
    [&words[..4], &words[6..]].concat()
}

/// Writes lines that go through `groups` groups of `rows` coarse rows with `words` words in each; `add`: to what the fine
/// plane holds.
pub(super) fn interp(
    fine: Fine,
    (words, rows, groups): (usize, usize, usize),
    lay: Lay,
    add: bool,
) -> LinearText {
    let mut interp = Interp { fine, words, rows, lay, add, code: LinearText::default() };
    super::load_constants(&mut interp.code, &CONSTANTS);
    interp.code.begin_loop(groups);
    interp.body();
    let [faced, plain] = lay.pass_steps([rows, 2 * rows], [1, 1]);
    lay.leave_faced(&mut interp.code, fine.coarse_planes(), faced);
    interp.code.leave_at(FINE, plain);
    interp.code.end_loop();
    interp.code
}

struct Interp {
    fine: Fine,
    words: usize,
    rows: usize,
    lay: Lay,
    add: bool,
    code: LinearText,
}

/// Fine rows on coarse ones and between them: name of the coarse values, matrix.
const KINDS: [(&str, &str); 2] = [("c", "%a"), ("y", "%h")];

impl Interp {
    /// Writes the lines of all columns, which are counted as in a block with faces: the first one of points is 2.
    fn body(&mut self) {
        for k in 1..self.words + 2 {
            for row in 0..=self.rows {
                self.sums(k, row);
                if k > 1 && row > 0 {
                    (0..KINDS.len()).for_each(|kind| self.outputs(k, row, kind));
                }
            }
        }
    }

    /// Loads coarse values. Rows begin with column 1, so columns k and k + 1 are a double word for odd k.
    fn load(&mut self, name: &str, plane: usize, k: usize, row: usize) {
        let (set, at) = self.lay.faced_place(plane, row, k);
        let is_chained = self.fine == Fine::On && self.permutes(0) && row > 0;
        if is_chained {
            self.code.access("lw", format!("%{name}{k}_{row}"), set, at);
        } else if k % 2 == 1 {
            let regs = format!("%{name}{k}_{row}:%{name}{}_{row}", k + 1);
            self.code.access("ld", regs, set, at);
        }
    }

    fn sums(&mut self, k: usize, row: usize) {
        match self.fine {
            Fine::On => self.load("c", 0, k, row),
            Fine::Between => {
                self.load("b", 0, k, row);
                self.load("d", 1, k, row);
                self.code.line(format!("psadd %c{k}_{row}, %d{k}_{row}, %b{k}_{row}"));
            }
        }
        if row > 0 {
            self.code.line(format!("psadd %y{k}_{row}, %c{k}_{row}, %c{k}_{}", row - 1));
        }
    }

    /// Whether the pair across two words is made by `psprmsgn`: for what is added to on coarse planes, no exchange slots are
    /// to spare.
    fn permutes(&self, kind: usize) -> bool {
        kind > 0 || !self.add || self.fine == Fine::Between
    }

    /// Writes the fine words of a row that belong to a coarse word.
    fn outputs(&mut self, k: usize, row: usize, kind: usize) {
        let (name, matrix) = KINDS[kind];
        let at = self.lay.plain_at(0, 2 * row - 1 - kind, 2 * (k - 2));
        let permutes = self.permutes(kind);
        let words = FineWords { name, matrix, k, row, at, add: self.add, permutes };
        words.write(&mut self.code);
    }
}
