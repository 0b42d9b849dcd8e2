//! Names of variables, comments and lists of words in C.

use cp2_procedures::paged::PagedProcedure;
use std::fmt::Write as _;

/// Returns the name of the variable of an array. All names that are made of an array's have different beginnings, none of
/// which a name of C or of the library has.
pub(super) fn variable(array: &str) -> String {
    format!("array_{array}")
}

/// Returns the name of the variable of an array as pages have it.
pub(super) fn placed(array: &str) -> String {
    format!("placed_{array}")
}

/// Returns the name of the place of this number.
pub(super) fn place_name(procedure: &PagedProcedure, number: usize) -> String {
    match procedure.arrays.get(number) {
        Some(array) => format!("at_{}", array.name),
        None => format!("words_at_{}", number - procedure.arrays.len()),
    }
}

/// Returns a text as a comment can have it.
pub(super) fn comment(text: &str) -> String {
    text.replace("*/", "* /").replace(['\n', '\r'], " ")
}

/// Adds words to a list of C and ends it.
pub(super) fn list(c: &mut String, words: &[u64]) {
    for (k, word) in words.iter().enumerate() {
        c.push_str(if k % 4 == 0 { "\n  " } else { " " });
        let _ = write!(c, "{word:#018x},");
    }
    c.push_str("\n};\n");
}
