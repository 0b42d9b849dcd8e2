//! A user's arrays and arguments for a program: into local memory by label before a run, out of it
//! afterwards, and in system memory. What lies where is `cp2_asm::interface`; files are the caller's business.

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
pub use convert::{Unfit, convert};
pub use describe::{interface_json, interface_schema, program_json, program_text, schema};
pub use given::ArrayOptions;
pub use memory::{load as load_memory, store as store_memory};
pub use placed::{PlacedArray, kind_of};
pub use ready::{ArrayRequest, Laid, Ready, StoredArray, kernel_at, nothing_given};
pub use session::prepare;
pub use transfer::{ArrayTarget, FileDirection, FileTransfer, number};

use std::fmt;

/// A problem with arrays and arguments that a run was asked to take or give.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The option that asked for it, as the user gave it.
    pub place: String,
    /// The problem, and what can be done about it.
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
