//! Generators of the kernels that keep the size of the block: `resid`, `smooth`, `smooth0`. How
//! blocks lie in local memory is in `layout`.
//!
//! X is what a point gives to its neighbours along x. A pair of points k needs X(k).lo at its left, X(k).hi at its right, and
//! from outside of the pair N(k) = (X(k-1).lo, X(k+1).hi). The smoothers take what lies inside of the pair as a 2 x 2 matrix
//! times X(k), one `mvmadd`. One `psprmsgn` makes N(k) from X(k+1) and the copy of X(k-1) that the one for N(k-2) left
//! behind, and leaves a copy of X(k+1) in its turn: registers stand in groups `centre, N(k), copy of X(k+1), X(k+3)`. How
//! `resid` and the kernels for any weights (`general`) make N(k) is told at `pairs_across`. `mtvmadd` adds multiples of two
//! neighbouring registers.

use super::GridKernel;
use super::layout::GridBlock;
use super::sizes::{Lay, Sizes};
use crate::linear_text::LinearText;

/// Address sets, beside those of the operand with faces.
const PLAIN: usize = 1;
const RESULT: usize = 2;

/// Planes of the operand with faces around one of points, with that plane itself.
const PLANES: usize = 3;

/// Kernel that keeps the size of the block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stencil {
    Resid,
    Smooth,
    Smooth0,
}

impl Stencil {
    const fn kernel(self) -> GridKernel {
        match self {
            Self::Resid => GridKernel::Resid,
            Self::Smooth => GridKernel::Smooth,
            Self::Smooth0 => GridKernel::Smooth0,
        }
    }
}

/// The order of the lines, which the scheduler begins with: so it decides which of them is scheduled in fewest cycles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Order {
    /// Columns go through the rows from the first.
    Rows,
    /// Columns go through the rows from the first and from the last in turn, and load what is added to row by row.
    Turning,
    /// Columns go through the rows from the first, and what needs no pair but the own waits for what needs those at both
    /// sides.
    Deferred,
}

/// Names of the constants, in pairs as they are loaded.
const RESID_CONSTANTS: &[&str] = &["%sides", "%mix", "%corners", "%ends"];
const SMOOTH_CONSTANTS: &[&str] = &["%sides", "%mix", "%corners", "%ends", "%row0", "%row1"];

/// Names of the constants, in pairs as they are loaded: weights of (e, t) in X, of (p, c) in X and of
/// (e, t) at the own place, of (p, c) there, and of the neighbours along x.
const GENERAL_CONSTANTS: &[&str] = &["%far", "%near", "%own", "%sides"];

/// Writes the lines between `.linear` and `.endlinear`.
pub(super) fn lines(stencil: Stencil, block: GridBlock, rows: usize, sizes: Sizes) -> LinearText {
    let resid = stencil == Stencil::Resid;
    let constants = if resid { RESID_CONSTANTS } else { SMOOTH_CONSTANTS };
    let lay = Lay::of(stencil.kernel(), block, sizes);
    let code = LinearText::default();
    let is_general = false;
    write(
        Writer { stencil, is_general, order: Order::Rows, block, lay, rows, code },
        constants,
        sizes,
    )
}

/// Writes the lines of a stencil for operands in a layout of their own.
pub(super) fn laid(
    (stencil, order): (Stencil, Order),
    block: GridBlock,
    lay: Lay,
    rows: usize,
    sizes: Sizes,
) -> LinearText {
    let resid = stencil == Stencil::Resid;
    let constants = if resid { RESID_CONSTANTS } else { SMOOTH_CONSTANTS };
    let (is_general, code) = (false, LinearText::default());
    write(Writer { stencil, is_general, order, block, lay, rows, code }, constants, sizes)
}

/// Writes the lines of a stencil for any weights.
pub(super) fn general(stencil: Stencil, block: GridBlock, rows: usize, sizes: Sizes) -> LinearText {
    let lay = Lay::of(stencil.kernel(), block, sizes);
    let code = LinearText::default();
    let is_general = true;
    let writer = Writer { stencil, is_general, order: Order::Rows, block, lay, rows, code };
    write(writer, GENERAL_CONSTANTS, sizes)
}

fn write(mut writer: Writer, constants: &[&str], sizes: Sizes) -> LinearText {
    super::load_constants(&mut writer.code, constants);
    let Writer { block, lay, rows, .. } = writer;
    let groups = sizes.groups(block.n2 / rows);
    let (plane, half_plane) = (lay.faced[1] as i64, lay.plain[1] as i64);
    let planes = block.n3 as i64;
    if groups > 1 {
        writer.code.begin_loop(groups);
    }
    sizes.begin_planes(&mut writer.code, block.n3);
    writer.body();
    let [faced, others] = lay.pass_steps([rows; 2], [1; 2]);
    writer.leave_at(faced, others);
    writer.code.end_loop();
    if groups > 1 {
        writer.leave_at(
            (rows * lay.faced[0]) as i64 - planes * plane,
            (rows * lay.plain[0]) as i64 - planes * half_plane,
        );
        writer.code.end_loop();
    }
    writer.code
}

pub(super) struct Writer {
    pub(super) stencil: Stencil,
    /// Whether the kernel is one for any weights, of which none is taken to be 0.
    is_general: bool,
    order: Order,
    block: GridBlock,
    lay: Lay,
    /// Rows of points that the body works on.
    rows: usize,
    pub(super) code: LinearText,
}

/// Returns the register right before X(k + 1) where N(k) is made: the copy of X(k - 1).
fn copy(k: usize, row: usize) -> String {
    if k < 4 { format!("%x{}_{row}", k - 1) } else { format!("%z{}_{row}", k - 2) }
}

impl Writer {
    /// Writes one plane of `rows` rows, two columns of pairs after the other.
    fn body(&mut self) {
        let last = self.block.words() + 2;
        for k in 1..=last {
            self.column(k, k > 1 && k < last);
        }
    }

    /// Returns the operation that adds multiples of two neighbouring registers to the result, or for the residual subtracts
    /// them.
    pub(super) fn multiply_add(&self) -> &'static str {
        if self.stencil == Stencil::Resid { "mtvmsub" } else { "mtvmadd" }
    }

    /// Writes everything that becomes possible with the words of column `k`.
    fn column(&mut self, k: usize, inner: bool) {
        let (is_even, turns) = (k.is_multiple_of(2), self.order == Order::Turning);
        let is_up = turns && is_even;
        if inner && is_even && !turns {
            (0..self.rows).for_each(|row| self.load_second(k, row));
        }
        for step in 0..self.rows {
            let row = if is_up { self.rows - 1 - step } else { step };
            if inner && is_even && turns {
                self.load_second(k, row);
            }
            let new_rows = match (step, is_up) {
                (0, _) => row..row + 3,
                (_, true) => row..row + 1,
                (_, false) => row + 2..row + 3,
            };
            for row in new_rows {
                self.z_sum(k, row, inner);
                let (set, at) = self.faced(1, row, k);
                self.code.access("lw", format!("%s{k}_{row}"), set, at);
            }
            if self.is_general {
                self.any_weights(k, row, inner);
            } else {
                self.make_x(k, row);
                if self.order != Order::Deferred && inner {
                    self.inside(k, row);
                } else if self.order == Order::Deferred && k > 2 {
                    self.inside(k - 1, row);
                }
            }
            if self.is_general || self.stencil == Stencil::Resid {
                self.pairs_across(k, row);
            } else if k >= 3 {
                self.across(k - 1, row);
            }
        }
        if k >= 4 && k.is_multiple_of(2) {
            self.store(k - 2);
        }
    }

    /// Returns the address set and the displacement of a word of the block with faces; plane 1 and row 1 are those of the
    /// points.
    fn faced(&self, plane: usize, row: usize, k: usize) -> (usize, i64) {
        self.lay.faced_place(plane, row, k)
    }

    fn leave_at(&mut self, faced: i64, plain: i64) {
        self.lay.leave_faced(&mut self.code, PLANES, faced);
        if self.stencil != Stencil::Smooth0 {
            self.code.leave_at(PLAIN, plain);
        }
        if !self.lay.in_place {
            self.code.leave_at(RESULT, plain);
        }
    }

    /// Writes p = sum of the points above and below; for an even column in the block that of the next column too.
    fn z_sum(&mut self, k: usize, row: usize, inner: bool) {
        if inner && k % 2 == 1 {
            return;
        }
        for (name, plane) in [("a", 0), ("b", 2)] {
            let (set, at) = self.faced(plane, row, k);
            if inner {
                let regs = format!("%{name}{k}_{row}:%{name}{}_{row}", k + 1);
                self.code.access("ld", regs, set, at);
            } else {
                self.code.access("lw", format!("%{name}{k}_{row}"), set, at);
            }
        }
        for k in k..k + 1 + usize::from(inner) {
            self.code.line(format!("psadd %p{k}_{row}, %a{k}_{row}, %b{k}_{row}"));
        }
    }

    fn load_centre(&mut self, k: usize, row: usize) {
        let (set, at) = self.faced(1, row + 1, k);
        self.code.access("lw", format!("%c{k}_{row}"), set, at);
    }

    fn plain(&self, k: usize, row: usize) -> i64 {
        self.lay.plain_at(0, row, k - 2)
    }

    /// Loads the operand without faces, which the operator adds to or subtracts from.
    fn load_second(&mut self, k: usize, row: usize) {
        if self.stencil != Stencil::Smooth0 {
            let regs = format!("%r{k}_{row}:%r{}_{row}", k + 1);
            self.code.access("ld", regs, PLAIN, self.plain(k, row));
        }
    }

    fn store(&mut self, k: usize) {
        let set = if self.lay.in_place { PLAIN } else { RESULT };
        for row in 0..self.rows {
            let regs = format!("%r{k}_{row}:%r{}_{row}", k + 1);
            self.code.access("sd", regs, set, self.plain(k, row));
        }
    }

    /// Writes x = what the points at the left and at the right contribute.
    fn make_x(&mut self, k: usize, row: usize) {
        let (before, at, after) = (row, row + 1, row + 2);
        let x = format!("%x{k}_{row}");
        if self.stencil == Stencil::Resid {
            self.code.line(format!("psadd %q{k}_{row}, %p{k}_{before}, %p{k}_{after}"));
            self.code.line(format!("mtvmul %p{k}_{at}, %q{k}_{row}, %mix, {x}"));
        } else {
            self.code.line(format!("mtvmul %p{k}_{at}, %s{k}_{at}, %mix, {x}"));
        }
        self.code.line(format!("mtvmadd {x}, %s{k}_{before}:%s{k}_{after}, %sides"));
    }

    /// Writes the contributions that need no pair but the own.
    fn inside(&mut self, k: usize, row: usize) {
        let (before, after) = (row, row + 2);
        let r = format!("%r{k}_{row}");
        match self.stencil {
            Stencil::Resid => {
                self.load_centre(k, row);
                self.code.line(format!("mtvmsub {r}, %q{k}_{row}:%c{k}_{row}, %ends"));
                return;
            }
            Stencil::Smooth => {
                self.code.line(format!("mvmadd {r}, %row0:%row1, %x{k}_{row}"));
            }
            Stencil::Smooth0 => {
                self.code.line(format!("mvmul %row1, %row0, %x{k}_{row}, {r}"));
            }
        }
        self.code.line(format!("mtvmadd {r}, %p{k}_{before}:%p{k}_{after}, %corners"));
    }

    /// Writes the centre, and what comes from the pairs at both sides of pair `k`.
    fn across(&mut self, k: usize, row: usize) {
        let (left, right) = (copy(k, row), format!("%x{}_{row}", k + 1));
        let (n, z) = (format!("%n{k}_{row}"), format!("%z{k}_{row}"));
        self.load_centre(k, row);
        self.code.line(format!("psprmsgn {n}:{z}, {left}:{right}, 3, 0, 2, 3"));
        self.code.line(format!("mtvmadd %r{k}_{row}, %c{k}_{row}:{n}, %ends"));
    }

    /// Writes what comes from the points at the left and at the right of those in pair `k - 1`.
    ///
    /// The pair across the border of words k - 1 and k, m = (X(k-1).lo, X(k).hi), stands right after
    /// the one for words k - 2 and k - 1. For every other word it is made twice: a third register
    /// first keeps the copy of X(k-1) that stands before X(k), and then m.
    fn pairs_across(&mut self, k: usize, row: usize) {
        let pick = "3, 0, 2, 3";
        let op = self.multiply_add();
        let ones = if self.is_general { "%sides" } else { "%corners" };
        let x = |k: usize| format!("%x{k}_{row}");
        let m = |k: usize| [0, 1, 2].map(|i| format!("%m{i}_{k}_{row}"));
        let last = self.block.words() + 2;
        if k % 2 == 1 && k > 1 {
            let [m0, m1, m2] = m(k - 1);
            self.code.line(format!("psprmsgn {m1}:{m2}, {}:{}, {pick}", x(k - 1), x(k)));
            self.code.line(format!("{op} %r{}_{row}, {m0}:{m1}, {ones}", k - 1));
        }
        if k % 2 == 1 {
            return;
        }
        let [_, before1, before2] = m(k - 2);
        let left = if k == 2 { x(1) } else { before2.clone() };
        if k < last {
            let [m0, m1, _] = m(k);
            self.code.line(format!("psprmsgn {m0}:{m1}, {left}:{}, {pick}", x(k)));
        }
        if k > 2 {
            self.code.line(format!("psprmsgn {before2}:{0}, {before2}:{0}, {pick}", x(k)));
            self.code.line(format!("{op} %r{}_{row}, {before1}:{before2}, {ones}", k - 1));
        }
    }
}
