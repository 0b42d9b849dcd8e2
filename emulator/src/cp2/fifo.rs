//! The queue between the control processor and CP2.

use std::collections::VecDeque;

/// Entries that the FIFO holds.
const DEPTH: usize = 4;

/// What the control processor sends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FifoEntry {
    /// A bundle to execute (`dmtc2`).
    Execute(u64),
    /// A bundle to store in IRAM at PC, which then counts up (`ldc2`).
    Store(u64),
}

/// The host FIFO.
#[derive(Clone, Debug, Default)]
pub struct Fifo {
    entries: VecDeque<FifoEntry>,
}

impl Fifo {
    /// Adds an entry; gives it back when the FIFO is full (the control processor then stalls).
    pub fn push(&mut self, entry: FifoEntry) -> Result<(), FifoEntry> {
        if self.is_full() {
            return Err(entry);
        }
        self.entries.push_back(entry);
        Ok(())
    }

    /// Takes the oldest entry.
    pub(crate) fn pop(&mut self) -> Option<FifoEntry> {
        self.entries.pop_front()
    }

    /// STATUS.FE.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// STATUS.FF.
    pub fn is_full(&self) -> bool {
        self.entries.len() == DEPTH
    }
}
