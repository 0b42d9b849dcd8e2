//! Checkpoints of a run in the memory of this process.

use crate::keeping::{CheckpointPart, CheckpointStore};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Checkpoints in the memory of this process, all of which are kept: for runs whose processes are threads of it.
#[derive(Debug, Default)]
pub struct CheckpointsInMemory {
    kept: Mutex<Kept>,
    every: u64,
    turns: AtomicU64,
}

#[derive(Clone, Debug, Default)]
struct Kept {
    /// Bytes by number of the checkpoint and name of the part.
    parts: BTreeMap<(u64, String), Vec<u8>>,
    /// Numbers of the checkpoints that are complete, in the order of time.
    complete: Vec<u64>,
}

impl CheckpointsInMemory {
    /// Creates a place where a checkpoint is kept each so many turns of the ranks of the first process; with 0 none is.
    #[must_use]
    pub fn every(turns: u64) -> Self {
        Self { every: turns, ..Self::default() }
    }

    /// Returns a place with one of the checkpoints alone, where no further ones are kept.
    #[must_use]
    pub fn with_only(&self, number: u64) -> Self {
        let mut kept = self.lock().clone();
        kept.parts.retain(|(of, _), _| *of == number);
        kept.complete = vec![number];
        Self { kept: Mutex::new(kept), ..Self::default() }
    }

    /// Returns the numbers of the checkpoints that are complete, in the order of time.
    #[must_use]
    pub fn numbers(&self) -> Vec<u64> {
        self.lock().complete.clone()
    }

    fn lock(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl CheckpointStore for CheckpointsInMemory {
    fn is_due(&self) -> bool {
        self.every > 0 && self.turns.fetch_add(1, Ordering::SeqCst) % self.every == self.every - 1
    }

    fn save(&self, number: u64, part: CheckpointPart, bytes: &[u8]) -> Result<(), String> {
        self.lock().parts.insert((number, part.to_string()), bytes.to_vec());
        Ok(())
    }

    fn complete(&self, number: u64) -> Result<(), String> {
        self.lock().complete.push(number);
        Ok(())
    }

    fn last(&self) -> Result<u64, String> {
        self.lock().complete.last().copied().ok_or_else(|| "no checkpoint".to_owned())
    }

    fn load(&self, number: u64, part: CheckpointPart) -> Result<Vec<u8>, String> {
        let kept = self.lock();
        let bytes = kept.parts.get(&(number, part.to_string())).cloned();
        bytes.ok_or_else(|| format!("no part {part}"))
    }
}
