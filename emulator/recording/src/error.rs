//! Errors of reading a recording; their texts are sentences for users.

use crate::file::version::VERSION;
use cp2_isa::Cycle;
use std::fmt;
use std::io;
use std::ops::RangeInclusive;

/// Reason why a [`Recording`](crate::Recording) cannot be opened or read, or an operation on it was not done.
#[derive(Debug)]
pub enum RecordingError {
    /// The file cannot be read.
    Read(io::Error),
    /// The file is not a recording.
    NotARecording,
    /// The recording has this version of the format, which is not [`VERSION`], the one that is read here.
    OtherVersion(u32),
    /// The recording ends before its first checkpoint, so that nothing of the run is in it.
    Empty,
    /// The recording is damaged: its bytes are not those that were written. The text names the part, such as `its
    /// header`.
    Damaged(&'static str),
    /// The machine that the recording describes is refused by this version; the reason.
    Machine(String),
    /// The recording does not have a cycle: the cycle that was asked for, and the range of those that it has.
    NoSuchCycle(Cycle, RangeInclusive<Cycle>),
    /// Bytes were asked for that do not lie in system memory.
    Memory(cp2_emu::memory::OutsideMemory),
    /// The run does not go the way that was recorded, because another version of cp2 recorded it: the cycle, and the
    /// difference.
    Diverged(Cycle, String),
    /// The listener to the progress has cancelled the operation
    /// ([`Recording::on_progress`](crate::Recording::on_progress)).
    Cancelled,
}

impl fmt::Display for RecordingError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Read(e) => e.fmt(f),
            Self::NotARecording => f.write_str("not a recording of cp2"),
            Self::OtherVersion(version) => write!(
                f,
                "this recording has version {version} of the format, and this cp2 reads version {VERSION}; use the cp2 that wrote it, or record again"
            ),
            Self::Empty => f.write_str(
                "this recording ends before its first checkpoint, so nothing of it can be shown; record again",
            ),
            Self::Damaged(what) => write!(
                f,
                "this recording is damaged: the bytes of {what} have changed; copy it again, or record again"
            ),
            Self::Machine(why) => write!(f, "the machine of this recording is refused: {why}"),
            Self::NoSuchCycle(cycle, all) => write!(
                f,
                "there is no cycle {cycle} in this recording, which has cycles {} to {}",
                all.start(),
                all.end()
            ),
            Self::Memory(e) => e.fmt(f),
            Self::Cancelled => f.write_str("cancelled before the end"),
            Self::Diverged(cycle, how) => write!(
                f,
                "the run differs from the recording in cycle {cycle}: {how}; another version of cp2 has recorded it"
            ),
        }
    }
}

impl std::error::Error for RecordingError {}

impl From<io::Error> for RecordingError {
    fn from(e: io::Error) -> Self {
        // An end of the file where something should be is no trouble of reading.
        match e.kind() {
            io::ErrorKind::UnexpectedEof => Self::Damaged("its end"),
            _ => Self::Read(e),
        }
    }
}
