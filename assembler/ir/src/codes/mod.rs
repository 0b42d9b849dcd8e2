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

/// Every code, ascending.
pub fn all() -> impl Iterator<Item = &'static DiagnosticCode> {
    TABLE.into_iter().flatten()
}

/// The row of a code.
pub fn find(code: &str) -> Option<&'static DiagnosticCode> {
    all().find(|row| row.code == code)
}

/// The codes of the linter, ascending.
pub fn of_linter() -> impl Iterator<Item = &'static DiagnosticCode> {
    all().filter(|row| matches!(row.tool, Tool::Linter | Tool::OpenRules))
}

/// Text at the caret of a diagnostic that has no better one.
pub fn caret(code: &str) -> &'static str {
    find(code).map_or("", |row| row.caret)
}

/// Whether `@allow` accepts a code.
///
/// # Errors
/// Why not.
pub fn allowable(code: &str) -> Result<(), String> {
    match find(code) {
        None => Err(format!("`{code}` is no code")),
        Some(row) if row.allowable => Ok(()),
        Some(_) => Err(format!("`{code}` cannot be allowed")),
    }
}
