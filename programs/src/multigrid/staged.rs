//! Stages of pages whose planes lie in eight records that follow each other around the whole of local memory, whose
//! addresses wrap: routines, each linear code that is repeated for the planes of a page. A page's operands lie as far
//! from its first record as those of every other page, so CP2 goes from page to page by itself. What stages there are
//! is in `fused`, `down` and `whole`, who calls them in `crate::host::device_driven`.

use super::sizes::Lay;
use crate::linear_text::LinearText;

/// Words from record to record, and records.
pub(crate) const RECORD: usize = 1024;
const RECORDS: usize = 8;
/// Planes of a page, and words from the first record of a page to that of the next one.
pub(crate) const PLANES: usize = 2;
pub(crate) const PAGE: usize = PLANES * RECORD;

/// The address of a word of the record of a plane.
pub(crate) const fn word(plane: usize, word: usize) -> usize {
    (plane % RECORDS) * RECORD + word
}

/// The first record of a page, by its number in a run.
pub(crate) const fn first_record(number: usize) -> usize {
    word(PLANES * number, 0)
}

/// A kernel for pages that need some of the stages, one after the other.
#[derive(Clone)]
pub(crate) struct Sequence {
    pub(crate) name: String,
    /// Labels of their routines.
    pub(crate) stages: Vec<&'static str>,
}

impl Sequence {
    /// Kernels for pages that need the first of these stages, the first two, and so on.
    pub(super) fn prefixes(name: &str, stages: &[&'static str]) -> Vec<Self> {
        let of = |n: usize| Self { name: format!("{name}_{n}"), stages: stages[..n].to_vec() };
        (1..=stages.len()).map(of).collect()
    }
}

/// What linear code works on in a page.
pub(super) struct Operands {
    /// Words of the operand with faces, of the one without and of the result, for the page whose first record is at 0.
    pub(super) at: [usize; 3],
    /// Where its constants lie, in all pages.
    pub(super) constants: usize,
    /// Rows of a group: of the operand with faces, and of the others.
    pub(super) rows: [usize; 2],
    /// Groups of a plane, which the linear code goes through, and planes around them.
    pub(super) groups: usize,
    pub(super) planes: usize,
}

impl Operands {
    /// The text of a routine that repeats linear code for them. It finds the first record of the page in `a15`.
    pub(super) fn routine(&self, label: &str, lay: Lay, code: &LinearText) -> String {
        let Self { at, constants, planes, .. } = *self;
        let [faced, plain, result] = at.map(step_to);
        let mut text = format!(
            "{label}:
        | move g0, a15
        | move a0, g0
        | updaddr (r0){faced:+}
        | move a1, g0
        | updaddr (r1){plain:+}
        | move a2, g0
        | updaddr (r2){result:+}
"
        );
        let linear = format!(
            "        | seti a3, {constants}
.linear
        .disjoint r0, r1, r2, r3
        .even r0, r1, r2, r3
        .scratch g15
{}.endlinear
",
            code.text()
        );
        if planes > 1 {
            let [faced, plain] = self.steps(lay);
            text += &format!("        | doi {planes}, {label}_end\n{linear}");
            text += &format!("        | updaddr (r0){faced:+}\n        | updaddr (r1){plain:+}\n");
            text += &format!("{label}_end:\n        | updaddr (r2){plain:+}\n        nop\n");
        } else {
            text += &linear;
        }
        text + "        | ret\n        nop\n"
    }

    /// Words to the next plane from where the groups of one leave off: of the operand with faces, and of the others.
    fn steps(&self, lay: Lay) -> [i64; 2] {
        let next = |rows: usize, [row, plane]: [usize; 2]| {
            plane as i64 - (self.groups * rows * row) as i64
        };
        [next(self.rows[0], lay.faced), next(self.rows[1], lay.plain)]
    }
}

/// The step to a word from word 0, around local memory.
const fn step_to(word: usize) -> i64 {
    let all = (RECORDS * RECORD) as i64;
    let word = word as i64;
    if word < all / 2 { word } else { word - all }
}
