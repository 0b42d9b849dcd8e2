//! The places of pivots of a closure: bit k of a column lies in one half of one word of one section, and the code of a pass is made
//! for it.

use super::layout::SliceLayout;
use cp2_isa::SECTIONS;

/// Rows of half a word, in which the pivots of one piece of code lie.
const HALF: usize = 32;

/// A half of a word of a section in which pivots lie.
#[derive(Clone, Copy)]
pub(super) struct PivotPlace {
    pub(super) section: usize,
    pub(super) word: usize,
    pub(super) is_high: bool,
    /// First pivot there, and how many there are.
    pub(super) first: usize,
    pub(super) count: usize,
}

impl PivotPlace {
    /// Returns a name for labels.
    pub(super) fn name(self) -> String {
        let half = if self.is_high { "high" } else { "low" };
        format!("s{}w{}{half}", self.section, self.word)
    }

    /// Returns a name of section and half for labels.
    pub(super) fn side(self) -> String {
        format!("s{}{}", self.section, if self.is_high { "high" } else { "low" })
    }

    /// Returns a place for each section and half, in this order; their words have no meaning.
    pub(super) fn sides() -> impl Iterator<Item = Self> {
        let halves = (0..SECTIONS).flat_map(|section| [(section, false), (section, true)]);
        halves.map(|(section, is_high)| Self { section, word: 0, is_high, first: 0, count: 0 })
    }

    /// Returns all places that have pivots, in the order of the pivots.
    pub(super) fn all(layout: SliceLayout) -> impl Iterator<Item = Self> {
        (0..layout.rows().div_ceil(HALF)).map(move |half| {
            let (section, word, bit) = layout.place(half * HALF);
            let first = half * HALF;
            let count = (layout.rows() - first).min(HALF);
            Self { section, word, is_high: bit > 0, first, count }
        })
    }
}

/// Returns the names of the registers of words `word` and `word + 1` of a slice, as double accesses take them.
pub(super) fn pair(name: &str, word: usize) -> String {
    format!("{name}{word}:{name}{}", word + 1)
}
