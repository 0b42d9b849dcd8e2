//! The error of the laboratory.

use cp2_session::ErrorKind;
use std::fmt;

/// Error of the laboratory, as sentences for people: what is wrong with the inputs of an estimate, study or sweep, or
/// why a run of a workload failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LabError {
    /// Sentences that say what is wrong.
    pub message: String,
    /// Kind of the error, from which the exit code of a command follows: [`ErrorKind::Input`] for inputs that are wrong,
    /// [`ErrorKind::Check`] for wrong results of a run.
    pub kind: ErrorKind,
    /// Whether the message is diagnostics, which name place and error themselves.
    pub is_diagnostics: bool,
}

impl fmt::Display for LabError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for LabError {}

impl LabError {
    /// Creates the error that an input is not what it should be, with the sentence `message`.
    pub fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), kind: ErrorKind::Input, is_diagnostics: false }
    }

    /// Creates the error that a text is not what it should be, with its diagnostics.
    pub fn of_diagnostics(message: impl Into<String>) -> Self {
        Self { is_diagnostics: true, ..Self::new(message) }
    }

    /// Returns the error as one of another kind.
    pub fn with_kind(self, kind: ErrorKind) -> Self {
        Self { kind, ..self }
    }

    /// Returns an error with this sentence.
    pub(crate) fn of<T>(message: impl Into<String>) -> Result<T, Self> {
        Err(Self::new(message))
    }
}
