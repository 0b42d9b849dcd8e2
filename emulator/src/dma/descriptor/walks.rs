//! Walks through memories and patterns of sections as descriptors need them: how they are made, and how much they move.

use super::{LocalStride, LocalWalk, MemoryWalk, Pattern, Stride};
use cp2_isa::{MemoryAddress, SECTIONS, WordAddress};

impl Pattern {
    /// Pattern of a section that takes every beat: runs of one beat each, which begin 2 numbers apart, as neighbouring
    /// beats do.
    pub const ALL: Self = Self { base: 0, inner: 0, run: 1, outer: 2 };
    /// Pattern of a section that takes no beat: beats have even numbers, and the only number of this pattern is odd. Of
    /// words that move one by one it would take those with number 65535, modulo 65536.
    pub const NONE: Self = Self { base: 0xffff, inner: 0, run: 1, outer: 0 };

    /// Returns patterns that deal the beats of a transfer to the sections, position s for section s: the first `beats`
    /// beats to section 0, the next to section 1, and so on, then to section 0 again. With 1 the sections are
    /// interleaved; with a quarter of all beats each gets a contiguous share.
    pub fn dealt(beats: u16) -> [Self; SECTIONS] {
        let words = beats.wrapping_mul(2);
        std::array::from_fn(|s| Self {
            base: words.wrapping_mul(s as u16),
            inner: 2,
            run: beats,
            outer: words.wrapping_mul(SECTIONS as u16),
        })
    }

    /// Pattern of a section that takes every 32-bit word of a transfer of 32-bit words
    /// ([`GetWords`](super::GetWords), [`Gather`](super::Gather)): runs of one word each, which begin 1 number apart.
    pub const ALL_WORDS: Self = Self { base: 0, inner: 0, run: 1, outer: 1 };

    /// Returns patterns that deal the 32-bit words of a transfer to the sections, position s for section s: the first
    /// `words` words to section 0, the next to section 1, and so on, then to section 0 again.
    pub fn dealt_words(words: u16) -> [Self; SECTIONS] {
        std::array::from_fn(|s| Self {
            base: words.wrapping_mul(s as u16),
            inner: 1,
            run: words,
            outer: words.wrapping_mul(SECTIONS as u16),
        })
    }

    /// Returns patterns, position s for section s, with which section `section`, 0 to 3, takes all words of a transfer
    /// of 32-bit words and the others take none. With a larger number no section takes any.
    pub fn only_words(section: usize) -> [Self; SECTIONS] {
        std::array::from_fn(|s| if s == section { Self::ALL_WORDS } else { Self::NONE })
    }

    /// Returns patterns, position s for section s, with which section `section`, 0 to 3, takes all beats of a transfer
    /// and the others take none. With a larger number no section takes any.
    pub fn only(section: usize) -> [Self; SECTIONS] {
        std::array::from_fn(|s| if s == section { Self::ALL } else { Self::NONE })
    }
}

impl MemoryWalk {
    /// Returns a walk through system memory of `rows` rows of `beats` beats (16 bytes each) from `base` on; `pitch` is
    /// the distance in bytes from the begin of a row to that of the next. Each row is cut into equal bursts, as long as
    /// possible, of at most 63 beats. `None` if `beats` is 0. Numbers that do not fit into a descriptor are found when
    /// it is encoded.
    pub fn rows(base: MemoryAddress, beats: u32, pitch: i32, rows: u32) -> Option<Self> {
        Self::rows_in_bursts(base, beats, pitch, rows, 63)
    }

    /// Returns a walk as [`MemoryWalk::rows`] does, with bursts of at most `longest` beats and at most 63. `None` if
    /// `beats` or `longest` is 0.
    pub fn rows_in_bursts(
        base: MemoryAddress,
        beats: u32,
        pitch: i32,
        rows: u32,
        longest: u32,
    ) -> Option<Self> {
        let longest = beats.min(longest).min(63);
        let burst = (1..=longest).rev().find(|&b| beats.is_multiple_of(b))?;
        let x = Stride { step: 16 * burst as i32, count: beats / burst };
        let y = Stride { step: pitch, count: rows };
        Some(Self { base, index: None, burst: burst as u8, x, y })
    }

    /// Returns the number of beats of 16 bytes that the channel moves on the walk: the product of the three counts, a
    /// `burst` of 0 being 1; but with an `x.count` of 0 only `y.count` beats, and with a `y.count` of 0 one beat. Not
    /// for transfers of single words or 32-bit words.
    pub fn beats(&self) -> u64 {
        let rows = u64::from(self.y.count);
        match (self.x.count, self.y.count) {
            (_, 0) => 1,
            (0, _) => rows,
            (bursts, _) => u64::from(self.burst.max(1)) * u64::from(bursts) * rows,
        }
    }

    /// Returns the number of 32-bit words that a transfer of 32-bit words moves on the walk: the product of `burst` and
    /// the two counts, each 0 being 1.
    pub fn words(&self) -> u64 {
        let counts = [u32::from(self.burst), self.x.count, self.y.count];
        counts.iter().map(|&n| u64::from(n.max(1))).product()
    }
}

impl LocalWalk {
    /// Returns a walk of `beats` places, one for each beat, at consecutive pairs of 64-bit words, from word address
    /// `base` on.
    pub fn linear(base: WordAddress, beats: u16) -> Self {
        let x = LocalStride { step: 2, count: beats, reversed: false };
        let y = LocalStride { step: 0, count: 1, reversed: false };
        Self { base, index: None, x, y }
    }

    /// Returns a walk for beats that are dealt to the sections one by one: four beats in turn go to the same place, one
    /// in each section, and the places are consecutive pairs of words from word address `base` on. Each section has
    /// `beats_per_section` beats.
    pub fn interleaved(base: WordAddress, beats_per_section: u16) -> Self {
        let x = LocalStride { step: 0, count: SECTIONS as u16, reversed: false };
        let y = LocalStride { step: 2, count: beats_per_section, reversed: false };
        Self { base, index: None, x, y }
    }
}
