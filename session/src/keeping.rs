//! Checkpoints of long procedures: when one is due, of which run it is, and going on from one. The code of a procedure
//! knows nothing of checkpoints: its host counts the calls that it makes. A run that goes on from a checkpoint makes
//! the same calls again, and those before the checkpoint do nothing; see `programs/procedures/src/host/session.rs`.

use crate::error::{KeepingError, KernelError};
use cp2_emu::Machine;
use cp2_recording::checkpoint::{self, RunIdentity};
use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// A function that keeps the bytes of a checkpoint, such as in a file, in place of the checkpoint before. It returns a
/// message if that fails.
pub type CheckpointWriter = Box<dyn FnMut(&[u8]) -> Result<(), String> + Send>;

/// A function that tells whether the run is to stop, for instance because a signal came.
pub type StopQuery = Box<dyn Fn() -> bool + Send>;

/// A function that is told `true` when a run begins that asks [`StopQuery`] and stops by itself if it says so, and
/// `false` when that run is over. In between a signal, for instance, need not end the process.
pub type StopListener = Box<dyn Fn(bool) + Send>;

/// The keeper of one run of a procedure: makes checkpoints of it (snapshots as bytes, from which a run goes on in
/// another process), lets it go on from one, and stops it on request. The host of the procedure asks it.
pub struct Keeper(Mutex<Inner>);

struct Inner {
    store: Option<CheckpointWriter>,
    stops: StopQuery,
    holds: StopListener,
    interval: Duration,
    /// Time at which the last checkpoint was made, and the time that it took to make.
    last: Instant,
    took: Duration,
    /// Bytes of the checkpoint from which the run goes on.
    from: Option<Vec<u8>>,
    /// Description of the run; told before it begins.
    origin: Option<RunIdentity>,
    /// Whether the host of the procedure has come to the checkpoint.
    is_claimed: bool,
}

/// Whether a checkpoint is due, `since` after the one before, which took the time `took` to be made. Making it takes
/// its time, too; but at most half of a run goes to checkpoints, however short the interval or slow the disk.
fn is_due(since: Duration, took: Duration, interval: Duration) -> bool {
    since + took >= interval && since >= took
}

impl fmt::Debug for Keeper {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Keeper").finish_non_exhaustive()
    }
}

impl Keeper {
    /// Creates a keeper. `store` writes checkpoints, and without it none are made. `interval` is the usual time on the
    /// native machine from one checkpoint to the next; making them takes at most half of the time of a run. `from` are
    /// the bytes of a checkpoint from which the run goes on. The first function of the pair tells whether the run is to
    /// stop, the second is told while a run asks the first.
    pub fn new(
        store: Option<CheckpointWriter>,
        interval: Duration,
        from: Option<Vec<u8>>,
        (stops, holds): (StopQuery, StopListener),
    ) -> Self {
        let (last, took) = (Instant::now(), Duration::ZERO);
        let (origin, is_claimed) = (None, false);
        let inner = Inner { store, stops, holds, interval, last, took, from, origin, is_claimed };
        Self(Mutex::new(inner))
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Tells the keeper the identity of the run that begins, which goes into its checkpoints, and which the checkpoint
    /// to go on from has to have.
    pub fn begin(&self, origin: RunIdentity) {
        self.lock().origin = Some(origin);
    }

    /// Claims the keeper for a host, and returns whether this is the first claim. Only for the first host of a run are
    /// checkpoints made, and only it is stopped; others of the same run get `false`.
    pub fn claim(&self) -> bool {
        let mut inner = self.lock();
        let is_first = !std::mem::replace(&mut inner.is_claimed, true);
        if is_first {
            (inner.holds)(true);
        }
        is_first
    }

    /// Tells the keeper that the host that claimed it ends, so that nobody asks any more whether the run is to stop.
    pub fn end_host(&self) {
        (self.lock().holds)(false);
    }

    /// Whether checkpoints are made, so that the host has to remember what it reads from the machine.
    pub fn keeps(&self) -> bool {
        self.lock().store.is_some()
    }

    /// Puts a machine into the state of the checkpoint to go on from, and returns the part of the checkpoint that the
    /// host wrote; `None` if the run begins anew, or its identity was not told ([`Keeper::begin`]). A second call
    /// returns `None`.
    ///
    /// # Errors
    /// [`KernelError::Checkpoint`] if the checkpoint is damaged or of another run.
    pub fn resume(&self, machine: &mut Machine) -> Result<Option<Vec<u8>>, KernelError> {
        let mut inner = self.lock();
        let Inner { from, origin: Some(origin), .. } = &mut *inner else { return Ok(None) };
        let Some(from) = from.take() else { return Ok(None) };
        let host = checkpoint::read(&from, machine, origin);
        host.map(Some).map_err(|e| KeepingError::Read(e).into())
    }

    /// Makes a checkpoint of a machine if one is due or the run is to stop. `host` makes the part of the checkpoint
    /// that belongs to the host.
    ///
    /// # Errors
    /// [`KernelError::Stopped`] if the run is to stop, after the checkpoint was made; [`KernelError::Checkpoint`] if
    /// the checkpoint cannot be written.
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
        if stops {
            Err(KernelError::Stopped { cycles: machine.cycle().0, keeps, reached: None })
        } else {
            Ok(())
        }
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
