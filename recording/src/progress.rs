//! What takes long tells how far it has come, and whoever is told may end it.

use crate::error::RecordingError;
use crate::recording::Recording;
use std::fmt;
use std::ops::ControlFlow;

/// How far something has come that takes long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Cycles of the run that are dealt with.
    pub done: u64,
    /// Cycles that there are to deal with at most; a search ends where it finds something.
    pub all: u64,
}

/// Who is told, and what was told last.
#[derive(Default)]
pub(crate) struct Told(Option<Listener>);

type Listener = (Box<dyn FnMut(Progress) -> ControlFlow<()> + Send>, Progress);

impl fmt::Debug for Told {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Told").field(&self.0.as_ref().map(|(_, last)| last)).finish()
    }
}

impl Told {
    /// Tells how far it has come.
    ///
    /// # Errors
    /// Who was told wants no more.
    pub(crate) fn tell(&mut self, done: u64, all: u64) -> Result<(), RecordingError> {
        if let Some((_, last)) = &mut self.0 {
            *last = Progress { done, all };
        }
        self.again()
    }

    /// Tells the same as before: time has passed.
    ///
    /// # Errors
    /// Who was told wants no more.
    pub(crate) fn again(&mut self) -> Result<(), RecordingError> {
        let flow = self.0.as_mut().map(|(listener, last)| listener(*last));
        if flow.is_some_and(|flow| flow.is_break()) {
            Err(RecordingError::Cancelled)
        } else {
            Ok(())
        }
    }
}

impl Recording {
    /// From now on tells how far searches, windows, summaries of parts and verification have come, every few
    /// hundredths of a second or more often. To break ends what is under way with
    /// [`RecordingError::Cancelled`]; the recording stays in the cycle that it is in.
    pub fn on_progress(&mut self, told: impl FnMut(Progress) -> ControlFlow<()> + Send + 'static) {
        self.told = Told(Some((Box::new(told), Progress { done: 0, all: 0 })));
    }
}
