//! How a host goes on from a checkpoint: a procedure is plain code that makes calls, so it runs again from its
//! beginning, and the calls before the checkpoint do nothing. What it has read of the machine by then
//! is given to it again, so it decides as before.

use super::passes::Ledger;
use super::session::complex_of;
use super::timeline::{KernelCounts, Timeline};
use crate::error::KernelError;
use crate::keeping::Keeper;
use cp2_emu::Machine;
use cp2_emu::dma::DmaStats;
use cp2_isa::Cycle;
use num_complex::Complex32;
use serde::{Deserialize, Serialize};
use std::cell::RefCell;

/// What a host has beside its machine.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Books {
    pub(super) timeline: Timeline,
    pub(super) kernels: KernelCounts,
    pub(super) before: DmaStats,
    pub(super) ledger: Ledger,
    pub(super) least_cycles: u64,
    pub(super) busy_until: Cycle,
    pub(super) is_kernel_counted: bool,
    pub(super) wait_since: Cycle,
}

/// What a checkpoint has of a host.
#[derive(Serialize, Deserialize)]
struct Kept {
    /// Calls before it.
    calls: u64,
    reads: Vec<Vec<[u8; 8]>>,
    books: Books,
}

/// What was read so far, and how much of it this run has seen.
#[derive(Debug, Default)]
struct Reads {
    all: Vec<Vec<[u8; 8]>>,
    seen: usize,
}

/// The calls of a host.
#[derive(Debug)]
pub(super) struct Replay {
    keeper: &'static Keeper,
    calls: u64,
    /// Calls before this one were done before the checkpoint, if there was one.
    until: u64,
    has_resumed: bool,
    reads: RefCell<Reads>,
    /// Why there is nothing to go on from.
    failure: Option<KernelError>,
}

impl Replay {
    /// Counts the calls of a host for a keeper, if it is the first; puts the machine into the state to go
    /// on from, and tells the books of then.
    pub(super) fn begin(
        keeper: Option<&'static Keeper>,
        machine: &mut Machine,
    ) -> (Option<Self>, Option<Books>) {
        let Some(keeper) = keeper.filter(|keeper| keeper.take()) else { return (None, None) };
        let mut replay = Self {
            keeper,
            calls: 0,
            until: 0,
            has_resumed: false,
            reads: RefCell::default(),
            failure: None,
        };
        let damaged = |_| KernelError::Checkpoint("it does not say how far the run was".to_owned());
        let kept = keeper.resume(machine).and_then(|bytes| {
            bytes.map(|bytes| postcard::from_bytes::<Kept>(&bytes).map_err(damaged)).transpose()
        });
        let books = match kept {
            Ok(None) => None,
            Ok(Some(Kept { calls, reads, books })) => {
                (replay.until, replay.has_resumed) = (calls, true);
                replay.reads = RefCell::new(Reads { all: reads, seen: 0 });
                Some(books)
            }
            Err(e) => {
                replay.failure = Some(e);
                None
            }
        };
        (Some(replay), books)
    }

    /// Counts a call; whether it was done before.
    pub(super) fn count(&mut self) -> bool {
        self.calls += 1;
        self.calls <= self.until
    }

    /// The same, where a run may stop, and a checkpoint is made if one is due.
    ///
    /// # Errors
    /// There is nothing to go on from, the run is to stop, or a checkpoint cannot be written.
    pub(super) fn look(
        &mut self,
        machine: &Machine,
        books: impl FnOnce() -> Books,
    ) -> Result<bool, KernelError> {
        if let Some(failure) = self.failure.take() {
            return Err(failure);
        }
        if self.count() {
            return Ok(true);
        }
        let calls = self.calls - 1;
        self.keeper.look(machine, || {
            let kept = Kept { calls, reads: self.reads.borrow().all.clone(), books: books() };
            // What is made of numbers and lists always has bytes.
            postcard::to_stdvec(&kept).unwrap_or_default()
        })?;
        Ok(false)
    }

    /// Whether what a host does between its calls, here, is in the books of the checkpoint.
    pub(super) fn is_in_books(&self) -> bool {
        self.has_resumed && self.calls <= self.until
    }

    /// What was read here before the checkpoint.
    pub(super) fn read_before(&self) -> Option<Vec<Complex32>> {
        let mut reads = self.reads.borrow_mut();
        let values = reads.all.get(reads.seen)?.iter().copied().map(complex_of).collect();
        reads.seen += 1;
        Some(values)
    }

    /// Keeps what was read.
    pub(super) fn keep(&self, bytes: impl Iterator<Item = [u8; 8]>) {
        if self.keeper.keeps() {
            let mut reads = self.reads.borrow_mut();
            reads.all.push(bytes.collect());
            reads.seen += 1;
        }
    }
}
