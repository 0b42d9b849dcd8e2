//! Errors of traces, as sentences.

use std::fmt;
use std::io;

/// The reason why a trace or a table of beats cannot be written.
#[derive(Debug)]
pub enum TraceError {
    /// The output, such as a file or a pipe, refuses bytes.
    Write(io::Error),
    /// The format cannot hold the trace; the text tells why.
    Form(String),
}

impl TraceError {
    /// Returns true if the output is a pipe whose reader has ended.
    pub fn is_unread(&self) -> bool {
        matches!(self, Self::Write(e) if e.kind() == io::ErrorKind::BrokenPipe)
    }
}

impl fmt::Display for TraceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Write(e) => e.fmt(f),
            Self::Form(why) => f.write_str(why),
        }
    }
}

impl std::error::Error for TraceError {}

impl From<io::Error> for TraceError {
    fn from(e: io::Error) -> Self {
        Self::Write(e)
    }
}

impl From<parquet::errors::ParquetError> for TraceError {
    fn from(e: parquet::errors::ParquetError) -> Self {
        match e {
            parquet::errors::ParquetError::External(e) => match e.downcast::<io::Error>() {
                Ok(e) => Self::Write(*e),
                Err(e) => Self::Form(e.to_string()),
            },
            e => Self::Form(e.to_string()),
        }
    }
}

impl From<fst_writer::FstWriteError> for TraceError {
    fn from(e: fst_writer::FstWriteError) -> Self {
        match e {
            fst_writer::FstWriteError::Io(e) => Self::Write(e),
            e => Self::Form(e.to_string()),
        }
    }
}
