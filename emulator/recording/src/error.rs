//! Errors of reading a recording, as sentences.

use crate::file::version::VERSION;
use cp2_isa::Cycle;
use std::fmt;
use std::io;
use std::ops::RangeInclusive;

/// The reason why a recording cannot be read, or not there.
#[derive(Debug)]
pub enum RecordingError {
    /// The file cannot be read.
    Read(io::Error),
    /// The file is not a recording.
    NotOne,
    /// The recording was written by a later version of cp2, in this version of the format.
    Newer(u32),
    /// The recording ends before its first checkpoint.
    Empty,
    /// The bytes are not those that were written; with the name of the damaged part.
    Damaged(&'static str),
    /// The machine of the recording cannot be made by this version; with the reason.
    Machine(String),
    /// There is no such cycle; with the cycle, and the range of those that there are.
    NoSuchCycle(Cycle, RangeInclusive<Cycle>),
    /// There are no such bytes in system memory.
    Memory(cp2_emu::memory::OutsideMemory),
    /// The run does not go the way that was recorded; with the cycle and the difference.
    OtherWay(Cycle, String),
    /// The listener to the progress has cancelled the work.
    Cancelled,
}

impl fmt::Display for RecordingError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Read(e) => e.fmt(f),
            Self::NotOne => f.write_str("this is no recording of cp2"),
            Self::Newer(version) => write!(
                f,
                "this recording has version {version} of the format, and this cp2 reads version {VERSION}; use the cp2 that wrote it, or record again"
            ),
            Self::Empty => f.write_str(
                "this recording ends before its first checkpoint, so nothing of it can be shown; record again",
            ),
            Self::Damaged(what) => write!(
                f,
                "this recording is damaged: {what} is not what was written; copy it again from where it came, or record again"
            ),
            Self::Machine(why) => write!(f, "the machine of this recording is refused: {why}"),
            Self::NoSuchCycle(cycle, all) => write!(
                f,
                "there is no cycle {cycle} in this recording, which has cycles {} to {}",
                all.start(),
                all.end()
            ),
            Self::Memory(e) => e.fmt(f),
            Self::Cancelled => f.write_str("this was ended before it was done"),
            Self::OtherWay(cycle, how) => write!(
                f,
                "the run does not go the way that was recorded, at cycle {cycle}: {how}; it was recorded by another cp2"
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
