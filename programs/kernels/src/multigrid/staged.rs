//! Routines of the pages of several multigrid operators in one go, called stages, each of which is linear code for a
//! plane. The planes lie in four *records*, which follow each other around the whole of local memory, whose addresses
//! wrap. A page's operands lie as far from its first record as those of every other page, so CP2 goes from page to page
//! by itself. The stages themselves are in `fused` and `down`; `host/device_driven.rs` of the procedures makes the
//! kernels that call them.
//!
//! A page works on what lies in its first three records; the channel empties the fourth and fills it for the next page.

use super::sizes::{Inner, Lay};
use crate::linear_text::LinearText;

/// Number of words of a record in each section. A record is a quarter of local memory; it holds one plane of each array
/// that pages of several multigrid operators in one go work on, where a page is what lies in local memory at once.
pub const RECORD: usize = 2048;
/// Number of records of [`RECORD`] words in local memory: three on which a page works, and one that the DMA channel
/// empties and fills for the next page.
pub const RECORDS: usize = 4;
/// Number of words of local memory in each section that all records take together: all that CP2 has.
pub const WORDS: usize = RECORDS * RECORD;

/// Returns the address of a word of the record of a plane.
pub(crate) const fn word(plane: usize, word: usize) -> usize {
    (plane % RECORDS) * RECORD + word
}

/// Returns the word address in local memory of the first of the three records on which page `number` works. Pages, each
/// the planes that lie in local memory at once, are numbered from 0 in the order of their runs; the number modulo 4
/// decides.
pub const fn first_record(number: usize) -> usize {
    word(number, 0)
}

/// Description of a kernel that goes from page to page (the planes that lie in local memory at once) by itself: its
/// name, and the routines that it calls. [`fused::sequences`](super::fused::sequences),
/// [`down::sequences`](super::down::sequences) and [`down::proj_sequences`](super::down::proj_sequences) make it; the
/// text is made from it in `host/device_driven.rs` of the procedures.
#[derive(Clone)]
pub struct StagedKernel {
    /// Name of the kernel in its text.
    pub name: String,
    /// Labels of the routines that the kernel calls for each page, in order. One pass of the kernel's loop goes through
    /// as many pages as the outer list has.
    pub pages: Vec<Vec<&'static str>>,
}

/// Operands of linear code in a page.
pub(super) struct Operands {
    /// Words of the operand with faces, of the one without and of the result, for the page whose first record is at 0.
    pub(super) at: [usize; 3],
    /// Address of the constants, in all pages.
    pub(super) constants: usize,
}

impl Operands {
    /// Returns the text of a routine that runs linear code on the operands. The routine finds the first record of the page in
    /// `a15`.
    pub(super) fn routine(&self, label: &str, code: &LinearText) -> String {
        let Self { at, constants } = *self;
        let [faced, plain, result] = at.map(step_to);
        format!(
            "{label}:
        | move g0, a15
        | move a0, g0
        | updaddr (r0){faced:+}
        | move a1, g0
        | updaddr (r1){plain:+}
        | move a2, g0
        | updaddr (r2){result:+}
        | seti a3, {constants}
.linear
        .disjoint r0, r1, r2, r3
        .even r0, r1, r2, r3
        .scratch g15
{}.endlinear
        | ret
        nop
",
            code.text()
        )
    }
}

/// A stage: its text, what it works on, and the cycles in which its fuller slot is busy at least.
pub(super) struct Stage {
    pub(super) label: &'static str,
    pub(super) operands: Operands,
    pub(super) code: LinearText,
}

impl Stage {
    pub(super) fn routine(&self) -> String {
        self.operands.routine(self.label, &self.code)
    }

    /// Returns the number of operations of the fuller slot.
    pub(super) fn least_cycles(&self) -> usize {
        self.code.operations().into_iter().max().unwrap_or(0)
    }
}

/// Returns the layout of operands of planes that lie in records: words of a row of the operand with faces, column with which
/// its rows begin, and words of a row of the others.
pub(super) const fn lay(faced: usize, first: usize, plain: usize, in_place: bool) -> Lay {
    Lay { faced: [faced, RECORD], first, plain: [plain, RECORD], in_place, inner: Inner::Groups }
}

/// Returns the step to a word from word 0, the short way around local memory.
const fn step_to(word: usize) -> i64 {
    let all = WORDS as i64;
    let word = word as i64;
    if word < all / 2 { word } else { word - all }
}
