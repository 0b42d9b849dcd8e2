//! Progress of long operations on a recording, of which a listener is told and which it can cancel.

use crate::error::RecordingError;
use std::fmt;
use std::ops::ControlFlow;

/// Progress of a long operation on a recording, such as a search, in cycles of the recorded run. The listener that
/// [`Recording::on_progress`](crate::Recording::on_progress) sets is told of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Number of cycles of the run that the operation has finished so far.
    pub done: u64,
    /// Number of cycles of the whole operation, at most: a search ends earlier when it finds something.
    pub all: u64,
}

/// Listener to the progress, and the progress that it was told last.
#[derive(Default)]
pub(crate) struct Told(Option<Listener>);

type Listener = (Box<dyn FnMut(Progress) -> ControlFlow<()> + Send>, Progress);

impl fmt::Debug for Told {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Told").field(&self.0.as_ref().map(|(_, last)| last)).finish()
    }
}

impl Told {
    /// Returns a listener that has been told nothing yet.
    pub(crate) fn to(listener: impl FnMut(Progress) -> ControlFlow<()> + Send + 'static) -> Self {
        Self(Some((Box::new(listener), Progress { done: 0, all: 0 })))
    }

    /// Tells the listener how many cycles are dealt with, and of how many.
    ///
    /// # Errors
    /// If the listener has ended the work.
    pub(crate) fn tell(&mut self, done: u64, all: u64) -> Result<(), RecordingError> {
        if let Some((_, last)) = &mut self.0 {
            *last = Progress { done, all };
        }
        self.again()
    }

    /// Tells the listener the same as before, because time has passed.
    ///
    /// # Errors
    /// If the listener has ended the work.
    pub(crate) fn again(&mut self) -> Result<(), RecordingError> {
        let flow = self.0.as_mut().map(|(listener, last)| listener(*last));
        if flow.is_some_and(|flow| flow.is_break()) {
            Err(RecordingError::Cancelled)
        } else {
            Ok(())
        }
    }
}
