//! Routines of the pages of several multigrid operators in one go, called stages, each of which is linear code for a
//! plane. The planes lie in four *records*, two in each half of local memory, and CP2 goes from page to page by itself:
//! the next page begins one record further on, around all four. The stages themselves are in `fused` and `down`;
//! `host/device_driven.rs` of the procedures makes the kernels that call them.
//!
//! A page works on what lies in its first three records; the channel empties the fourth and fills it for the next page.

use super::sizes::{FacedSets, Inner, Lay};
use crate::linear_text::LinearText;
use cp2_isa::Core;
use std::fmt::Write as _;

/// Number of words of a record in each section. A record holds one plane of each array that pages of several multigrid
/// operators in one go work on, where a page is what lies in local memory at once.
const RECORD: usize = 2048;
/// Number of records in local memory: three on which a page works, and one that the DMA channel empties and fills for the
/// next page.
pub const RECORDS: usize = 4;
/// Number of words of the records in one half of local memory.
const WORDS_IN_HALF: usize = RECORDS / 2 * RECORD;
/// Longest step of an operation on an address.
const LONGEST_STEP: usize = 4095;
/// Address sets whose steps lead from one record to another: those of operands, and the one of the page.
const STEPPING_SETS: [usize; 6] = {
    let [first, second, third] = FacedSets::ALL;
    [first, second, third, PLAIN_SET, RESULT_SET, PAGE_SET]
};
/// Address set with the word at which a page begins.
const PAGE_SET: usize = 15;

/// Places of the four records in local memory: the last words of each half are those of two records, so that the channel,
/// which moves one record while CP2 works on the three others, seldom meets CP2 in a bank.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Records {
    /// Number of words of one half of local memory in each section.
    half: usize,
}

impl Records {
    /// Number of words of local memory in each section that all records take together.
    pub const WORDS: usize = RECORDS * RECORD;

    /// Returns the records in the local memory of a core; `None` if it does not hold them.
    pub const fn of(core: &Core) -> Option<Self> {
        let half = core.lmem_words() / 2;
        if half >= WORDS_IN_HALF { Some(Self { half }) } else { None }
    }

    /// Returns the address of a word of the record of a plane.
    pub(crate) const fn word(self, plane: usize, word: usize) -> usize {
        let (record, words_before) = (plane % RECORDS, self.half - WORDS_IN_HALF);
        record / 2 * self.half + words_before + record % 2 * RECORD + word
    }

    /// Returns the word address in local memory of the first of the three records on which page `number` works. Pages, each
    /// the planes that lie in local memory at once, are numbered from 0 in the order of their runs; the number modulo 4
    /// decides.
    pub const fn first(self, number: usize) -> usize {
        self.word(number, 0)
    }

    /// Whether the records fill local memory, so that steps around it lead from each to every other.
    const fn are_all(self) -> bool {
        self.half == WORDS_IN_HALF
    }

    /// Returns the text that lets the address sets of a kernel step around the records; none where these fill local memory.
    ///
    /// A step changes the bits of an address that are ones in the mode: those within the records of a half, and the highest
    /// one, which tells the half. The bits between them are ones in all records, so that a carry of a step forwards goes
    /// through them from the former to the latter.
    pub fn begin_steps(self) -> String {
        self.set_modes(self.half + WORDS_IN_HALF - 1)
    }

    /// Returns the text that makes the steps linear again which [`Self::begin_steps`] changed.
    pub fn end_steps(self) -> String {
        self.set_modes(2 * self.half - 1)
    }

    fn set_modes(self, mode: usize) -> String {
        let sets = if self.are_all() { &[][..] } else { &STEPPING_SETS };
        sets.iter().map(|set| format!("        | seti m{set}, {mode:#x}\n")).collect()
    }

    /// Returns the text that steps from the first word of a page to that of the next one.
    pub fn next_page(self) -> String {
        format!("        | updaddr (r{PAGE_SET})+{RECORD}\n")
    }

    /// Returns the address sets of the planes of an operand with faces.
    const fn sets(self) -> FacedSets {
        if self.are_all() { FacedSets::One } else { FacedSets::Each }
    }

    /// Returns the layout of operands of planes that lie in records: words of a row of the operand with faces, the column with
    /// which its rows begin, records from one of its planes to the next, and words of a row of the others.
    pub(super) const fn lay(
        self,
        [faced, first, apart]: [usize; 3],
        plain: usize,
        in_place: bool,
    ) -> Lay {
        let (faced, plain) = ([faced, apart * RECORD], [plain, RECORD]);
        Lay { faced, first, plain, in_place, inner: Inner::Groups, sets: self.sets() }
    }

    /// Returns the text that sets an address set to a place of the page, from `g0`, which has its first word.
    fn set_address(self, set: usize, place: RecordPlace) -> String {
        let mut text = format!("        | move a{set}, g0\n");
        let words = place.record * RECORD + place.word;
        let steps = match words {
            _ if self.are_all() => vec![step_to(words)],
            0 => Vec::new(),
            1..=LONGEST_STEP => vec![words as i64],
            // A longer step would be one backwards; the first one here keeps addresses even.
            _ => vec![(LONGEST_STEP - 1) as i64, (words - LONGEST_STEP + 1) as i64],
        };
        for step in steps {
            let _ = writeln!(text, "        | updaddr (r{set}){step:+}");
        }
        text
    }
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

/// Place of a plane in the records of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct RecordPlace {
    /// Number of the record from the first one of the page on, 0 to 3.
    pub(super) record: usize,
    /// Word in the record at which the plane begins.
    pub(super) word: usize,
}

/// Operands of linear code in a page.
pub(super) struct Operands {
    /// Records of the planes of the operand with faces, from the first one of the page on.
    pub(super) faced: &'static [usize],
    /// Word in its record at which each plane of the operand with faces begins.
    pub(super) faced_word: usize,
    /// Place of the operand without faces.
    pub(super) plain: RecordPlace,
    /// Place of the result; `None` if it replaces the operand without faces.
    pub(super) result: Option<RecordPlace>,
    /// Address of the constants, in all pages.
    pub(super) constants: usize,
}

/// Address sets of linear code, beside those of the operand with faces.
const PLAIN_SET: usize = 1;
const RESULT_SET: usize = 2;
const CONSTANTS_SET: usize = 3;

impl Operands {
    /// Returns the text of a routine that runs linear code on the operands. The routine finds the first record of the page in
    /// `a15`.
    pub(super) fn routine(
        &self,
        records: Records,
        (label, work): (&str, &str),
        code: &LinearText,
    ) -> String {
        let sets = records.sets().of(self.faced.len());
        let mut text = format!("{label}:\n        | move g0, a{PAGE_SET}\n");
        for (&set, &record) in sets.iter().zip(self.faced) {
            text += &records.set_address(set, RecordPlace { record, word: self.faced_word });
        }
        text += &records.set_address(PLAIN_SET, self.plain);
        let result = self.result.map(|place| records.set_address(RESULT_SET, place));
        let others =
            [PLAIN_SET, CONSTANTS_SET].into_iter().chain(result.is_some().then_some(RESULT_SET));
        text += &result.unwrap_or_default();
        let names = sets.iter().copied().chain(others);
        let names = names.map(|set| format!("r{set}")).collect::<Vec<_>>().join(", ");
        let (constants, lines) = (self.constants, code.noted(work));
        let _ = write!(
            text,
            "        | seti a{CONSTANTS_SET}, {constants}
.linear
        .disjoint {names}
        .even {names}
        .scratch g15
{lines}.endlinear
        | ret
        nop
"
        );
        text
    }
}

/// A stage: its text, what it works on, and the cycles in which its fuller slot is busy at least.
pub(super) struct Stage {
    pub(super) label: &'static str,
    /// Name of its work in notes of the text.
    pub(super) work: &'static str,
    pub(super) operands: Operands,
    pub(super) code: LinearText,
}

impl Stage {
    pub(super) fn routine(&self, records: Records) -> String {
        self.operands.routine(records, (self.label, self.work), &self.code)
    }

    /// Returns the number of operations of the fuller slot.
    pub(super) fn least_cycles(&self) -> usize {
        self.code.operations().into_iter().max().unwrap_or(0)
    }
}

/// Returns the step to a word from word 0, the short way around local memory.
const fn step_to(word: usize) -> i64 {
    let all = Records::WORDS as i64;
    let word = word as i64;
    if word < all / 2 { word } else { word - all }
}
