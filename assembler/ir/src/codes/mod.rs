//! Every code that a diagnostic can have: one table, whoever finds it. What a code means is said here
//! and nowhere else; its examples are files in `assembler/codes/`, which the tests assemble, schedule, lint and run.

mod checks;
mod descriptors;
mod linear;
mod lints;
mod numbers;
mod open;
mod operations;
mod program;
mod row;
mod syntax;

pub use row::{CodeExample, DiagnosticCode, Tool};

/// The table, in the order of the codes.
const TABLE: [&[DiagnosticCode]; 8] = [
    syntax::CODES,
    operations::CODES,
    program::CODES,
    lints::CODES,
    open::CODES,
    linear::CODES,
    descriptors::CODES,
    checks::CODES,
];

/// Returns every code, ascending.
pub fn all() -> impl Iterator<Item = &'static DiagnosticCode> {
    TABLE.into_iter().flatten()
}

/// Returns the row of a code; `None` if there is no such code.
pub fn find(code: &str) -> Option<&'static DiagnosticCode> {
    all().find(|row| row.code == code)
}

/// Returns the codes of the linter, ascending.
pub fn of_linter() -> impl Iterator<Item = &'static DiagnosticCode> {
    all().filter(|row| matches!(row.tool, Tool::Linter | Tool::OpenRules))
}

/// Returns the text at the caret of a diagnostic with this code that has no better one; empty for an unknown code.
pub fn caret(code: &str) -> &'static str {
    find(code).map_or("", |row| row.caret)
}

/// Whether `@allow` accepts a code.
///
/// # Errors
/// Why not.
pub fn allowable(code: &str) -> Result<(), String> {
    match find(code) {
        None => Err(format!("there is no code `{code}`")),
        Some(row) if row.allowable => Ok(()),
        Some(_) => Err(format!("`{code}` cannot be allowed")),
    }
}
