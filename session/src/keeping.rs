//! Checkpoints of long procedures: when one is due, what it is of, and going on from one. A procedure knows
//! nothing of it: its host counts the calls that it makes, and a run that goes on makes them again, of which
//! those before the checkpoint do nothing; see `programs/procedures/src/host/session.rs`.

use crate::error::{KeepingError, KernelError};
use cp2_emu::Machine;
use cp2_recording::checkpoint::{self, RunIdentity};
use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Function that writes the bytes of a checkpoint, in place of those before.
pub type CheckpointWriter = Box<dyn FnMut(&[u8]) -> Result<(), String> + Send>;

/// Function that tells whether somebody wants the run to stop.
pub type Stops = Box<dyn Fn() -> bool + Send>;

/// Function that is told when a run begins that asks whether it is to stop, and when it asks no more.
pub type Holds = Box<dyn Fn(bool) + Send>;

/// The keeper of a run of a procedure: makes its checkpoints, and tells whether it is to stop. Each keeper is for one run.
pub struct Keeper(Mutex<Inner>);

struct Inner {
    store: Option<CheckpointWriter>,
    stops: Stops,
    holds: Holds,
    interval: Duration,
    /// Time at which the last checkpoint was made, and the time that it took to make.
    last: Instant,
    took: Duration,
    /// Bytes of the checkpoint from which the run goes on.
    from: Option<Vec<u8>>,
    /// Description of the run; told before it begins.
    origin: Option<RunIdentity>,
    /// Whether the host of the procedure has come to the checkpoint.
    is_taken: bool,
}

/// Whether a checkpoint is due, `since` after the one before, which took the time `took` to be made. Making it takes its
/// time, too; but at most half of a run goes to checkpoints, however short the interval or slow the disk.
fn is_due(since: Duration, took: Duration, interval: Duration) -> bool {
    since + took >= interval && since >= took
}

impl fmt::Debug for Keeper {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Keeper").finish_non_exhaustive()
    }
}

impl Keeper {
    /// Creates a keeper that makes checkpoints if there is a `store`, `interval` apart at most, and goes on from the bytes
    /// `from`. `stops` is asked while there is a host, which `holds` is told.
    pub fn new(
        store: Option<CheckpointWriter>,
        interval: Duration,
        from: Option<Vec<u8>>,
        (stops, holds): (Stops, Holds),
    ) -> Self {
        let (last, took) = (Instant::now(), Duration::ZERO);
        let (origin, is_taken) = (None, false);
        let inner = Inner { store, stops, holds, interval, last, took, from, origin, is_taken };
        Self(Mutex::new(inner))
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Tells the keeper which run begins.
    pub fn begin(&self, origin: RunIdentity) {
        self.lock().origin = Some(origin);
    }

    /// Whether the host that asks is the first one, whose calls are counted.
    pub fn take(&self) -> bool {
        let mut inner = self.lock();
        let is_first = !std::mem::replace(&mut inner.is_taken, true);
        if is_first {
            (inner.holds)(true);
        }
        is_first
    }

    /// Tells the keeper that the first host, whose calls it counts, is no more.
    pub fn end_host(&self) {
        (self.lock().holds)(false);
    }

    /// Whether what a host reads has to be kept.
    pub fn keeps(&self) -> bool {
        self.lock().store.is_some()
    }

    /// Puts a machine into the state to go on from, if there is one; tells what its host kept.
    ///
    /// # Errors
    /// The checkpoint is damaged, or of another run.
    pub fn resume(&self, machine: &mut Machine) -> Result<Option<Vec<u8>>, KernelError> {
        let mut inner = self.lock();
        let (Some(from), Some(origin)) = (inner.from.take(), &inner.origin) else {
            return Ok(None);
        };
        let host = checkpoint::read(&from, machine, origin);
        host.map(Some).map_err(|e| KeepingError::Read(e).into())
    }

    /// Makes a checkpoint if one is due, and tells whether the run is to stop.
    ///
    /// # Errors
    /// The checkpoint cannot be written; the run is to stop.
    pub fn checkpoint_if_due(
        &self,
        machine: &Machine,
        host: impl FnOnce() -> Vec<u8>,
    ) -> Result<(), KernelError> {
        let mut inner = self.lock();
        let stops = (inner.stops)();
        let is_due = is_due(inner.last.elapsed(), inner.took, inner.interval);
        let keeps = is_due && inner.store.is_some();
        if !(stops || keeps) {
            return Ok(());
        }
        let begin = Instant::now();
        let Inner { store, origin, .. } = &mut *inner;
        let keeps = store.is_some();
        if let (Some(store), Some(origin)) = (store, origin) {
            let failed = |reason: String| KeepingError::NotWritten { reason };
            let bytes =
                checkpoint::write(machine, origin, &host()).map_err(|e| failed(e.to_string()))?;
            store(&bytes).map_err(failed)?;
        }
        (inner.last, inner.took) = (Instant::now(), begin.elapsed());
        if stops { Err(KernelError::Stopped { cycles: machine.cycle().0, keeps }) } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checkpoints_take_at_most_half_of_the_time() {
        let s = Duration::from_secs;
        assert!(is_due(s(50), s(10), s(60)), "the time to write it is included");
        assert!(!is_due(s(49), s(10), s(60)));
        // Writing takes longer than the interval, or there is none.
        assert!(!is_due(s(80), s(90), s(60)) && is_due(s(90), s(90), s(60)));
        assert!(!is_due(s(1), s(2), s(0)) && is_due(s(2), s(2), s(0)));
        assert!(is_due(s(0), s(0), s(0)));
    }
}
