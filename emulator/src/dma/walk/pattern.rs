//! Patterns: the beats of a stream from memory that a section takes.

use crate::dma::descriptor::Pattern;
use serde::{Deserialize, Serialize};

/// Position of a section in its pattern: the beat of the stream that it takes next.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(in crate::dma) struct PatternCursor {
    pub(in crate::dma) pattern: Pattern,
    pub(in crate::dma) taken: u16,
    /// Number of the beat that the section takes next.
    pub(in crate::dma) wanted: u16,
}

impl PatternCursor {
    pub(in crate::dma) fn new(pattern: Pattern) -> Self {
        // Every second number, run by run of one, is a single run around all numbers: beats that are alike.
        let is_all = pattern.run <= 1 && pattern.outer == 2;
        let all = Pattern { inner: 2, run: 1 << 15, outer: 0, ..pattern };
        Self { pattern: if is_all { all } else { pattern }, taken: 0, wanted: pattern.base }
    }

    /// Whether the section takes the beat with this number.
    pub(in crate::dma) fn includes(&self, number: u16) -> bool {
        self.wanted == number
    }

    /// Returns the number of beats, from this one on, of which the section takes all or none, 0 counting as 1.
    #[inline]
    pub(in crate::dma) fn alike(&self, number: u16) -> usize {
        if self.includes(number) {
            let left = self.pattern.run.saturating_sub(self.taken);
            return if self.pattern.inner == 2 { left.into() } else { 1 };
        }
        // Numbers go up by 2 and round, so an odd distance never ends.
        let distance = self.wanted.wrapping_sub(number);
        if distance % 2 == 1 { usize::MAX } else { usize::from(distance / 2) }
    }

    /// Returns which of the next four beats the section takes, if it takes one of four and this number is that of one of
    /// them.
    #[inline]
    pub(in crate::dma) fn turn(&self, number: u16) -> Option<usize> {
        let Pattern { run, outer, .. } = self.pattern;
        let distance = self.wanted.wrapping_sub(number);
        let is_turn = run <= 1 && outer == 8 && self.taken == 0 && distance < 8;
        (is_turn && distance.is_multiple_of(2)).then_some(usize::from(distance / 2))
    }

    /// Takes so many beats in its turn.
    #[inline]
    pub(in crate::dma) fn take_turns(&mut self, beats: u16) {
        self.pattern.base = self.wanted.wrapping_add(self.pattern.outer.wrapping_mul(beats));
        self.wanted = self.pattern.base;
    }

    /// Takes so many wanted beats, one or as many as are alike.
    #[inline]
    pub(in crate::dma) fn take(&mut self, beats: u16) {
        self.taken += beats;
        self.wanted = self.wanted.wrapping_add(self.pattern.inner.wrapping_mul(beats));
        if self.taken >= self.pattern.run {
            self.taken = 0;
            self.pattern.base = self.pattern.base.wrapping_add(self.pattern.outer);
            self.wanted = self.pattern.base;
        }
    }

    /// Takes the beat with this number if the section wants it, and returns whether it does.
    #[inline]
    pub(in crate::dma) fn takes(&mut self, number: u16) -> bool {
        let taken = self.includes(number);
        if taken {
            self.take(1);
        }
        taken
    }
}
