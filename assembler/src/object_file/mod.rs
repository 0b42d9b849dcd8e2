//! Object files of CP2: ELF64, big-endian, with absolute addresses. The page `specs/src/formats-object.md` tells the
//! contents of the ELF sections.

mod calls;
mod dwarf;
mod hints;
mod promises;
mod read;
mod write;

pub use read::read;
pub use write::write;

use crate::diagnostic::{Diagnostic, Severity};
use object::elf::Machine;

/// The machine number of CP2 in the ELF header (`e_machine`). CP2 has no official number; this one is not assigned, and
/// binutils reads a file with it as plain big-endian ELF.
pub const MACHINE: Machine = Machine(0xc2c2);

/// Prefix of the names of sections that hold kernels.
const TEXT: &str = ".text.";
/// Prefix of the names of sections that hold the upper words of the bundles of kernels.
const UPPER: &str = ".upper.";
/// Prefix of the names of sections that hold data of local memory.
const LMEM: &str = ".lmem.";
/// Name of the section with what the source tells the linter.
const HINTS: &str = ".cp2.hints";
/// Name of the section with what kernels declare of themselves.
const INTERFACE: &str = ".cp2.interface";
/// Name of the section with what linear code relies on.
const PROMISES: &str = ".cp2.promises";
/// Name of the section with the macro calls through which bundles came.
const CALLS: &str = ".cp2.calls";
/// Name of the section with the operations whose work those of bundles do too.
const MERGED: &str = ".cp2.merged";
/// Bytes of a word, and of a bundle but for its upper word.
const UNIT: u64 = 8;

/// The reason why bytes cannot be read as an object file of CP2, or why an image cannot be written as one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ObjectError(String);

impl ObjectError {
    fn new(message: impl Into<String>) -> Self {
        Self(message.into())
    }

    /// Returns the error as a diagnostic with the code C0460 and without a place.
    pub fn diagnostic(&self) -> Diagnostic {
        Diagnostic::new("C0460", Severity::Error, None, self.0.clone())
    }
}

impl std::fmt::Display for ObjectError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} [C0460]", self.0)
    }
}

impl std::error::Error for ObjectError {}
