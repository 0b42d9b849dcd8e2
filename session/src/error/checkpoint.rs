//! Errors of checkpoints of procedures.

use cp2_recording::checkpoint::CheckpointError;
use std::fmt;

/// The reason why a checkpoint of a procedure cannot be written, or a run cannot go on from one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KeepingError {
    /// The file is damaged, or no checkpoint of this run.
    Read(CheckpointError),
    /// The checkpoint cannot be written.
    NotWritten {
        /// Message of the operating system, or of the function that packs or writes the checkpoint.
        reason: String,
    },
    /// The part of the checkpoint that the host wrote has a version that this program does not read.
    Version {
        /// Version of the host's part in the checkpoint.
        found: u8,
        /// Version of the host's part that this program reads.
        known: u8,
    },
    /// The part of the checkpoint that the host wrote cannot be decoded, so that it does not tell how far the run was.
    NoEnd,
    /// The part of the checkpoint that the host wrote describes a state that no run comes to.
    Damaged,
    /// The run makes other calls of the host than the run of the checkpoint did, so that it cannot go on from there.
    OtherCalls,
}

impl fmt::Display for KeepingError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Read(error) => error.fmt(f),
            Self::NotWritten { reason } => write!(f, "it cannot be written: {reason}"),
            Self::Version { found, known } => write!(
                f,
                "its part for the host has version {found}, but this program reads version {known}; run the procedure without --resume"
            ),
            Self::NoEnd => f.write_str("it does not say how far the run was; run the procedure without --resume"),
            Self::Damaged => f.write_str(
                "it is damaged: its part for the host fits no run; copy it again, or run the procedure without --resume",
            ),
            Self::OtherCalls => {
                f.write_str("it is of another run; give the same options, inputs and machine, or leave --resume out")
            }
        }
    }
}

impl std::error::Error for KeepingError {}
