//! Loop nests: the subset of C in which they are written, with diagnostics that point into the text, and their execution in
//! the order of the text. Nothing here needs a library of integer sets; analysis and code generation are `cp2-loops`.

mod affine;
mod execute;
mod instances;
mod lower;
mod model;
mod number;
mod parse;
mod phases;
mod problems;
mod token;
mod tree;

pub use affine::{AffineForm, AffineSymbol, GREATEST_COEFFICIENT};
pub use execute::{NestData, NestValues};
pub use instances::{NestFault, NestInstance};
pub use model::{
    ArrayAccess, Nest, NestArray, NestCondition, NestLoop, NestName, NestNode, NestScalar,
    NestStatement, NestTransformation, ScalarType, ValueFunction, ValueOperator, ValueTree,
};
pub use number::NestNumber;
pub use phases::PhasedNest;

use cp2_asm::diagnostic::{Diagnostic, Sources};

/// Reads the nest of a text. `file` is the number of the text in `sources`.
///
/// # Errors
/// The text is outside of the subset: all diagnostics, in the order of the text.
pub fn read_nest(sources: &Sources, file: u32) -> Result<Nest, Vec<Diagnostic>> {
    let text = sources.text(file);
    let (function, problems) = parse::parse(text, file);
    match function.filter(|_| problems.is_empty()) {
        Some(function) => lower::lower(text, &function, problems),
        // Without a function, or with one that was not read in full, there is a mistake.
        None => Err(problems.finish(()).err().unwrap_or_default()),
    }
}

/// Returns what is wrong with the text of a nest, in the order of the text; nothing if it can be analysed.
pub fn nest_findings(text: &str) -> Vec<Diagnostic> {
    let mut sources = Sources::default();
    sources.add("nest.c", text);
    read_nest(&sources, 0).err().unwrap_or_default()
}
