//! Requests of a transfer to memory, and the data that a step of it has moved.

use crate::memory::{BEAT_BYTES, Burst, Direction};
use cp2_isa::{Cycle, MemoryAddress};

/// The data that a step has moved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct MovedData {
    /// Whether no more of the beat moves.
    pub(super) whole: bool,
    /// Number of bytes that count as moved.
    pub(super) bytes: u32,
}

impl MovedData {
    /// Creates the data of a step within a beat, which counts when all of it has moved.
    pub(super) fn of_beat(whole: bool) -> Self {
        Self { whole, bytes: if whole { BEAT_BYTES } else { 0 } }
    }
}

/// A run of beats that memory is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Request {
    pub(super) address: MemoryAddress,
    pub(super) beats: u32,
    pub(super) direction: Direction,
}

impl Request {
    /// Returns the burst of the request, wanted since a cycle.
    pub(super) fn since(&self, since: Cycle) -> Burst {
        Burst { address: self.address, beats: self.beats, direction: self.direction, since }
    }
}
