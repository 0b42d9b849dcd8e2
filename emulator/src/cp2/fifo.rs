//! The queue between the control processor and CP2.

use cp2_isa::{BundleBits, Core};
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// An entry that the control processor sends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum FifoEntry {
    /// A bundle to execute (`dmtc2`).
    Execute(BundleBits),
    /// A bundle to store in IRAM at PC, which then counts up (`ldc2`).
    Store(BundleBits),
}

/// The host FIFO: bundles that the control processor has sent and that CP2 has not taken yet, the oldest first.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Fifo {
    entries: VecDeque<FifoEntry>,
    /// Largest number of entries.
    depth: usize,
    /// Value of STATUS.FE, which is behind what the FIFO holds by the cycle that an entry into an empty FIFO waits.
    shows_empty: bool,
}

impl Fifo {
    /// Creates the empty FIFO of a core.
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

    /// Adds an entry, or gives it back when the FIFO is full (the control processor then stalls).
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

    /// Whether nothing is left to take.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Whether STATUS shows the FIFO as empty (STATUS.FE).
    pub fn shows_empty(&self) -> bool {
        self.shows_empty
    }

    /// Whether the FIFO is full (STATUS.FF).
    pub fn is_full(&self) -> bool {
        self.entries.len() == self.depth
    }
}
