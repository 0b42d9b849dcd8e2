//! Errors of the checkpoint of a procedure.

use cp2_recording::checkpoint::CheckpointError;
use std::fmt;

/// The reason why a checkpoint cannot be read or written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KeepingError {
    /// The file is no checkpoint of this run.
    Read(CheckpointError),
    /// The file of the checkpoint cannot be written.
    NotWritten {
        /// Message of the system.
        reason: String,
    },
    /// The part that the host kept has a version that this program does not read.
    Version {
        /// The version of the file.
        found: u8,
        /// The version that is read.
        known: u8,
    },
    /// The part that the host kept does not say how far the run was.
    NoEnd,
    /// The part that the host kept is of no run.
    Damaged,
    /// The run makes other calls than the one that the checkpoint is of.
    OtherCalls,
}

impl fmt::Display for KeepingError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Read(error) => error.fmt(f),
            Self::NotWritten { reason } => write!(f, "it cannot be written: {reason}"),
            Self::Version { found, known } => write!(
                f,
                "the host's part has version {found}, this program reads version {known}; run the procedure from its beginning"
            ),
            Self::NoEnd => f.write_str("it does not say how far the run was"),
            Self::Damaged => f.write_str(
                "it is damaged: what it says of the host is of no run; copy it again from where it came, or begin anew",
            ),
            Self::OtherCalls => {
                f.write_str("this run makes other calls than the one that it is of")
            }
        }
    }
}

impl std::error::Error for KeepingError {}
