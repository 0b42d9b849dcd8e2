//! Walks by 32-bit words: through memory, and through local memory by halves of its words.

use super::WORD;
use crate::dma::accesses::WordSet;
use crate::dma::descriptor::{LocalStride, LocalWalk, MemoryWalk, Stride};
use crate::dma::request::Request;
use crate::dma::walk::half_register;
use crate::memory::{BEAT_BYTES, Direction};
use cp2_isa::{Bytes, Core, MemoryAddress, WordAddress};
use serde::{Deserialize, Serialize};

/// Returns the address of the first byte of the beat around an address.
pub(super) fn beat_of(address: MemoryAddress) -> MemoryAddress {
    address.down_to_multiple_of(BEAT_BYTES.into())
}

/// A position in a walk through memory, word by word. A count of 0 is one of 1.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(in crate::dma) struct WordCursor {
    pub(in crate::dma) walk: MemoryWalk,
    pub(in crate::dma) word: u32,
    pub(in crate::dma) x: u32,
    pub(in crate::dma) y: u32,
    pub(in crate::dma) is_finished: bool,
}

impl WordCursor {
    pub(super) fn new(mut walk: MemoryWalk, ireg: &[u64; 16]) -> Self {
        if let Some(n) = walk.index {
            walk.base = walk.base.channel_add(half_register(ireg, n) & !3);
        }
        let least = |stride: Stride| Stride { count: stride.count.max(1), ..stride };
        let walk =
            MemoryWalk { burst: walk.burst.max(1), x: least(walk.x), y: least(walk.y), ..walk };
        Self { walk, word: 0, x: 0, y: 0, is_finished: false }
    }

    pub(super) fn address(&self) -> MemoryAddress {
        let term = |stride: Stride, n: u32| (stride.step as u32).wrapping_mul(n);
        let row = self.walk.base.channel_add(term(self.walk.x, self.x));
        row.channel_add(term(self.walk.y, self.y)).channel_add(WORD * self.word)
    }

    /// Goes on by so many words, at most those that the burst has left.
    pub(super) fn skip(&mut self, words: u32) {
        self.word += words;
        if self.word < self.walk.burst.into() {
            return;
        }
        (self.word, self.x) = (0, self.x + 1);
        if self.x == self.walk.x.count {
            (self.x, self.y) = (0, self.y + 1);
        }
        self.is_finished = self.y == self.walk.y.count;
    }

    /// Returns the number of beats with words at rising addresses from this one on, at most so many.
    pub(super) fn beats(&self, most: u32) -> u32 {
        let start = self.address();
        let end = beat_of(start) + Bytes::from(most * BEAT_BYTES);
        let (mut at, mut ahead) = (start, self.clone());
        while at < end && !ahead.is_finished && ahead.address() == at {
            let left = u32::from(ahead.walk.burst) - ahead.word;
            at = at + Bytes::from(WORD * left);
            ahead.skip(left);
        }
        (at.min(end) - beat_of(start)).0.div_ceil(BEAT_BYTES.into()) as u32
    }

    pub(super) fn request(&self, direction: Direction, most: u32) -> Option<Request> {
        let request =
            Request { address: beat_of(self.address()), beats: self.beats(most), direction };
        (!self.is_finished).then_some(request)
    }

    /// Whether the position is the word behind an address, in its beat.
    pub(super) fn goes_on(&self, last: MemoryAddress) -> bool {
        !self.is_finished && is_behind(last, self.address())
    }
}

/// Whether a word is the one behind another, in its beat.
pub(super) fn is_behind(last: MemoryAddress, next: MemoryAddress) -> bool {
    last.channel_add(WORD) == next && beat_of(last) == beat_of(next)
}

/// A walk through local memory by halves of words: half 2k is the high half of word k, half 2k + 1 its low half.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(in crate::dma) struct HalfWalk {
    pub(in crate::dma) base: u32,
    pub(in crate::dma) x: LocalStride,
    pub(in crate::dma) y: LocalStride,
    /// Number of bits of the address of a half.
    pub(in crate::dma) bits: u32,
}

impl HalfWalk {
    pub(super) fn new(core: &Core, walk: &LocalWalk, ireg: &[u64; 16]) -> Self {
        let index = walk.index.map_or(0, |n| half_register(ireg, n) & 0xffff);
        let least = |stride: LocalStride| LocalStride { count: stride.count.max(1), ..stride };
        let base = u32::from(walk.base.0) + index;
        Self { base, x: least(walk.x), y: least(walk.y), bits: core.address_bits() + 1 }
    }

    pub(super) fn mask(&self) -> u32 {
        (1 << self.bits) - 1
    }

    /// Returns the number of places until the walk begins anew.
    pub(super) fn places(&self) -> u64 {
        u64::from(self.x.count) * u64::from(self.y.count)
    }

    /// Returns the half at a place.
    pub(super) fn at(&self, place: u64) -> u32 {
        let columns = u64::from(self.x.count);
        let (x, y) = (place % columns, place / columns % u64::from(self.y.count));
        let term = |stride: &LocalStride, n: u64| {
            let plain = u32::from(stride.step).wrapping_mul(n as u32) & self.mask();
            // Within one bit more than an address has, so bit 0 goes outside, as with beats.
            if stride.reversed { plain.reverse_bits() >> (31 - self.bits) } else { plain }
        };
        self.base.wrapping_add(term(&self.x, x)).wrapping_add(term(&self.y, y)) & self.mask()
    }

    /// Returns the words of local memory that the walk reaches.
    pub(super) fn words(&self) -> WordSet {
        let mut words = WordSet::NONE;
        let places = self.places().min(1 << 20);
        (0..places).for_each(|place| words.insert(word_of(self.at(place))));
        if places < self.places() {
            words.insert_range(0, (self.mask() / 2) as usize);
        }
        words
    }
}

pub(super) fn word_of(half: u32) -> WordAddress {
    WordAddress((half / 2) as u16)
}
