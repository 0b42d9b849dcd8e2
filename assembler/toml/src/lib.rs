//! Typed values out of TOML files that users write by hand. Whatever is wrong is noted as a diagnostic with its place in
//! the text, so that all of it can be told at once; a value that could not be read is a default. What the keys of a file
//! mean is up to the crate that has the file's form: [`read`](fn@read) calls its function with a [`FieldReader`], which keeps what is
//! wrong, and with the top [`Table`], whose [`TomlValue`]s have places.

mod reader;
mod table;

pub use reader::FieldReader;
pub use table::{Table, TomlValue};

use cp2_asm::diagnostic::{Diagnostic, Sources};
use toml::de::DeTable;

/// Codes of the diagnostics that a [`FieldReader`] makes. Their explanations are in the table of all codes,
/// `cp2_asm::codes`.
pub mod codes {
    /// Code of the diagnostic that a text is no TOML.
    pub const NO_TOML: &str = "C0701";
    /// Code of the diagnostic that a table does not have a key.
    pub const UNKNOWN: &str = "C0702";
    /// Code of the diagnostic that a value has another type than its key takes, or is a word that the key does not know.
    pub const WRONG_TYPE: &str = "C0703";
    /// Code of the diagnostic that a number is not among those that its key takes.
    pub const OUT_OF_RANGE: &str = "C0704";
    /// Code of the diagnostic that a key is absent which has to be there.
    pub const MISSING: &str = "C0705";
}

/// Reads a TOML text with the function `make`, which takes what it wants out of the top table and notes in the reader
/// what is wrong. `file` is the number of the text in `sources`.
///
/// # Errors
/// The text is not TOML, or `make` has noted something: all diagnostics, in the order of the text.
pub fn read<T>(
    sources: &Sources,
    file: u32,
    make: impl FnOnce(&mut FieldReader, &Table<'_>) -> T,
) -> Result<T, Vec<Diagnostic>> {
    let mut reader = FieldReader::new(file);
    let (document, errors) = DeTable::parse_recoverable(sources.text(file));
    for error in &errors {
        let range = error.span().unwrap_or(0..0);
        let message = error.message().lines().collect::<Vec<_>>().join(", ");
        reader.refuse(codes::NO_TOML, range, message, "");
    }
    // What could be read of a text that is no TOML would only add to its problems.
    if errors.is_empty() {
        let made = make(&mut reader, &Table::new(document.get_ref(), 0..0, ""));
        if reader.is_content() {
            return Ok(made);
        }
    }
    Err(reader.into_problems())
}
