//! The 32-bit words that move in one cycle: of one beat of memory, of one pair of words of local memory.

use super::walk::{beat_of, is_behind, word_of};
use super::{OF_A_BEAT, WORD};
use crate::dma::fault::DmaFaultKind;
use crate::dma::log::Beat;
use crate::dma::ports::Ports;
use crate::dma::request::MovedData;
use crate::memory::BEAT_BYTES;
use crate::state::Quad;
use cp2_isa::{Bytes, MemoryAddress, SECTIONS};

/// Whether a half is the one behind another, in the same pair of words.
pub(super) fn is_behind_in_pair(last: u32, next: u32) -> bool {
    last + 1 == next && last / OF_A_BEAT == next / OF_A_BEAT
}

pub(super) fn half_of(lmem: &[Quad], half: u32, section: usize) -> u32 {
    let word = lmem.get(half as usize / 2).map_or(0, |quad| quad[section]);
    if half.is_multiple_of(2) { (word >> 32) as u32 } else { word as u32 }
}

pub(super) fn set_half(lmem: &mut [Quad], half: u32, section: usize, value: u32) {
    let shift = if half.is_multiple_of(2) { 32 } else { 0 };
    if let Some(quad) = lmem.get_mut(half as usize / 2) {
        quad[section] = quad[section] & !(0xffff_ffff << shift) | u64::from(value) << shift;
    }
}

/// Piece of a transfer: words that move in one cycle, of one beat of memory, of one pair of words of local memory.
pub(super) struct Piece {
    pub(super) address: MemoryAddress,
    /// Number of the first half-word in local memory.
    pub(super) half: u32,
    pub(super) words: u32,
    /// Sections that take or give the words, one bit each.
    pub(super) sections: u8,
    /// Whether no more of the beat moves in its transaction.
    pub(super) is_last: bool,
}

impl Piece {
    pub(super) fn of(address: MemoryAddress, half: u32, sections: u8) -> Self {
        Self { address, half, words: 1, sections, is_last: false }
    }

    /// Takes in one more word if it may move in the same cycle.
    pub(super) fn add(&mut self, address: MemoryAddress, half: u32, sections: u8) -> bool {
        let n = self.words - 1;
        let is_taken = is_behind(self.address + Bytes::from(WORD * n), address)
            && is_behind_in_pair(self.half + n, half)
            && self.sections == sections;
        self.words += u32::from(is_taken);
        is_taken
    }

    /// Returns the address of the piece, unless its beat is refused.
    pub(super) fn check(&self, limit: Option<u32>) -> Result<MemoryAddress, DmaFaultKind> {
        let beat = beat_of(self.address);
        match limit {
            Some(limit) if beat.0 >= limit.into() => Err(DmaFaultKind::AddressLimit(beat, limit)),
            _ => Ok(self.address),
        }
    }

    pub(super) fn moved(&self) -> MovedData {
        MovedData { whole: self.is_last, bytes: WORD * self.words }
    }

    pub(super) fn takers(&self) -> impl Iterator<Item = usize> + use<> {
        let sections = self.sections;
        (0..SECTIONS).filter(move |s| sections >> s & 1 == 1)
    }

    /// Reads the words of the piece in memory.
    pub(super) fn read(
        &self,
        ports: &mut Ports<'_>,
        address: MemoryAddress,
    ) -> Result<[u32; 4], DmaFaultKind> {
        let mut bytes = [0; BEAT_BYTES as usize];
        let part = &mut bytes[..(WORD * self.words) as usize];
        ports.memory.fetch(address, part).map_err(DmaFaultKind::OutsideMemory)?;
        Ok(numbers_of(&bytes))
    }

    /// Returns the piece as a pair of words of local memory; halves that do not move are in its mask and 0.
    pub(super) fn as_beat(&self, beat: Beat, values: [u32; 4]) -> Beat {
        let first = self.half % OF_A_BEAT;
        let mut halves = [0; OF_A_BEAT as usize];
        let mut mask = 0b1111;
        for (k, value) in (first..).zip(&values[..self.words as usize]) {
            halves[k as usize] = *value;
            mask &= !(1 << k);
        }
        let word = |k: usize| u64::from(halves[k]) << 32 | u64::from(halves[k + 1]);
        Beat {
            address: self.address,
            bytes: (WORD * self.words) as u8,
            local: Some(word_of(self.half - first)),
            sections: self.sections,
            mask,
            words: [word(0), word(2)],
            ..beat
        }
    }
}

pub(super) fn numbers_of(bytes: &[u8; BEAT_BYTES as usize]) -> [u32; 4] {
    std::array::from_fn(|k| u32::from_be_bytes(std::array::from_fn(|b| bytes[4 * k + b])))
}

/// Reads the words at an address without effects, for an observer.
pub(super) fn peek(ports: &Ports<'_>, address: MemoryAddress) -> [u32; 4] {
    let mut bytes = [0; BEAT_BYTES as usize];
    let left = ports.memory.available(address, bytes.len());
    // What lies outside memory is refused when it moves.
    let _ = ports.memory.read(address, &mut bytes[..left]);
    numbers_of(&bytes)
}
