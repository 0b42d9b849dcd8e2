//! What the assembler gives: a program with its schedules, or errors with what is known in spite of them.

use super::place::item::Scheduled;
use crate::diagnostic::Diagnostic;
use crate::image::Image;
use cp2_ir::expansion::Expansions;

/// The result of [`assemble_regions`](crate::assemble_regions): an image with the schedules of its linear regions.
#[derive(Clone, Debug)]
pub struct Assembled {
    /// The assembled program with its final addresses.
    pub image: Image,
    /// Warnings about the source, in the order of their places.
    pub warnings: Vec<Diagnostic>,
    /// Regions of linear code with their schedules, in the order of their bundle addresses.
    pub regions: Vec<Scheduled>,
    /// Macros and repetitions that bundles came out of, by bundle address.
    pub expansions: Expansions,
}

/// The diagnostics of texts with errors, and what of the program was placed in spite of them.
#[derive(Clone, Debug)]
pub struct FailedAssembly {
    /// Errors, and warnings among them, in the order of their places.
    pub diagnostics: Vec<Diagnostic>,
    /// The program as far as it is known: bundles with their lines. Words of lines with errors are those of `nop`.
    pub image: Image,
    /// Regions of linear code that could be scheduled, in the order of their bundle addresses.
    pub regions: Vec<Scheduled>,
    /// Whether every bundle has its place, so that the addresses hold once the errors are mended in place. If not, those behind
    /// the first error may change.
    pub is_placed: bool,
}
