//! Progress of long operations on a recording, of which a listener is told and which it can cancel.

use crate::error::RecordingError;
use std::fmt;
use std::ops::ControlFlow;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Progress of a long operation on a recording, such as a search, in cycles of the recorded run. The listener that
/// [`Recording::on_progress`](crate::Recording::on_progress) sets is told of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Number of cycles of the run that the operation has finished so far.
    pub done: u64,
    /// Number of cycles of the whole operation, at most: a search ends earlier when it finds something.
    pub all: u64,
}

/// Listener to the progress, and the progress that it was told last. Its clones tell the same listener, on any thread.
#[derive(Clone, Default)]
pub(crate) struct Told {
    listener: Option<Arc<Mutex<Listener>>>,
    /// Whether this is told of a part of the work, whose progress is not that of the whole.
    is_part: bool,
}

type Listener = (Box<dyn FnMut(Progress) -> ControlFlow<()> + Send>, Progress);

impl fmt::Debug for Told {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Told").field(&self.lock().map(|listener| listener.1)).finish()
    }
}

impl Told {
    /// Returns a listener that has been told nothing yet.
    pub(crate) fn to(listener: impl FnMut(Progress) -> ControlFlow<()> + Send + 'static) -> Self {
        let listener: Listener = (Box::new(listener), Progress { done: 0, all: 0 });
        Self { listener: Some(Arc::new(Mutex::new(listener))), is_part: false }
    }

    /// Returns what is told of a part of the work: the listener hears that time passes, and not how far the part is.
    pub(crate) fn of_part(&self) -> Self {
        Self { is_part: true, ..self.clone() }
    }

    fn lock(&self) -> Option<MutexGuard<'_, Listener>> {
        self.listener.as_ref().map(|l| l.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Tells the listener how many cycles are dealt with, and of how many.
    ///
    /// # Errors
    /// If the listener has ended the work.
    pub(crate) fn tell(&mut self, done: u64, all: u64) -> Result<(), RecordingError> {
        if !self.is_part
            && let Some(mut listener) = self.lock()
        {
            listener.1 = Progress { done, all };
        }
        self.again()
    }

    /// Tells the listener the same as before, because time has passed.
    ///
    /// # Errors
    /// If the listener has ended the work.
    pub(crate) fn again(&mut self) -> Result<(), RecordingError> {
        let flow = self.lock().map(|mut listener| {
            let last = listener.1;
            (listener.0)(last)
        });
        if flow.is_some_and(|flow| flow.is_break()) {
            Err(RecordingError::Cancelled)
        } else {
            Ok(())
        }
    }
}
