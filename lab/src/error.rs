//! The error of the laboratory.

use std::fmt;

/// Error of the laboratory, as sentences for people: what is wrong with the inputs of an estimate, study or sweep, or
/// why a run of a workload failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LabError(pub String);

impl fmt::Display for LabError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for LabError {}

impl LabError {
    /// Returns an error with this sentence.
    pub(crate) fn of<T>(message: impl Into<String>) -> Result<T, Self> {
        Err(Self(message.into()))
    }
}
