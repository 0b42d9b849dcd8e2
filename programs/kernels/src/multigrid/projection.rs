//! Generator of `proj_general`: the projection for any four weights. The one for NPB's P, which is a
//! product of sums along the axes, is in `transfer`.
//!
//! A coarse point lies on a fine point of odd number, which is the lo of its word; its neighbours along x
//! are the hi of this word and of the next. So the words of two coarse points are first parted into G,
//! both lo, and H, both hi. With p, t and e as in `general`, G gives to the own points, H to both
//! sides: Y = c1 c + c2 (p + t) + c3 e of H is the left neighbours' part, and shifted by one point that
//! of the right ones.

use super::layout::GridBlock;
use super::sizes::Sizes;
use crate::linear_text::LinearText;

/// Address sets.
const FACED: usize = 0;
const COARSE: usize = 2;

/// Names of the constants: weights of (p, t) and of (c, e) in Y, of (t, p) and of (e, c) at the own
/// point, and of the neighbours along x.
const CONSTANTS: [&str; 6] = ["%yt", "%ye", "%gt", "%ge", "%sides", "%unused"];

/// Writes the lines of `proj_general`; `block` is the fine one.
pub(super) fn lines(block: GridBlock, sizes: Sizes) -> LinearText {
    let mut writer = Writer { block, code: LinearText::default() };
    super::load_constants(&mut writer.code, &CONSTANTS);
    sizes.begin_planes(&mut writer.code, block.n3 / 2);
    writer.body();
    writer.code.leave_at(FACED, 2 * block.plane() as i64);
    writer.code.leave_at(COARSE, block.halved().plain_plane() as i64);
    writer.code.end_loop();
    writer.code
}

struct Writer {
    block: GridBlock,
    code: LinearText,
}

impl Writer {
    /// Writes one coarse plane, two columns of words after the other.
    fn body(&mut self) {
        let last = self.block.words() + 2;
        for k in (2..=last).step_by(2) {
            for row in 0..=self.block.n2 {
                if k < last {
                    self.words(k, row);
                } else {
                    self.last_word(k, row);
                }
                if row == 0 || row % 2 == 1 {
                    continue;
                }
                let row = row - 2;
                if k % 4 == 2 && k > 2 {
                    self.copy_before(k, row);
                }
                self.sides(k, row);
                if k > 2 {
                    self.finish(k - 2, row);
                }
                if k < last {
                    self.own(k, row);
                }
            }
        }
    }

    /// Returns the displacement of a fine word: `plane` 0..3 around the coarse plane, `row` from the first row of points.
    fn at(&self, plane: usize, row: usize, k: usize) -> i64 {
        ((plane + 1) * self.block.plane() + (row + 1) * self.block.row() + k) as i64
    }

    /// Writes G and H of c and p, of two words of a fine row.
    fn words(&mut self, k: usize, row: usize) {
        for (plane, name) in ["a", "s", "b"].into_iter().enumerate() {
            let regs = format!("%{name}{k}_{row}:%{name}{}_{row}", k + 1);
            self.code.access("ld", regs, FACED, self.at(plane, row, k));
        }
        for k in [k, k + 1] {
            self.code.line(format!("psadd %p{k}_{row}, %a{k}_{row}, %b{k}_{row}"));
        }
        for name in ["p", "s"] {
            let [to, from] = [
                format!("%g{name}{k}_{row}:%h{name}{k}_{row}"),
                format!("%{name}{k}_{row}:%{name}{}_{row}", k + 1),
            ];
            self.code.line(format!("psprmsgn {to}, {from}, 2, 0, 3, 1"));
        }
    }

    /// Writes the word of the right face, whose hi is its H.
    fn last_word(&mut self, k: usize, row: usize) {
        for (plane, name) in ["a", "hs", "b"].into_iter().enumerate() {
            self.code.access("lw", format!("%{name}{k}_{row}"), FACED, self.at(plane, row, k));
        }
        self.code.line(format!("psadd %hp{k}_{row}, %a{k}_{row}, %b{k}_{row}"));
    }

    /// Writes t and e of G or H, of the coarse row around the fine row behind `row`.
    fn sums(&mut self, part: &str, k: usize, row: usize) {
        for (sum, of) in [("t", "s"), ("e", "p")] {
            let of = [row, row + 2].map(|row| format!("%{part}{of}{k}_{row}"));
            self.code.line(format!("psadd %{part}{sum}{k}_{row}, {}, {}", of[0], of[1]));
        }
    }

    /// Writes Y, what H gives to both sides.
    fn sides(&mut self, k: usize, row: usize) {
        self.sums("h", k, row);
        let mid = row + 1;
        self.code.line(format!("mtvmul %ht{k}_{row}, %hp{k}_{mid}, %yt, %y{k}_{row}"));
        self.code.line(format!("mtvmadd %y{k}_{row}, %hs{k}_{mid}:%he{k}_{row}, %ye"));
    }

    /// Writes what G gives to the own points.
    fn own(&mut self, k: usize, row: usize) {
        self.sums("g", k, row);
        let mid = row + 1;
        self.code.line(format!("mtvmul %gt{k}_{row}, %gp{k}_{mid}, %gt, %r{k}_{row}"));
        self.code.line(format!("mtvmadd %r{k}_{row}, %ge{k}_{row}:%gs{k}_{mid}, %ge"));
    }

    /// Writes a copy of the Y before Y(k) in front of Y(k), before Y(k) is made. Every second Y needs none, for it stands
    /// behind the one before it.
    fn copy_before(&mut self, k: usize, row: usize) {
        let to = format!("%z{}_{row}:%y{k}_{row}", k - 2);
        let from = format!("%y{}_{row}:%y{}_{row}", k - 4, k - 2);
        self.code.line(format!("psprmsgn {to}, {from}, 2, 3, 0, 1"));
    }

    /// Adds the neighbours along x: Y, and Y shifted by one point.
    fn finish(&mut self, k: usize, row: usize) {
        let left = if k % 4 == 2 { "y" } else { "z" };
        let both = format!("%u{k}_{row}:%v{k}_{row}");
        let from = format!("%{left}{k}_{row}:%y{}_{row}", k + 2);
        self.code.line(format!("psprmsgn {both}, {from}, 0, 1, 3, 0"));
        self.code.line(format!("mtvmadd %r{k}_{row}, {both}, %sides"));
        if k.is_multiple_of(4) {
            let at = row / 2 * self.block.halved().words() + k / 2 - 2;
            let regs = format!("%r{}_{row}:%r{k}_{row}", k - 2);
            self.code.access("sd", regs, COARSE, at as i64);
        }
    }
}
