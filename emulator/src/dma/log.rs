//! Log of the channel, descriptor by descriptor and beat by beat. It is kept only on request and changes no result. The
//! counts are in `stats`.

use super::stats::{ChannelCause, DmaStats};
use crate::memory::Direction;
use cp2_isa::{Cycle, MemoryAddress, WordAddress};

/// Record in a log of one visit of the DMA channel to a descriptor: from the cycle in which the channel turns to the
/// descriptor to the one in which it leaves it. A descriptor that is used several times has several visits. Kept from
/// [`Dma::keep_log`](super::Dma::keep_log) on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Visit {
    /// Number of the descriptor in its table: the value of register CURDSC.
    pub number: u32,
    /// Address in system memory of the first byte of the descriptor.
    pub address: MemoryAddress,
    /// The 8 words of the descriptor as they were fetched; `None` if they have not been fetched, or were fetched before
    /// the log began.
    pub words: Option<[u64; 8]>,
    /// Cycle, since reset, in which the channel turned to the descriptor, or in which the log began.
    pub begin: Cycle,
    /// First cycle, since reset, after the visit; `None` while the visit lasts.
    pub end: Option<Cycle>,
    /// Cycles, since reset, in which the channel began to wait for `start_dma`: before the data, then after the data;
    /// `None` where it did not wait.
    pub waits: [Option<Cycle>; 2],
    /// Counts of the visit: its cycles by cause, and the bytes that moved.
    pub stats: DmaStats,
}

/// Record in a log of the data that moved in one cycle: a beat of 16 bytes, a single 64-bit word, or some 32-bit words
/// of one beat. A transfer from memory to memory has two for each beat, one read and one written. Kept from
/// [`Dma::keep_log`](super::Dma::keep_log) on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Beat {
    /// Cycle, since reset, in which the beat moved.
    pub cycle: Cycle,
    /// Number of the [`Visit`] in which the beat moved, counted from 0 since the log began.
    pub visit: u64,
    /// Cycles for which the beat waited because the kernel used its bank of local memory.
    pub conflicts: u64,
    /// Direction: get is from system memory, put is to it.
    pub direction: Direction,
    /// Address in system memory of the first byte.
    pub address: MemoryAddress,
    /// Number of bytes: 16 for a beat, 8 for a single word, 4 for each 32-bit word.
    pub bytes: u8,
    /// Word address in local memory of the first word (of the pair of words, where 32-bit words move); `None` in a
    /// transfer from memory to memory.
    pub local: Option<WordAddress>,
    /// Sections whose local memory is written (get) or read (put), one bit each, section 0 the lowest; 0 in a transfer
    /// from memory to memory.
    pub sections: u8,
    /// 32-bit words, of the four in the pair of words, that do not move: bit 0 the first, bit 3 the last.
    pub mask: u8,
    /// The two 64-bit words of data; the second is 0 for a single word.
    pub words: [u64; 2],
}

impl Beat {
    /// Returns the positions in `words`, 0 or 1, of the 64-bit words that are read or written in local memory: position
    /// 0 is the word at address `local`, position 1 the word after it.
    pub fn places(&self) -> impl Iterator<Item = usize> + use<> {
        let reached = match (self.bytes, self.mask) {
            (16, _) => [true, true],
            (8, 0) => [true, false],
            (_, mask) => [mask & 0b0011 != 0b0011, mask & 0b1100 != 0b1100],
        };
        (0..2).filter(move |&k| reached[k])
    }
}

/// Log of the visits and beats since they were taken last.
#[derive(Clone, Debug, Default)]
pub(super) struct Log {
    /// Visits that are over, then at most one that is not.
    visits: Vec<Visit>,
    beats: Vec<Beat>,
    /// Number of visits that were taken.
    n_taken: u64,
    /// Number of cycles that the next beat has waited for the kernel so far.
    conflicts: u64,
}

impl Log {
    fn current(&mut self) -> Option<&mut Visit> {
        self.visits.last_mut().filter(|visit| visit.end.is_none())
    }

    /// Notes that the channel turns to a descriptor in cycle `now` and leaves the one before.
    pub(super) fn turn_to(&mut self, number: u32, address: MemoryAddress, now: Cycle) {
        self.end_visit(now);
        self.visits.push(Visit {
            number,
            address,
            words: None,
            begin: now,
            end: None,
            waits: [None; 2],
            stats: DmaStats::default(),
        });
    }

    /// Notes that the channel is done with its descriptor before cycle `now`.
    pub(super) fn end_visit(&mut self, now: Cycle) {
        self.conflicts = 0;
        if let Some(visit) = self.current() {
            visit.end = Some(now);
        }
    }

    /// Notes that the words of the descriptor have come.
    pub(super) fn fetched(&mut self, words: [u64; 8]) {
        if let Some(visit) = self.current() {
            visit.words = Some(words);
            visit.stats.n_descriptors += 1;
        }
    }

    /// Notes that the channel waits for `start_dma` from cycle `now` on, before the data or behind them.
    pub(super) fn waits(&mut self, is_behind: bool, now: Cycle) {
        if let Some(visit) = self.current() {
            visit.waits[usize::from(is_behind)] = Some(now);
        }
    }

    pub(super) fn count(&mut self, cause: ChannelCause, cycles: u64) {
        if let Some(visit) = self.current() {
            visit.stats.count(cause, cycles);
        }
    }

    pub(super) fn add_bytes(&mut self, [get, put]: [u64; 2]) {
        if let Some(visit) = self.current() {
            visit.stats.bytes_get += get;
            visit.stats.bytes_put += put;
        }
    }

    /// Notes that the next beat had to wait for a cycle.
    pub(super) fn conflict(&mut self) {
        self.conflicts += 1;
    }

    /// Notes that a beat has moved.
    pub(super) fn beat(&mut self, beat: Beat) {
        let visit = (self.n_taken + self.visits.len() as u64).saturating_sub(1);
        self.beats.push(Beat { visit, conflicts: std::mem::take(&mut self.conflicts), ..beat });
    }

    pub(super) fn take_beats(&mut self) -> Vec<Beat> {
        std::mem::take(&mut self.beats)
    }

    pub(super) fn take_visits(&mut self) -> Vec<Visit> {
        let over = self.visits.iter().take_while(|visit| visit.end.is_some()).count();
        self.n_taken += over as u64;
        self.visits.drain(..over).collect()
    }

    pub(super) fn under_way(&self) -> Option<&Visit> {
        self.visits.last().filter(|visit| visit.end.is_none())
    }
}
