//! The table of all codes that a diagnostic can have, whichever tool reports it. The meaning of a code is told here and
//! nowhere else; its examples are files in `assembler/codes/`, which the tests assemble, schedule, lint and run.

mod checks;
mod descriptors;
mod linear;
mod lints;
mod nests;
mod numbers;
mod open;
mod operations;
mod program;
mod row;
mod star;
mod syntax;
mod workloads;

pub use row::{CodeExample, DiagnosticCode, Tool};

/// Code of the refusal of a program that has more bundles than instruction memory.
pub const INSTRUCTION_MEMORY_FULL: &str = "C0413";

/// The table, in the order of the codes.
const TABLE: [&[DiagnosticCode]; 11] = [
    syntax::CODES,
    operations::CODES,
    program::CODES,
    lints::CODES,
    open::CODES,
    linear::CODES,
    descriptors::CODES,
    checks::CODES,
    workloads::CODES,
    star::CODES,
    nests::CODES,
];

/// Returns the rows of all diagnostic codes, in ascending order of code.
pub fn all() -> impl Iterator<Item = &'static DiagnosticCode> {
    TABLE.into_iter().flatten()
}

/// Returns the row of a diagnostic code such as `C0301`; `None` if there is no such code.
pub fn find(code: &str) -> Option<&'static DiagnosticCode> {
    all().find(|row| row.code == code)
}

/// Returns the rows of the codes that the linter reports, those on request included, in ascending order of code.
pub fn of_linter() -> impl Iterator<Item = &'static DiagnosticCode> {
    all().filter(|row| matches!(row.tool, Tool::Linter | Tool::OpenRules))
}

/// Returns the text beside the caret, which marks the place in the printed source line, for diagnostics with this code
/// that bring none of their own; an empty text for an unknown code.
pub fn caret(code: &str) -> &'static str {
    find(code).map_or("", |row| row.caret)
}

/// Checks that `@allow` and `.allow` accept a diagnostic code.
///
/// # Errors
/// Returns a message if there is no such code, or if it cannot be silenced.
pub fn allowable(code: &str) -> Result<(), String> {
    match find(code) {
        None => Err(format!("there is no code `{code}`")),
        Some(row) if row.allowable => Ok(()),
        Some(_) => Err(format!("`{code}` cannot be allowed")),
    }
}
