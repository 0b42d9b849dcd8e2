//! Log of the channel, descriptor by descriptor and beat by beat, to be looked at later. It is kept only on request, and
//! changes nothing. The counts are in `stats`.

use super::stats::{ChannelCause, DmaStats};
use crate::memory::Direction;
use cp2_isa::{Cycle, MemoryAddress, WordAddress};

/// Visit of the channel to a descriptor: from the cycle in which it turns to it to the one in which it leaves it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Visit {
    /// Number of the descriptor: the value of CURDSC.
    pub number: u32,
    /// Address in system memory of the first of the 8 words of the descriptor.
    pub address: MemoryAddress,
    /// Words of the descriptor as they were fetched; `None` if they did not come, or before the log began.
    pub words: Option<[u64; 8]>,
    /// Cycle in which the channel turned to the descriptor, or in which the log began.
    pub begin: Cycle,
    /// Cycle after the last of the visit; `None` while it is under way.
    pub end: Option<Cycle>,
    /// Cycles in which the channel began to wait for `start_dma`, before the data and behind them.
    pub waits: [Option<Cycle>; 2],
    /// Counts of the cycles of the visit, by what they were for, and of the bytes that moved.
    pub stats: DmaStats,
}

/// Beat that moved, a word with single words, or the 32-bit words of a pair that move in a cycle. A copy has two: one read,
/// one written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Beat {
    /// Cycle, since reset, in which the beat moved.
    pub cycle: Cycle,
    /// Number of the visit to which the beat belongs, counted from 0 since the log began.
    pub visit: u64,
    /// Number of cycles that the beat waited because the kernel used its bank.
    pub conflicts: u64,
    /// Direction of the beat: from system memory or to it.
    pub direction: Direction,
    /// Address in memory of the first byte of the beat.
    pub address: MemoryAddress,
    /// Number of bytes: 16, 8 for a single word, 4 for each 32-bit word.
    pub bytes: u8,
    /// Word address in local memory of the first word; `None` if the beat goes from memory to memory.
    pub local: Option<WordAddress>,
    /// Sections that take or give the beat, one bit each.
    pub sections: u8,
    /// 32-bit words of the pair that are not written: bit 0 the first, bit 3 the last.
    pub mask: u8,
    /// Words of the beat; the second is 0 for a single word.
    pub words: [u64; 2],
}

impl Beat {
    /// Returns which of the two words of the beat are reached in local memory.
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
