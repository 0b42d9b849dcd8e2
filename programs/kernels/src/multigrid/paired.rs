//! Generator of `resid` on two groups of four rows in one pass of the loop. What it computes, and with which
//! operations, is told in `stencil`; here rows are taken one after the other within two columns of words, so
//! that fewer values live at once and centres come two by a load.
//!
//! The sums along z of the two rows that both groups read are made once: the first group leaves them where
//! results of the second will stand, which are stored behind their last use. With accesses of 32 bits the
//! words at the ends of rows, of which half is of use, are made two in one: the right end of one group beside
//! the left end of the other.

use super::GridKernel;
use super::layout::GridBlock;
use super::sizes::{Lay, Sizes};
use crate::linear_text::LinearText;

/// Address sets.
const FACED: usize = 0;
const PLAIN: usize = 1;
const RESULT: usize = 2;

/// Names of the constants, in pairs as they are loaded; see `GridKernel::constants` of `resid`, and the
/// last word but one with its halves exchanged.
const CONSTANTS: &[&str] = &["%sides", "%mix", "%corners", "%ends", "%turned", "%unused"];

/// Rows of a group.
const ROWS: usize = 4;

/// Rows of a pass.
pub(super) const TOGETHER: usize = 2 * ROWS;

/// Selection that makes (left.lo, right.hi) and a copy of the right word.
const ACROSS: &str = "3, 0, 2, 3";

/// Writes the lines between `.linear` and `.endlinear`.
pub(super) fn lines(block: GridBlock, has_halves: bool) -> LinearText {
    let lay = Lay::of(GridKernel::Resid, block, Sizes::Text);
    let [faced, plain] = [lay.faced, lay.plain].map(|steps| steps.map(|words| words as i64));
    let code = LinearText::default();
    let mut pair = Pair { words: block.words(), lay, has_halves, group: 0, code };
    super::load_constants(&mut pair.code, CONSTANTS);
    let passes = block.n2 / TOGETHER;
    if passes > 1 {
        pair.code.begin_loop(passes);
    }
    pair.code.begin_loop(block.n3);
    for group in 0..2 {
        pair.group = group;
        pair.body();
    }
    pair.leave_at(faced[1], plain[1]);
    pair.code.end_loop();
    if passes > 1 {
        let (rows, planes) = (TOGETHER as i64, block.n3 as i64);
        pair.leave_at(rows * faced[0] - planes * faced[1], rows * plain[0] - planes * plain[1]);
        pair.code.end_loop();
    }
    pair.code
}

struct Pair {
    /// Words of a row.
    words: usize,
    lay: Lay,
    /// Whether ends of rows are made two in one.
    has_halves: bool,
    /// The group that is being written.
    group: usize,
    code: LinearText,
}

impl Pair {
    /// Returns the name of a value of column `k` and a row of the group.
    fn at(&self, name: &str, k: usize, row: usize) -> String {
        format!("%{name}{k}_{row}_{}", self.group)
    }

    /// Returns the name of X of a column. The right end of the first group and the left end of the second are one word.
    fn x(&self, k: usize, row: usize) -> String {
        let is_joint = self.has_halves
            && (self.group, k) == if self.group == 0 { (0, self.last()) } else { (1, 1) };
        if is_joint { format!("%y{row}") } else { self.at("x", k, row) }
    }

    /// Returns the column of the right end.
    fn last(&self) -> usize {
        self.words + 2
    }

    /// Returns the displacement of a word of the block with faces; row 0 is the one before the group.
    fn faced(&self, plane: usize, row: usize, k: usize) -> i64 {
        self.lay.faced_at(plane, self.group * ROWS + row, k)
    }

    fn plain(&self, row: usize, k: usize) -> i64 {
        self.lay.plain_at(0, self.group * ROWS + row, k - 2)
    }

    fn leave_at(&mut self, faced: i64, plain: i64) {
        self.code.leave_at(FACED, faced);
        self.code.leave_at(PLAIN, plain);
        self.code.leave_at(RESULT, plain);
    }

    /// Writes a group in a plane.
    fn body(&mut self) {
        let is_first = self.group == 0;
        for k in (2..self.last()).step_by(2) {
            for row in 0..ROWS {
                match (k, self.has_halves) {
                    (2, true) if is_first => self.joint_end(row, true),
                    (2, false) => self.end(1, row),
                    _ => {}
                }
                self.columns(k, row);
                if k + 2 < self.last() {
                    continue;
                }
                match self.has_halves {
                    true if is_first => self.joint_end(row, false),
                    true => {
                        let (x, at) = (self.x(self.last(), row), self.saved_displacement(row));
                        self.code.access("lw", x, RESULT, at);
                    }
                    false => self.end(self.last(), row),
                }
                if self.has_halves {
                    self.across(self.last(), row);
                }
                self.store(self.last(), row);
            }
        }
    }

    /// Returns the rows of operands that a row of results is the first to need.
    fn new_rows(row: usize) -> std::ops::Range<usize> {
        if row == 0 { 0..3 } else { row + 2..row + 3 }
    }

    /// Writes two columns of points of a row.
    fn columns(&mut self, k: usize, row: usize) {
        for row in Self::new_rows(row) {
            self.z_sums(k, row);
            for k in [k, k + 1] {
                let (s, at) = (self.at("s", k, row), self.faced(1, row, k));
                self.code.access("lw", s, FACED, at);
            }
        }
        let regs = format!("{}:{}", self.at("r", k, row), self.at("r", k + 1, row));
        self.code.access("ld", regs, PLAIN, self.plain(row, k));
        self.make_x(k, row);
        let regs = format!("{}:{}", self.at("c", k, row), self.at("c", k + 1, row));
        self.code.access("ld", regs, FACED, self.faced(1, row + 1, k));
        self.own(k, row, [&self.at("q", k, row), &self.at("c", k, row)], "%ends");
        self.across(k, row);
        if k > 2 {
            self.store(k, row);
        }
        let k = k + 1;
        self.make_x(k, row);
        self.own(k, row, [&self.at("c", k, row), &self.at("q", k, row)], "%turned");
        self.across(k, row);
    }

    /// Subtracts what a point gives to itself.
    fn own(&mut self, k: usize, row: usize, [first, second]: [&str; 2], weights: &str) {
        let r = self.at("r", k, row);
        self.code.line(format!("mtvmsub {r}, {first}:{second}, {weights}"));
    }

    /// Writes p of two columns: what lies above and below.
    fn z_sums(&mut self, k: usize, row: usize) {
        let regs =
            |pair: &Self, name| format!("{}:{}", pair.at(name, k, row), pair.at(name, k + 1, row));
        let kept = self.plain(row, k);
        if self.group == 1 && row < 2 {
            self.code.access("ld", regs(self, "p"), RESULT, kept);
            return;
        }
        for (name, plane) in [("a", 0), ("b", 2)] {
            self.code.access("ld", regs(self, name), FACED, self.faced(plane, row, k));
        }
        for k in [k, k + 1] {
            self.sum("p", ["a", "b"], k, [row; 3]);
        }
        if self.group == 0 && row >= ROWS {
            self.code.access("sd", regs(self, "p"), RESULT, kept);
        }
    }

    /// Writes the sum of two values of rows of a column.
    fn sum(&mut self, name: &str, of: [&str; 2], k: usize, [row, a, b]: [usize; 3]) {
        let [to, a, b] = [(name, row), (of[0], a), (of[1], b)].map(|(n, row)| self.at(n, k, row));
        self.code.line(format!("psadd {to}, {a}, {b}"));
    }

    /// Writes X = p + u(y-1) + u(y+1) + a3/a2 q.
    fn make_x(&mut self, k: usize, row: usize) {
        self.sum("q", ["p", "p"], k, [row, row, row + 2]);
        let (x, q, p) = (self.x(k, row), self.at("q", k, row), self.at("p", k, row + 1));
        let (before, after) = (self.at("s", k, row), self.at("s", k, row + 2));
        self.code.line(format!("mtvmul {p}, {q}, %mix, {x}"));
        self.code.line(format!("mtvmadd {x}, {before}:{after}, %sides"));
    }

    /// Writes X at an end of a row, from words of which half is of use.
    fn end(&mut self, k: usize, row: usize) {
        for row in Self::new_rows(row) {
            for (name, plane) in [("a", 0), ("b", 2), ("s", 1)] {
                let (to, at) = (self.at(name, k, row), self.faced(plane, row, k));
                self.code.access("lw", to, FACED, at);
                if name == "b" {
                    self.sum("p", ["a", "b"], k, [row; 3]);
                }
            }
        }
        self.make_x(k, row);
        self.across(k, row);
    }

    /// Writes X at two ends of rows: in hi at the right of one group, in lo at the left of the other. X of the left of the
    /// first group is kept in memory until the second group comes to its right.
    fn joint_end(&mut self, row: usize, is_first: bool) {
        let k = if is_first { 1 } else { self.last() };
        let [right, left] = if is_first { [ROWS, 0] } else { [0, ROWS] };
        for row in Self::new_rows(row) {
            for (name, plane) in [("a", 0), ("b", 2), ("s", 1)] {
                let to = self.at(name, k, row);
                let [right, left] = [(right, self.last()), (left, 1)]
                    .map(|(rows, k)| self.lay.faced_at(plane, rows + row, k));
                self.code.access("lw", to.as_str(), FACED, right);
                self.code.access("lh", format!("{to}.lo"), FACED, left);
                if name == "b" {
                    self.sum("p", ["a", "b"], k, [row; 3]);
                }
            }
        }
        self.make_x(k, row);
        if is_first {
            let (x, at) = (self.x(k, row), self.saved_displacement(row));
            self.code.access("sw", x, RESULT, at);
        }
    }

    /// Returns the displacement at which X of an end is kept: among the last results of the last rows, which are stored
    /// behind the last one is read.
    fn saved_displacement(&self, row: usize) -> i64 {
        self.lay.plain_at(0, TOGETHER - 2 + row / 2, self.words - 2 + row % 2)
    }

    fn store(&mut self, k: usize, row: usize) {
        let regs = format!("{}:{}", self.at("r", k - 2, row), self.at("r", k - 1, row));
        self.code.access("sd", regs, RESULT, self.plain(row, k - 2));
    }

    /// Subtracts what comes from the points at the left and at the right of those in word `k - 1`, as `pairs_across` of
    /// `stencil` does it.
    fn across(&mut self, k: usize, row: usize) {
        let m = |pair: &Self, k| ["ma", "mb", "mc"].map(|name| pair.at(name, k, row));
        let x = self.x(k, row);
        if k == 1 {
            return;
        }
        let r = self.at("r", k - 1, row);
        if k % 2 == 1 {
            let [m0, m1, m2] = m(self, k - 1);
            let before = self.x(k - 1, row);
            self.code.line(format!("psprmsgn {m1}:{m2}, {before}:{x}, {ACROSS}"));
            self.code.line(format!("mtvmsub {r}, {m0}:{m1}, %corners"));
            return;
        }
        let [_, before1, before2] = m(self, k - 2);
        if k < self.last() {
            let [m0, m1, _] = m(self, k);
            let left = if k == 2 { self.x(1, row) } else { before2.clone() };
            self.code.line(format!("psprmsgn {m0}:{m1}, {left}:{x}, {ACROSS}"));
        }
        if k > 2 {
            self.code.line(format!("psprmsgn {before2}:{x}, {before2}:{x}, {ACROSS}"));
            self.code.line(format!("mtvmsub {r}, {before1}:{before2}, %corners"));
        }
    }
}
