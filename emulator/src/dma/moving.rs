//! A transfer under way: how far it is, and what memory is doing for it. How its beats follow each other
//! is in `stream.rs`, what a beat moves in `transfer.rs`.

use super::accesses::WordSet;
use super::descriptor::Descriptor;
use super::request::Request;
use super::transfer::Transfer;
use super::walk::MemoryCursor;
use crate::memory::{Direction, MemoryPort, Transaction};
use cp2_isa::{Bank, Core, Cycle};
use serde::{Deserialize, Serialize};

/// Transfer under way.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Moving {
    pub(super) descriptor: Box<Descriptor>,
    pub(super) transfer: Transfer,
    /// Words of local memory that the transfer may reach.
    words: WordSet,
    /// Bank of the words that the transfer may reach, if it is one.
    pub(super) bank: Option<Bank>,
    pub(super) transaction: Transaction,
    pub(super) direction: Direction,
    /// Number of beats of the transaction that have moved.
    pub(super) moved: u32,
    /// Cycle from which on memory may be asked.
    pub(super) since: Cycle,
    /// Cycle of the next step.
    pub(super) next: Cycle,
}

impl Moving {
    /// Creates a transfer that begins in `cycle`; memory has to be asked next.
    pub(super) fn new(
        core: &Core,
        descriptor: Box<Descriptor>,
        transfer: Transfer,
        cycle: Cycle,
    ) -> Self {
        let words = transfer.words();
        Self {
            descriptor,
            transfer,
            bank: words.bank(core),
            words,
            transaction: Transaction::default(),
            direction: Direction::Get,
            moved: 0,
            since: cycle,
            next: cycle,
        }
    }

    /// Whether the transfer concerns a kernel that is ahead and has accessed these words.
    pub(super) fn would_meet(&self, words: &WordSet) -> bool {
        self.descriptor.reads_index() || self.words.meets(words)
    }

    /// Whether the words that the transfer may reach are in the local memory of a core, and the bank is theirs.
    pub(super) fn has_words_of(&self, core: &Core) -> bool {
        self.bank == self.words.bank(core) && self.words.are_within(core)
    }

    /// Asks memory for the next transaction; its first beat moves in cycle `earliest` at the
    /// earliest. False if all data have moved.
    #[inline]
    pub(super) fn request(&mut self, port: &mut MemoryPort, earliest: Cycle) -> bool {
        let Some(r) = self.transfer.request() else { return false };
        self.begin(&r, port, earliest);
        true
    }

    /// Returns the request to memory at a position of a walk, in the direction of this transfer.
    #[inline]
    pub(super) fn asked(&self, walk: &MemoryCursor) -> Request {
        let (address, beats) = (walk.address(), walk.burst_left());
        Request { address, beats, direction: self.direction }
    }

    /// Begins the transaction that memory is asked for.
    #[inline]
    pub(super) fn begin(&mut self, request: &Request, port: &mut MemoryPort, earliest: Cycle) {
        let t = port.begin(&request.since(self.since));
        self.transaction = t;
        self.direction = request.direction;
        self.moved = 0;
        self.next = port.due(&t, 0).max(earliest);
    }
}
