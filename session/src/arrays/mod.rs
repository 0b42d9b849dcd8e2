//! Arrays and arguments that a user gives to a program: arguments into registers, arrays into local memory before a run
//! and out of it afterwards, and arrays in system memory. The layout of arrays is in `cp2_asm::interface`. The caller
//! reads and writes the files.

mod arguments;
mod compare;
mod convert;
mod describe;
mod fit;
mod given;
mod labels;
mod memory;
mod placed;
mod ready;
mod session;
mod transfer;

pub use compare::{ArrayDifference, Tolerance, compare};
pub use convert::{ConversionError, convert};
pub use describe::{interface_json, interface_schema, program_json, program_text, schema};
pub use given::ArrayOptions;
pub use memory::{load as load_memory, store as store_memory};
pub use placed::{PlacedArray, kind_of};
pub use ready::{ArrayRequest, LaidArray, Ready, StoredArray, kernel_at, nothing_given};
pub use session::prepare;
pub use transfer::{ArrayTarget, FileDirection, FileTransfer, number};

use std::fmt;

/// The error of a request for arrays and arguments of a run: one of them is unknown, missing or does not fit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Name of the argument, array or option that has the problem, as the user wrote it, such as `--load x=in.npy`.
    pub place: String,
    /// Message that says what is wrong, and what can be done.
    pub message: String,
}

impl Problem {
    fn new(place: impl fmt::Display, message: impl Into<String>) -> Self {
        Self { place: place.to_string(), message: message.into() }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.message)
    }
}

impl std::error::Error for Problem {}
