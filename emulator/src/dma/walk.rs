//! Positions in the walks of descriptors, beat by beat. No data and no time.

mod pattern;
mod source;

pub(super) use pattern::PatternCursor;
pub(super) use source::{Row, SourceCursor};

use super::accesses::WordSet;
use super::descriptor::{LocalStride, LocalWalk, MemoryWalk, Stride};
use super::fault::WalkField;
use crate::memory::{BEAT_BYTES, SystemMemory};
use cp2_isa::{Core, MemoryAddress, WordAddress};
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// Returns the value of an index half-register: the high halves of `i0`..`i15` have the even numbers.
pub(super) fn half_register(ireg: &[u64; 16], number: u8) -> u32 {
    let register = ireg[usize::from(number / 2) % 16];
    if number.is_multiple_of(2) { (register >> 32) as u32 } else { register as u32 }
}

/// A position in a walk through memory. After every step all counters are looked at, not only those into
/// which an inner one has carried (\[L\]): with a count of 0 each step ends more than a beat.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct MemoryCursor {
    pub(super) walk: MemoryWalk,
    pub(super) beat: u32,
    pub(super) x: u32,
    pub(super) y: u32,
    /// Whether the next single word is the second of its beat.
    pub(super) second_word: bool,
    /// Whether every step goes to a place of its own, because a count is 0.
    pub(super) is_scattered: bool,
    pub(super) is_finished: bool,
    /// Address of the next beat.
    pub(super) address: MemoryAddress,
}

impl MemoryCursor {
    /// Begins a walk, with the index register as it is now.
    pub(super) fn new(mut walk: MemoryWalk, single_words: bool, ireg: &[u64; 16]) -> Self {
        if let Some(n) = walk.index {
            walk.base = walk.base.channel_add(half_register(ireg, n) & !3);
        }
        let has_no_bursts = walk.x.count == 0 || walk.y.count == 0;
        Self {
            walk,
            beat: 0,
            x: 0,
            y: 0,
            second_word: false,
            is_scattered: has_no_bursts || single_words && walk.burst == 0,
            is_finished: false,
            address: walk.base,
        }
    }

    /// Whether all addresses are multiples of `bytes`; otherwise the first value that is not.
    pub(super) fn check_alignment(&self, bytes: u32) -> Result<(), (WalkField, i64)> {
        let w = &self.walk;
        let values = [
            (WalkField::Base, w.base.0 as i64),
            (WalkField::StepX, i64::from(w.x.step)),
            (WalkField::StepY, i64::from(w.y.step)),
        ];
        match values.iter().find(|(_, v)| v % i64::from(bytes) != 0) {
            Some(&wrong) => Err(wrong),
            None => Ok(()),
        }
    }

    pub(super) fn is_finished(&self) -> bool {
        self.is_finished
    }

    /// Returns the address of the next beat.
    pub(super) fn address(&self) -> MemoryAddress {
        self.address
    }

    /// Returns the number of beats at rising addresses from this one on.
    pub(super) fn burst_left(&self) -> u32 {
        if self.is_scattered { 1 } else { u32::from(self.walk.burst).max(1) - self.beat }
    }

    pub(super) fn step(&mut self) {
        self.step_by(1);
    }

    /// Takes so many steps, at most [`Self::burst_left`].
    #[inline]
    pub(super) fn step_by(&mut self, beats: u32) {
        self.beat += beats;
        self.address = self.address.channel_add(beats * BEAT_BYTES);
        let is_in_burst = self.beat < u32::from(self.walk.burst);
        if beats > 0 && (self.is_scattered || !is_in_burst) {
            self.carry();
        }
    }

    /// Takes as many steps as there are beats at rising addresses in one piece of memory, at most so many, and returns the
    /// address of the first and their number. Addresses are multiples of beats.
    #[inline]
    pub(super) fn next_run(&mut self, most: u32) -> (MemoryAddress, u32) {
        let address = self.address;
        let to_piece_end = SystemMemory::to_piece_end(address) as u32 / BEAT_BYTES;
        let beats = most.min(self.burst_left()).min(to_piece_end);
        self.step_by(beats);
        (address, beats)
    }

    /// Whether the next single word is the second of its beat.
    pub(super) fn is_second_word(&self) -> bool {
        self.second_word
    }

    /// Takes a step of a single word; true if the next one is in another beat, or there is none.
    pub(super) fn step_word(&mut self) -> bool {
        let was_second = self.second_word;
        self.second_word = !was_second;
        if was_second {
            self.step();
        } else if self.is_scattered {
            self.carry();
        }
        was_second || self.is_scattered
    }

    /// Looks at all counters, the inner ones first.
    fn carry(&mut self) {
        let w = &self.walk;
        if self.beat >= w.burst.into() {
            (self.beat, self.x) = (0, self.x + 1);
        }
        if self.x >= w.x.count {
            (self.x, self.y) = (0, self.y + 1);
        }
        self.is_finished = self.y >= w.y.count;
        let term = |stride: Stride, n: u32| (stride.step as u32).wrapping_mul(n);
        let row = w.base.channel_add(term(w.x, self.x)).channel_add(term(w.y, self.y));
        self.address = row.channel_add(self.beat * BEAT_BYTES);
    }
}

/// A position in a walk through local memory.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct LocalCursor {
    pub(super) walk: LocalWalk,
    pub(super) x: u16,
    pub(super) y: u16,
    /// Word address of the position.
    pub(super) address: WordAddress,
    /// Ones in the bits that addresses of local memory have.
    pub(super) mask: u16,
}

impl LocalCursor {
    /// Begins a walk, with the index register as it is now. Pairs of words begin at even addresses.
    pub(super) fn new(
        core: &Core,
        mut walk: LocalWalk,
        single_words: bool,
        ireg: &[u64; 16],
    ) -> Self {
        if let Some(n) = walk.index {
            walk.base = WordAddress(walk.base.0.wrapping_add(half_register(ireg, n) as u16));
        }
        if !single_words {
            walk.base.0 &= !1;
            walk.x.step &= !1;
            walk.y.step &= !1;
        }
        let mask = core.address_mask();
        Self { walk, x: 0, y: 0, address: WordAddress(walk.base.0 & mask), mask }
    }

    /// Returns the word address of the position.
    pub(super) fn address(&self) -> WordAddress {
        self.address
    }

    fn computed_address(&self) -> WordAddress {
        let term = |stride: &LocalStride, n: u16| {
            let plain = stride.step.wrapping_mul(n);
            // The bits of the address reversed within one bit more (12:0 within 14): bit 0 goes
            // outside the address.
            let outside = self.mask.leading_zeros() - 1;
            if stride.reversed { (plain & self.mask).reverse_bits() >> outside } else { plain }
        };
        let sum = self.walk.base.0.wrapping_add(term(&self.walk.x, self.x));
        WordAddress(sum.wrapping_add(term(&self.walk.y, self.y)) & self.mask)
    }

    /// Returns the words of the whole walk, and those between the words of a row.
    pub(super) fn words(&self) -> WordSet {
        let (x, y) = (&self.walk.x, &self.walk.y);
        let [rows, columns] = [y.count, x.count].map(|n| i64::from(n.max(1)));
        if x.reversed || y.reversed {
            if rows * columns > i64::from(self.mask) + 1 {
                return self.all_words();
            }
            let mut words = WordSet::NONE;
            let address = WordAddress(self.walk.base.0 & self.mask);
            let mut cursor = Self { x: 0, y: 0, address, ..self.clone() };
            (0..rows * columns).for_each(|_| {
                words.insert(cursor.address());
                cursor.step();
            });
            return words;
        }
        // Row by row from the lowest to the highest, before the address wraps around.
        let along = |s: &LocalStride, n: i64| i64::from(s.step as i16) * (n - 1);
        let (low, high) = (along(x, columns).min(0), along(x, columns).max(0));
        if high - low > i64::from(self.mask) || rows > i64::from(self.mask) {
            return self.all_words();
        }
        let mut words = WordSet::NONE;
        for row in 0..rows {
            let base = i64::from(self.walk.base.0) + i64::from(y.step as i16) * row;
            let [first, last] = [base + low, base + high].map(|word| word as u16 & self.mask);
            if first <= last {
                words.insert_range(first.into(), last.into());
            } else {
                words.insert_range(first.into(), self.mask.into());
                words.insert_range(0, last.into());
            }
        }
        words
    }

    fn all_words(&self) -> WordSet {
        let mut words = WordSet::NONE;
        words.insert_range(0, self.mask.into());
        words
    }

    /// Whether the next step leaves the row.
    fn at_row_end(&self) -> bool {
        self.x + 1 >= self.walk.x.count.max(1)
    }

    /// Whether the position is the last of its row; a row without columns has none.
    fn is_last_column(&self) -> bool {
        self.x + 1 == self.walk.x.count
    }

    /// Whether the position begins a row of so many times the same address.
    #[inline]
    pub(super) fn is_row_of(&self, count: u16) -> bool {
        self.x == 0 && self.walk.x.count == count && self.walk.x.step == 0
    }

    /// Returns the number of positions from this one on in the row, if every step adds the same and none ends the walk.
    #[inline]
    pub(super) fn left_in_row(&self) -> u16 {
        let is_single = self.walk.x.reversed || self.walk.y.count == 0;
        if is_single { 1 } else { (self.walk.x.count - self.x).max(1) }
    }

    /// Returns the address so many words on, around the end of local memory.
    #[inline]
    fn further(&self, words: u16) -> WordAddress {
        WordAddress(self.address.0.wrapping_add(words) & self.mask)
    }

    /// Returns the word addresses of the positions from this one on that are left in the row, and more.
    #[inline]
    pub(super) fn addresses(&self) -> impl Iterator<Item = WordAddress> + '_ {
        (0..).map(|k| self.further(self.walk.x.step.wrapping_mul(k)))
    }

    /// Returns the words of so many pairs from this position on, which are left in the row, if they stand one behind the
    /// other.
    #[inline]
    pub(super) fn pairs_in_a_row(&self, pairs: usize) -> Option<Range<usize>> {
        pairs_in_a_row(self.address, self.walk.x.step, pairs)
    }

    /// Goes on by so many positions of the row, less than are left in it.
    #[inline]
    pub(super) fn skip(&mut self, positions: u16) {
        self.x += positions;
        let way = self.walk.x.step.wrapping_mul(positions);
        self.address = self.further(way);
    }

    /// Takes a step; true if all rows have been counted, after which they are counted anew. Without
    /// rows that is so after every step (\[L\]).
    #[inline]
    pub(super) fn step(&mut self) -> bool {
        if !self.at_row_end() {
            self.x += 1;
            self.address = if self.walk.x.reversed {
                self.computed_address()
            } else {
                self.further(self.walk.x.step)
            };
            return self.walk.y.count == 0;
        }
        self.step_row()
    }

    /// Steps to the next row; true if all rows have been counted.
    pub(super) fn step_row(&mut self) -> bool {
        (self.x, self.y) = (0, self.y + 1);
        let over = self.y >= self.walk.y.count.max(1);
        if over {
            self.y = 0;
        }
        self.address = self.computed_address();
        over
    }
}

/// Returns the words of so many pairs from an address on, a step apart, if they stand one behind the other.
#[inline]
fn pairs_in_a_row(first: WordAddress, step: u16, pairs: usize) -> Option<Range<usize>> {
    let first = first.index();
    (pairs == 1 || step == 2).then_some(first..first + 2 * pairs)
}

#[cfg(test)]
mod tests;
