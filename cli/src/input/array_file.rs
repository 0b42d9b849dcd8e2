//! An array that is written while it is made. A file appears when it is whole; standard output gets it then.

use crate::process::exit::{Failure, Outcome, bad_input};
use crate::storage::files::{self, Output};
use cp2_session::KernelError;
use cp2_session::npy::{self, MatrixShape};
use num_complex::Complex32;
use std::fs::File;
use std::io::{Seek as _, Write as _};
use std::path::Path;

/// File `.npy` that is being written.
pub(crate) struct ArrayFile<'a> {
    path: &'a Path,
    target: Target,
    /// Failure that kept the latest part from being written.
    pub(crate) failure: Option<Failure>,
}

/// Destination of the bytes of an array.
enum Target {
    /// File that gets its name when it is whole.
    File(Output),
    /// File without a name, whose bytes go to standard output when it is whole.
    Spool(File),
}

impl<'a> ArrayFile<'a> {
    /// Opens a path; nothing can be seen there before the end.
    pub(crate) fn open(path: &'a Path) -> Outcome<Self> {
        let target = if files::is_standard(path) {
            let spool = tempfile::tempfile();
            Target::Spool(spool.map_err(|e| bad_input(format!("no temporary file: {e}")))?)
        } else {
            Target::File(Output::open(path)?)
        };
        Ok(Self { path, target, failure: None })
    }

    /// Writes the head of the file, which tells the shape.
    pub(crate) fn begin(&mut self, shape: MatrixShape) -> Result<(), KernelError> {
        self.write(&npy::header_complex64(shape)?)
    }

    /// Writes values behind those before.
    pub(crate) fn add(&mut self, values: &[Complex32]) -> Result<(), KernelError> {
        self.write(&npy::bytes_complex64(values))
    }

    /// Writes the whole of an array.
    pub(crate) fn whole(&mut self, array: &npy::Array) -> Result<(), KernelError> {
        self.write(&array.write())
    }

    fn write(&mut self, bytes: &[u8]) -> Result<(), KernelError> {
        let result = match &mut self.target {
            Target::File(output) => output.write_all(bytes),
            Target::Spool(file) => file.write_all(bytes),
        };
        result.map_err(|e| {
            let (path, reason) = (self.path.display().to_string(), e.to_string());
            let error = KernelError::Output { path, reason };
            self.failure = Some(bad_input(error.to_string()));
            error
        })
    }

    /// Gives the whole file its name, or writes it to standard output.
    pub(crate) fn close(self) -> Outcome<()> {
        match self.target {
            Target::File(output) => output.commit(self.path),
            Target::Spool(mut file) => {
                file.rewind().map_err(|e| bad_input(e.to_string()))?;
                files::print_from(file)
            }
        }
    }
}
