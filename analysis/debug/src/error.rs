//! What a debugger cannot do, each with a sentence.

use cp2_recording::RecordingError;
use std::fmt;

/// Error of the debugger.
#[derive(Debug)]
pub enum DebugError {
    /// A part of the recording is damaged, or a search in it was ended.
    Recording(RecordingError),
    /// The wish cannot be met; the sentence says why, and what can be asked instead.
    Refused(String),
}

impl DebugError {
    /// Returns the error that refuses a wish with a sentence.
    pub(crate) fn refused(sentence: impl Into<String>) -> Self {
        Self::Refused(sentence.into())
    }
}

impl fmt::Display for DebugError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Recording(error) => error.fmt(f),
            Self::Refused(sentence) => f.write_str(sentence),
        }
    }
}

impl std::error::Error for DebugError {}

impl From<RecordingError> for DebugError {
    fn from(error: RecordingError) -> Self {
        Self::Recording(error)
    }
}
