//! Generators of the kernels between a grid and the next coarser one: `proj`, `interp`, `interp0`.
//! Which fine point lies on which coarse one is told in `specs/src/multigrid.md`.

use super::GridKernel;
use super::layout::GridBlock;
use super::sizes::{Faces, Lay, Sizes};
use crate::linear_text::LinearText;

/// Address sets, beside those of the operand with faces.
const FINE: usize = 1;
const COARSE: usize = 2;

/// Planes of the operand with faces that `proj` reads for a coarse plane, and `interp` for two fine ones.
const PROJ_PLANES: usize = 3;
const INTERP_PLANES: usize = 2;

/// Constants of `proj`: weights along y and z, along x, three rows of matrices, and the weights of the
/// points at the right.
const PROJ_CONSTANTS: [&str; 8] =
    ["%two", "%mid", "%ends", "%row0", "%row1", "%row2", "%sides", "%unused"];

/// Constants of `interp`: the matrices at scale 1, 1/2, 1/4, then that of the left neighbour and
/// that of the own pair at scale 1.
const INTERP_CONSTANTS: [&str; 10] =
    ["%a0", "%a1", "%h0", "%h1", "%q0", "%q1", "%l0", "%l1", "%o0", "%o1"];

/// Writes the lines of `proj`; `block` is the fine one.
pub(super) fn proj(block: GridBlock, sizes: Sizes) -> LinearText {
    proj_laid(block, Lay::of(GridKernel::Proj, block, sizes), sizes)
}

/// Writes the lines of `proj` for operands in a layout of their own.
pub(super) fn proj_laid(block: GridBlock, lay: Lay, sizes: Sizes) -> LinearText {
    let Faces { before, .. } = sizes.faces(GridKernel::Proj);
    let mut proj = Proj { block, lay, before, code: LinearText::default() };
    super::load_constants(&mut proj.code, &PROJ_CONSTANTS);
    sizes.begin_planes(&mut proj.code, block.n3 / 2);
    proj.body();
    let [faced, coarse] = lay.pass_steps([block.n2, block.n2 / 2], [2, 1]);
    lay.leave_faced(&mut proj.code, PROJ_PLANES, faced);
    proj.code.leave_at(COARSE, coarse);
    proj.code.end_loop();
    proj.code
}

struct Proj {
    block: GridBlock,
    lay: Lay,
    /// Planes and rows before the first one of points.
    before: usize,
    code: LinearText,
}

impl Proj {
    /// Writes one coarse plane. P is (1, 2, 1)/4 along each axis, in the order z, y, x.
    fn body(&mut self) {
        let last = self.block.words() + 2;
        for k in (2..=last).step_by(2) {
            for row in 0..=self.block.n2 {
                self.z_sums(k, row, k < last);
                if row == 0 || row % 2 == 1 {
                    continue;
                }
                self.y_sum(k, row - 2);
                if k < last {
                    self.y_sum(k + 1, row - 2);
                }
                if k > 2 {
                    self.points(k - 2, row - 2);
                }
            }
        }
    }

    /// Returns the address set and the displacement of a fine word: `plane` 0..3 around the coarse plane, `row` from the first
    /// row of points.
    fn at(&self, plane: usize, row: usize, k: usize) -> (usize, i64) {
        self.lay.faced_place(plane + self.before, row + self.before, k)
    }

    /// Writes h = sum along z, of two columns or of the last one. Every other row loads words one by one so that one
    /// operation adds two planes; the others load pairs and add in two operations: so both slots are equally busy. Both add the
    /// plane itself to the one behind first, so that a sum does not depend on its place in the block.
    fn z_sums(&mut self, k: usize, row: usize, double: bool) {
        if double && row % 2 == 1 && (k, row) != (2, 1) {
            self.z_sums_of_pairs(k, row);
            return;
        }
        for k in k..k + 1 + usize::from(double) {
            self.z_sums_of_words(k, row);
        }
    }

    fn z_sums_of_words(&mut self, k: usize, row: usize) {
        for (plane, name) in ["h", "m", "n"].into_iter().enumerate() {
            let (set, at) = self.at(plane, row, k);
            self.code.access("lw", format!("%{name}{k}_{row}"), set, at);
        }
        self.code.line(format!("mtvmadd %h{k}_{row}, %m{k}_{row}:%n{k}_{row}, %mid"));
    }

    fn z_sums_of_pairs(&mut self, k: usize, row: usize) {
        for (plane, name) in ["e", "m", "n"].into_iter().enumerate() {
            let regs = format!("%{name}{k}_{row}:%{name}{}_{row}", k + 1);
            let (set, at) = self.at(plane, row, k);
            self.code.access("ld", regs, set, at);
        }
        for k in [k, k + 1] {
            self.code.line(format!("psmadd %n{k}_{row}, %m{k}_{row}, %two"));
            self.code.line(format!("psadd %h{k}_{row}, %e{k}_{row}, %n{k}_{row}"));
        }
    }

    /// Writes the sum along y around the row after an even `row` in place of h of this row.
    fn y_sum(&mut self, k: usize, row: usize) {
        let (mid, next) = (row + 1, row + 2);
        self.code.line(format!("mtvmadd %h{k}_{row}, %h{k}_{mid}:%h{k}_{next}, %mid"));
    }

    /// Writes the coarse points of one row that lie in columns `k` and `k + 1`.
    fn points(&mut self, k: usize, row: usize) {
        let pair = (k - 2) / 2;
        let [here, next, after] = [k, k + 1, k + 2].map(|k| format!("%h{k}_{row}"));
        let r = format!("%r{pair}_{row}");
        self.code.line(format!("mvmul {next}, {here}, %ends, {r}"));
        if k == self.block.words() {
            // What lies behind the right face is not read, be it no number.
            let (sides, rest) = (format!("%s{k}_{row}"), format!("%u{k}_{row}"));
            self.code.line(format!("mtrans {sides}, {next}, {after}, {rest}"));
            self.code.line(format!("psmadd {r}, {sides}, %sides"));
        } else {
            self.code.line(format!("mvmadd {r}, %row0:%row1, {next}"));
            self.code.line(format!("mvmadd {r}, %row1:%row2, {after}"));
        }
        if pair % 2 == 1 {
            let at = self.lay.plain_at(0, row / 2, pair - 1);
            self.code.access("sd", format!("%r{}_{row}:{r}", pair - 1), COARSE, at);
        }
    }
}

/// Writes the lines of `interp` (`add`: to what the fine block holds) and `interp0`; `block` is the coarse one, the body
/// works on `rows` of its rows.
pub(super) fn interp(block: GridBlock, rows: usize, add: bool, sizes: Sizes) -> LinearText {
    let lay = Lay::of(GridKernel::Interp, block, sizes);
    let mut interp = Interp { block, lay, rows, add, code: LinearText::default() };
    super::load_constants(&mut interp.code, &INTERP_CONSTANTS);
    let groups = sizes.groups(block.n2 / rows);
    let (plane, planes) = (lay.faced[1] as i64, block.n3 as i64);
    let fine_planes = 2 * lay.plain[1] as i64;
    if groups > 1 {
        interp.code.begin_loop(groups);
    }
    sizes.begin_planes(&mut interp.code, block.n3);
    interp.body();
    let [faced, fine] = lay.pass_steps([rows, 2 * rows], [1, 2]);
    lay.leave_faced(&mut interp.code, INTERP_PLANES, faced);
    interp.code.leave_at(FINE, fine);
    interp.code.end_loop();
    if groups > 1 {
        let faced_rows = (rows * lay.faced[0]) as i64 - planes * plane;
        lay.leave_faced(&mut interp.code, INTERP_PLANES, faced_rows);
        let fine_rows = 2 * rows * lay.plain[0];
        interp.code.leave_at(FINE, fine_rows as i64 - planes * fine_planes);
        interp.code.end_loop();
    }
    interp.code
}

struct Interp {
    block: GridBlock,
    lay: Lay,
    rows: usize,
    add: bool,
    code: LinearText,
}

/// The four kinds of fine rows: those on coarse points, between two along y, along z, and between
/// four. Name of the coarse values, matrix.
const KINDS: [(&str, &str); 4] = [("c", "%a"), ("y", "%h"), ("z", "%h"), ("q", "%q")];

impl Interp {
    fn body(&mut self) {
        let last = self.block.words() + 2;
        for k in 1..last {
            // `interp` is short of registers and makes the sums of a row just before their use.
            let ahead = if self.add { 0 } else { self.rows + 1 };
            for row in 0..ahead {
                self.sums(k, row);
            }
            for row in 0..=self.rows {
                if row >= ahead {
                    self.sums(k, row);
                }
                if k > 1 && row > 0 {
                    self.outputs(k, row);
                }
            }
        }
    }

    /// Whether the pair across two words is made by `psprmsgn`; otherwise the two words are
    /// multiplied by two matrices. `interp` has no exchange slots to spare.
    fn permutes(&self, kind: usize) -> bool {
        kind > 0 || !self.add
    }

    /// Loads the coarse words of the plane below (b) and of the plane itself (c); for an even column those of the next column
    /// too.
    fn load(&mut self, k: usize, row: usize) {
        if k > 1 && k % 2 == 1 {
            return;
        }
        for (name, plane) in [("b", 0), ("c", 1)] {
            let at = |k: usize| self.lay.faced_place(plane, row, k);
            let chained = plane == 1 && row > 0 && self.permutes(0);
            if k > 1 && !chained {
                let regs = format!("%{name}{k}_{row}:%{name}{}_{row}", k + 1);
                let (set, at) = at(k);
                self.code.access("ld", regs, set, at);
                continue;
            }
            for k in k..k + 1 + usize::from(k > 1) {
                let (set, at) = at(k);
                self.code.access("lw", format!("%{name}{k}_{row}"), set, at);
            }
        }
    }

    /// Writes the sums of two and of four coarse words.
    fn sums(&mut self, k: usize, row: usize) {
        self.load(k, row);
        self.code.line(format!("psadd %z{k}_{row}, %c{k}_{row}, %b{k}_{row}"));
        if row > 0 {
            let below = row - 1;
            self.code.line(format!("psadd %y{k}_{row}, %c{k}_{row}, %c{k}_{below}"));
            self.code.line(format!("psadd %q{k}_{row}, %z{k}_{row}, %z{k}_{below}"));
        }
    }

    /// Writes the eight fine words that belong to a coarse word.
    fn outputs(&mut self, k: usize, row: usize) {
        for kind in 0..KINDS.len() {
            self.outputs_of_kind(k, row, kind);
        }
    }

    fn outputs_of_kind(&mut self, k: usize, row: usize, kind: usize) {
        let (name, matrix) = KINDS[kind];
        let (fine_row, plane) = (2 * row - 1 - kind % 2, 1 - kind / 2);
        let at = self.lay.plain_at(plane, fine_row, 2 * (k - 2));
        let permutes = self.permutes(kind);
        let words = FineWords { name, matrix, k, row, at, add: self.add, permutes };
        words.write(&mut self.code);
    }
}

/// The two words of a fine row that belong to a coarse word of column `k`.
pub(super) struct FineWords<'a> {
    /// Name of the coarse values.
    pub(super) name: &'a str,
    pub(super) matrix: &'a str,
    pub(super) k: usize,
    pub(super) row: usize,
    /// Displacement of the fine words.
    pub(super) at: i64,
    /// Whether the fine words are added to what is there.
    pub(super) add: bool,
    /// Whether the pair across two words is made by `psprmsgn`; otherwise the two words are multiplied by two matrices.
    pub(super) permutes: bool,
}

impl FineWords<'_> {
    pub(super) fn write(&self, code: &mut LinearText) {
        let Self { name, matrix, k, row, at, add, permutes } = *self;
        let (own, before) = (format!("%{name}{k}_{row}"), format!("%{name}{}_{row}", k - 1));
        let [left, right] = ["l", "r"].map(|side| format!("%{side}{name}{k}_{row}"));
        if add {
            code.access("ld", format!("{left}:{right}"), FINE, at);
        }
        if permutes {
            // The pair across the border of the word at the left, and a copy of the own word.
            let (across, copy) = (format!("%m{name}{k}_{row}"), format!("%k{name}{k}_{row}"));
            let before = if k == 2 { before } else { format!("%k{name}{}_{row}", k - 1) };
            code.line(format!("psprmsgn {across}:{copy}, {before}:{own}, 3, 0, 2, 3"));
            self.multiply(code, matrix, &across, &left);
        } else {
            if k == 2 {
                // What lies in front of the left face is not multiplied, be it no number.
                code.line(format!("join32 {before}, {before}"));
            }
            self.multiply(code, "%l", &before, &left);
            self.multiply(code, "%o", &own, &left);
        }
        self.multiply(code, matrix, &own, &right);
        code.access("sd", format!("{left}:{right}"), FINE, at);
    }

    fn multiply(&self, code: &mut LinearText, matrix: &str, by: &str, to: &str) {
        code.line(if self.add {
            format!("mvmadd {to}, {matrix}0:{matrix}1, {by}")
        } else {
            format!("mvmul {matrix}1, {matrix}0, {by}, {to}")
        });
    }
}
