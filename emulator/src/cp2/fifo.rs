//! The host FIFO: the queue between the host and CP2.

use cp2_isa::{BundleBits, Core};
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// An entry of the host FIFO: a bundle that the host sends to CP2, and what CP2 does with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum FifoEntry {
    /// Encoded bundle that CP2 executes once (`dmtc2` of the control processor).
    Execute(BundleBits),
    /// Encoded bundle that CP2 stores in instruction memory at PC, which then counts up by 1 (`ldc2` of the control
    /// processor).
    Store(BundleBits),
}

/// The host FIFO: entries that the host has sent and that CP2 has not taken yet, the oldest first. CP2 takes them while
/// no kernel runs.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Fifo {
    entries: VecDeque<FifoEntry>,
    /// Largest number of entries.
    depth: usize,
    /// Value of STATUS.FE, which is behind what the FIFO holds by the cycle that an entry into an empty FIFO waits.
    shows_empty: bool,
}

impl Fifo {
    /// Creates an empty FIFO for a core, which gives the number of entries that the FIFO can hold.
    pub fn new(core: &Core) -> Self {
        Self { entries: VecDeque::new(), depth: core.fifo_entries(), shows_empty: true }
    }

    /// Whether another FIFO has the same depth.
    pub(super) fn is_built_like(&self, other: &Self) -> bool {
        self.depth == other.depth
    }

    /// Whether the FIFO holds no more entries than it can.
    pub(super) fn is_possible(&self) -> bool {
        self.entries.len() <= self.depth
    }

    /// Adds an entry as the newest one.
    ///
    /// # Errors
    /// The FIFO is full. The entry is returned, and the host has to wait until CP2 has taken one.
    pub fn push(&mut self, entry: FifoEntry) -> Result<(), FifoEntry> {
        if self.is_full() {
            return Err(entry);
        }
        self.entries.push_back(entry);
        Ok(())
    }

    /// Takes the next entry, in a cycle in which CP2 would take one; `None` if there is none. The first entry into an empty
    /// FIFO waits: the cycle in which it would be taken only clears FE.
    pub(crate) fn take(&mut self) -> Option<FifoEntry> {
        if self.shows_empty {
            self.shows_empty = self.is_empty();
            return None;
        }
        let entry = self.entries.pop_front();
        self.shows_empty = self.is_empty();
        entry
    }

    /// Returns the entries that CP2 has not taken yet, the oldest first.
    pub fn entries(&self) -> impl Iterator<Item = &FifoEntry> {
        self.entries.iter()
    }

    /// Returns whether the FIFO holds no entry.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Returns bit FE of STATUS, which shows the FIFO as empty. It stays 1 for one cycle longer after an entry is sent
    /// to an empty FIFO, in which that entry waits.
    pub fn shows_empty(&self) -> bool {
        self.shows_empty
    }

    /// Returns whether the FIFO has no room for another entry: bit FF of STATUS.
    pub fn is_full(&self) -> bool {
        self.entries.len() == self.depth
    }
}
