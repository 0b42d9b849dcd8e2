//! Lines of the stencils for any four weights; the frame, and the kernels for the weights of NPB, which have zeros, are in
//! `stencil`.
//!
//! Of the nine words that lie in the plane across x, c is the one in the middle, p = the sum of the two
//! along z, t = that of the two along y, e = that of the four at the corners. To its own place a word
//! gives c0 c + c1 (p + t) + c2 e, to its neighbours along x X = c1 c + c2 (p + t) + c3 e. With p beside
//! c and e beside t in registers, each is two operations, and p, t and e are a sum each.

use super::stencil::{Stencil, Writer};

impl Writer {
    /// Writes X of a word, and if the word is `inner`, what it gives to its own place.
    pub(super) fn any_weights(&mut self, k: usize, row: usize, inner: bool) {
        let (before, at, after) = (row, row + 1, row + 2);
        let name = |letter: &str, row: usize| format!("%{letter}{k}_{row}");
        let (x, r) = (name("x", row), name("r", row));
        let [p, c] = ["p", "s"].map(|letter| name(letter, at));
        let [e, t] = ["e", "t"].map(|letter| name(letter, row));
        self.code.line(format!("psadd {e}, {}, {}", name("p", before), name("p", after)));
        self.code.line(format!("psadd {t}, {}, {}", name("s", before), name("s", after)));
        self.code.line(format!("mtvmul {t}, {e}, %far, {x}"));
        self.code.line(format!("mtvmadd {x}, {p}:{c}, %near"));
        if !inner {
            return;
        }
        let op = self.multiply_add();
        match self.stencil {
            Stencil::Smooth0 => self.code.line(format!("mtvmul {t}, {e}, %near, {r}")),
            _ => self.code.line(format!("{op} {r}, {e}:{t}, %near")),
        }
        self.code.line(format!("{op} {r}, {p}:{c}, %own"));
    }
}
