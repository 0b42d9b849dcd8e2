//! Errors of programs: why a file or a text gives no program that can run, and why a run cannot start where it should.

use cp2_asm::diagnostic::{Diagnostic, count_errors};
use cp2_asm::image::Image;
use cp2_asm::object_file::ObjectError;
use cp2_asm::{Scheduled, Sources};
use std::fmt;

/// The diagnostics for which the assembler refused texts of a program, with the texts that the diagnostics point into.
#[derive(Clone, Debug, PartialEq)]
pub struct Refusal {
    /// Errors and warnings, in the order of their places in the texts; at least one is an error.
    pub diagnostics: Vec<Diagnostic>,
    /// Texts, by the file numbers in the spans of the diagnostics.
    pub sources: Sources,
}

impl Refusal {
    /// Returns the number of errors, those included that are not among the diagnostics because there are too many to
    /// list.
    pub fn errors(&self) -> usize {
        count_errors(&self.diagnostics)
    }
}

/// Texts that have errors, with what of their program was placed in spite of them: for tools that tell of texts while they
/// are written.
#[derive(Clone, Debug)]
pub struct ProgramParts {
    /// Diagnostics, and the texts.
    pub refusal: Refusal,
    /// The program as far as it is known: bundles with their lines.
    pub image: Image,
    /// Regions of linear code that could be scheduled.
    pub regions: Vec<Scheduled>,
    /// Whether every bundle has its place; if not, the addresses behind the first error may change.
    pub is_placed: bool,
}

/// The reason why a file or a text gives no program that can run, or a recording cannot keep a program.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum ProgramError {
    /// The text is wrong; with the diagnostics and the text.
    Refused(Box<Refusal>),
    /// The bytes are no object of CP2, or the object is for another core.
    Object {
        /// Name of the file that was read as an object.
        name: String,
        /// Error that was found in the object.
        error: ObjectError,
    },
    /// A file that should be source or `.hex` is no UTF-8 text.
    NotText {
        /// Name of the file that is no text.
        name: String,
        /// Index in the file, from 0, of the first byte that belongs to no character of UTF-8.
        byte: usize,
    },
    /// The program has no bundle, so that there is nothing to run.
    Empty {
        /// Name of the file or text of the program.
        name: String,
    },
    /// A recording cannot keep the program, because it cannot be written as an object.
    Unkept(ObjectError),
}

impl fmt::Display for ProgramError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Refused(refusal) => {
                let Refusal { diagnostics, sources } = refusal.as_ref().clone();
                cp2_asm::AssemblyError { sources, diagnostics }.fmt(f)
            }
            Self::Object { name, error } => write!(f, "{name}: {error}"),
            Self::NotText { name, byte } => {
                write!(f, "{name}: byte {byte} is not UTF-8 text; is this a text file?")
            }
            Self::Empty { name } => write!(f, "{name}: the program has no bundle"),
            Self::Unkept(error) => write!(f, "the program cannot be kept in a recording: {error}"),
        }
    }
}

impl std::error::Error for ProgramError {}

/// The error of asking for a start of a program that it does not have: no kernel, label or bundle address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EntryError {
    /// Name or address that was asked for, as the user wrote it.
    pub place: String,
    /// Number of bundles that instruction memory holds; an address has to be less.
    pub bundles: usize,
    /// Names of the program's kernels, one of which the user may have meant.
    pub kernels: Vec<String>,
}

impl fmt::Display for EntryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { place, bundles, kernels } = self;
        write!(
            f,
            "--entry {place}: no kernel or label of this name, and no bundle address from 0 to {}; the kernels are: {}",
            bundles - 1,
            kernels.join(", ")
        )
    }
}

impl std::error::Error for EntryError {}
