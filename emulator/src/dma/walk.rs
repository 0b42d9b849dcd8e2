//! Positions in the walks of descriptors, beat by beat. No data and no time.

use super::accesses::Words;
use super::descriptor::{LocalStride, LocalWalk, MemoryWalk, Pattern, Put, Stride};
use super::fault::WalkField;
use crate::memory::{BEAT_BYTES, SystemMemory};
use cp2_isa::{Core, SECTIONS, WordAddress};
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// The value of an index half-register: the high halves of `i0`..`i15` have the even numbers.
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
    pub(super) address: u32,
}

impl MemoryCursor {
    /// The start of a walk, with the index register as it is now.
    pub(super) fn new(mut walk: MemoryWalk, single_words: bool, ireg: &[u64; 16]) -> Self {
        if let Some(n) = walk.index {
            walk.base = walk.base.wrapping_add(half_register(ireg, n) & !3);
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
            (WalkField::Base, i64::from(w.base)),
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

    /// Address of the next beat.
    pub(super) fn address(&self) -> u32 {
        self.address
    }

    /// Beats at rising addresses from this one on.
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
        self.address = self.address.wrapping_add(beats * BEAT_BYTES);
        let is_in_burst = self.beat < u32::from(self.walk.burst);
        if beats > 0 && (self.is_scattered || !is_in_burst) {
            self.look();
        }
    }

    /// Takes as many steps as there are beats at rising addresses in one piece of memory, at most so many; tells where
    /// they begin, and how many they are. Addresses are multiples of beats.
    #[inline]
    pub(super) fn next_run(&mut self, most: u32) -> (u64, u32) {
        let address = u64::from(self.address);
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
            self.look();
        }
        was_second || self.is_scattered
    }

    /// Looks at all counters, the inner ones first.
    fn look(&mut self) {
        let w = &self.walk;
        if self.beat >= w.burst.into() {
            (self.beat, self.x) = (0, self.x + 1);
        }
        if self.x >= w.x.count {
            (self.x, self.y) = (0, self.y + 1);
        }
        self.is_finished = self.y >= w.y.count;
        let term = |stride: Stride, n: u32| (stride.step as u32).wrapping_mul(n);
        let row = w.base.wrapping_add(term(w.x, self.x)).wrapping_add(term(w.y, self.y));
        self.address = row.wrapping_add(self.beat * BEAT_BYTES);
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
    /// The start of a walk, with the index register as it is now. Pairs of words begin at even
    /// addresses.
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

    /// Word address of the position.
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

    /// The words of the whole walk, and those between the words of a row.
    pub(super) fn words(&self) -> Words {
        let (x, y) = (&self.walk.x, &self.walk.y);
        let [rows, columns] = [y.count, x.count].map(|n| i64::from(n.max(1)));
        if x.reversed || y.reversed {
            if rows * columns > i64::from(self.mask) + 1 {
                return self.all_words();
            }
            let mut words = Words::NONE;
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
        let mut words = Words::NONE;
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

    fn all_words(&self) -> Words {
        let mut words = Words::NONE;
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

    /// How many positions from this one on are in the row, if every step adds the same and none ends
    /// the walk.
    #[inline]
    pub(super) fn left_in_row(&self) -> u16 {
        let is_single = self.walk.x.reversed || self.walk.y.count == 0;
        if is_single { 1 } else { (self.walk.x.count - self.x).max(1) }
    }

    /// The address so many words on, around the end of local memory.
    #[inline]
    fn further(&self, words: u16) -> WordAddress {
        WordAddress(self.address.0.wrapping_add(words) & self.mask)
    }

    /// Word addresses of the positions from this one on that are left in the row, and more.
    #[inline]
    pub(super) fn addresses(&self) -> impl Iterator<Item = WordAddress> + '_ {
        (0..).map(|k| self.further(self.walk.x.step.wrapping_mul(k)))
    }

    /// The words of so many pairs from this position on, which are left in the row, if they stand one behind the other.
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

    /// Steps to the next row.
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

/// Which beat of the stream a section takes next.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct PatternCursor {
    pub(super) pattern: Pattern,
    pub(super) taken: u16,
    /// The number that it takes next.
    pub(super) wanted: u16,
}

impl PatternCursor {
    pub(super) fn new(pattern: Pattern) -> Self {
        // Every second number, run by run of one, is a single run around all numbers: beats that are alike.
        let is_all = pattern.run <= 1 && pattern.outer == 2;
        let all = Pattern { inner: 2, run: 1 << 15, outer: 0, ..pattern };
        Self { pattern: if is_all { all } else { pattern }, taken: 0, wanted: pattern.base }
    }

    /// Whether the section takes the beat with this number.
    pub(super) fn wants(&self, number: u16) -> bool {
        self.wanted == number
    }

    /// For how many beats from this number on the section takes all or none of them, 0 counting as 1.
    #[inline]
    pub(super) fn alike(&self, number: u16) -> usize {
        if self.wants(number) {
            let left = self.pattern.run.saturating_sub(self.taken);
            return if self.pattern.inner == 2 { left.into() } else { 1 };
        }
        // Numbers go up by 2 and round, so an odd distance never ends.
        let distance = self.wanted.wrapping_sub(number);
        if distance % 2 == 1 { usize::MAX } else { usize::from(distance / 2) }
    }

    /// If it takes one beat of four and this number is that of a beat of the next four: which.
    #[inline]
    pub(super) fn turn(&self, number: u16) -> Option<usize> {
        let Pattern { run, outer, .. } = self.pattern;
        let distance = self.wanted.wrapping_sub(number);
        let is_turn = run <= 1 && outer == 8 && self.taken == 0 && distance < 8;
        (is_turn && distance.is_multiple_of(2)).then_some(usize::from(distance / 2))
    }

    /// Takes so many beats in its turn.
    #[inline]
    pub(super) fn take_turns(&mut self, beats: u16) {
        self.pattern.base = self.wanted.wrapping_add(self.pattern.outer.wrapping_mul(beats));
        self.wanted = self.pattern.base;
    }

    /// Takes so many beats that it wants, one or as many as are alike.
    #[inline]
    pub(super) fn take(&mut self, beats: u16) {
        self.taken += beats;
        self.wanted = self.wanted.wrapping_add(self.pattern.inner.wrapping_mul(beats));
        if self.taken >= self.pattern.run {
            self.taken = 0;
            self.pattern.base = self.pattern.base.wrapping_add(self.pattern.outer);
            self.wanted = self.pattern.base;
        }
    }

    /// Whether the section takes the beat with this number; it goes on if so.
    #[inline]
    pub(super) fn takes(&mut self, number: u16) -> bool {
        let taken = self.wants(number);
        if taken {
            self.take(1);
        }
        taken
    }
}

/// The next beat of a transfer to memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Source {
    pub(super) section: usize,
    pub(super) address: WordAddress,
    /// 32-bit words that are not written.
    pub(super) mask: u8,
}

/// The next beats of a transfer to memory, whose places are apart by a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Row {
    /// The section that they come from; `None` if every place gives a beat of each section in turn.
    pub(super) section: Option<usize>,
    pub(super) beats: usize,
    /// 32-bit words that are not written.
    pub(super) mask: u8,
    address: WordAddress,
    step: u16,
    local_mask: u16,
}

/// The words of so many pairs from an address on, a step apart, if they stand one behind the other.
#[inline]
fn pairs_in_a_row(first: WordAddress, step: u16, pairs: usize) -> Option<Range<usize>> {
    let first = first.index();
    (pairs == 1 || step == 2).then_some(first..first + 2 * pairs)
}

impl Row {
    /// Word addresses, as many as there are places and more.
    #[inline]
    pub(super) fn addresses(self) -> impl Iterator<Item = WordAddress> {
        let at = move |way| WordAddress(self.address.0.wrapping_add(way) & self.local_mask);
        (0..).map(move |k| at(self.step.wrapping_mul(k)))
    }

    /// The words of its places if they stand one behind the other, and each gives one beat.
    #[inline]
    pub(super) fn pairs_in_a_row(&self) -> Option<Range<usize>> {
        pairs_in_a_row(self.address, self.step, self.beats)
    }
}

/// Turns through the sections of a transfer to memory.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct SourceCursor {
    pub(super) local: LocalCursor,
    pub(super) flow: usize,
    pub(super) masks: [u8; 2],
    pub(super) section: usize,
    /// Beat within a flow.
    pub(super) turn: usize,
    /// What section 0 gave in this round; the other sections give the same places.
    pub(super) round: [(WordAddress, u8); 4],
}

impl SourceCursor {
    pub(super) fn new(core: &Core, put: &Put, ireg: &[u64; 16]) -> Self {
        let mut cursor = Self {
            local: LocalCursor::new(core, put.local, false, ireg),
            flow: usize::from(put.flow.min(4)),
            masks: [put.mask, put.row_end_mask],
            section: 0,
            turn: 0,
            round: [(WordAddress::default(), 0); 4],
        };
        cursor.note();
        cursor
    }

    /// Keeps the place of the walk as that of this turn.
    fn note(&mut self) {
        let mask = self.masks[usize::from(self.local.is_last_column())];
        self.round[self.turn] = (self.local.address(), mask);
    }

    pub(super) fn words(&self) -> Words {
        self.local.words()
    }

    /// Whether a row goes by with every beat, of whichever section.
    #[inline]
    fn has_no_columns(&self) -> bool {
        self.local.walk.x.count == 0
    }

    pub(super) fn source(&self) -> Source {
        let (address, mask) = self.round[self.turn];
        Source { section: self.section, address, mask }
    }

    /// Takes at least one beat and at most `most`.
    #[inline]
    pub(super) fn row(&mut self, most: usize) -> Row {
        let Source { section, address, mask } = self.source();
        let (step, local_mask) = (self.local.walk.x.step, self.local.mask);
        let row = Row { section: Some(section), beats: 1, mask, address, step, local_mask };
        // Where the walk stands is where the next beat comes from.
        let beats_of_a_place = match self.flow {
            0 => 1,
            1 if section == 0 && most >= SECTIONS && !self.has_no_columns() => SECTIONS,
            _ => {
                self.step();
                return row;
            }
        };
        let left = self.local.left_in_row();
        let is_alike = self.masks[0] == self.masks[1];
        // The last place of a row has its own mask.
        let alike = if is_alike || left == 1 { left } else { left - 1 };
        let places = usize::from(alike).min(most / beats_of_a_place);
        self.local.skip(places as u16 - 1);
        if self.flow == 0 {
            self.step();
            return Row { beats: places, ..row };
        }
        self.local.step();
        self.note();
        Row { section: None, beats: places * SECTIONS, ..row }
    }

    #[inline]
    pub(super) fn step(&mut self) {
        if self.flow == 0 {
            if self.local.step() {
                self.section = (self.section + 1) % SECTIONS;
            }
            self.note();
            return;
        }
        if self.section == 0 || self.has_no_columns() {
            self.local.step();
        }
        self.turn += 1;
        if self.turn == self.flow {
            (self.turn, self.section) = (0, (self.section + 1) % SECTIONS);
        }
        if self.section == 0 {
            self.note();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reversed_terms_keep_even_addresses_even() {
        let x = LocalStride { step: 2, count: 8, reversed: true };
        let walk = LocalWalk { x, ..LocalWalk::default() };
        let mut cursor = LocalCursor::new(&Core::CP2, walk, false, &[0; 16]);
        let mut seen = Vec::new();
        for _ in 0..8 {
            seen.push(cursor.address().0);
            cursor.step();
        }
        assert_eq!(seen, [0, 4096, 2048, 6144, 1024, 5120, 3072, 7168]);
    }

    #[test]
    fn half_registers_are_high_then_low() {
        let mut ireg = [0; 16];
        ireg[2] = 0x1111_2222_3333_4444;
        assert_eq!(half_register(&ireg, 4), 0x1111_2222);
        assert_eq!(half_register(&ireg, 5), 0x3333_4444);
    }
}
