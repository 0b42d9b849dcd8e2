//! Target of a trace: a file that appears when it is whole, or standard output.

use crate::process::exit::Outcome;
use crate::storage::files::{self, Output};
use std::io::{Error, ErrorKind, Seek, SeekFrom, Stdout, Write};
use std::path::Path;

/// Target of a trace: a file, or standard output.
pub(crate) enum Target {
    File(Output),
    Standard(Stdout),
}

impl Target {
    /// Opens a path; `-` is standard output.
    pub(crate) fn open(path: &Path) -> Outcome<Self> {
        Ok(match files::is_standard(path) {
            true => Self::Standard(std::io::stdout()),
            false => Self::File(Output::open(path)?),
        })
    }

    /// Gives a finished file its name.
    pub(crate) fn commit(self, path: &Path) -> Outcome<()> {
        match self {
            Self::File(output) => output.commit(path),
            Self::Standard(_) => Ok(()),
        }
    }
}

impl Write for Target {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        match self {
            Self::File(file) => file.write(bytes),
            Self::Standard(out) => out.write(bytes),
        }
    }

    fn flush(&mut self) -> std::io::Result<()> {
        match self {
            Self::File(file) => file.flush(),
            Self::Standard(out) => out.flush(),
        }
    }
}

impl Seek for Target {
    fn seek(&mut self, to: SeekFrom) -> std::io::Result<u64> {
        match self {
            Self::File(file) => file.seek(to),
            Self::Standard(_) => Err(Error::from(ErrorKind::NotSeekable)),
        }
    }
}
