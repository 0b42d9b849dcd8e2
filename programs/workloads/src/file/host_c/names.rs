//! Names of variables, comments and lists of words in C.

use cp2_procedures::paged::PagedProcedure;
use std::fmt::Write as _;

/// Words of C and names of the library, none of which an array can have.
const TAKEN: [&str; 48] = [
    "allocate", "asm", "auto", "break", "case", "char", "const", "continue", "count", "cycles",
    "default", "do", "double", "else", "enum", "exit", "extern", "float", "for", "frame", "goto",
    "if", "inline", "int", "long", "main", "memcmp", "memcpy", "memmove", "memset", "physical",
    "places", "print", "queue", "register", "restrict", "return", "short", "signed", "sizeof",
    "static", "struct", "switch", "typedef", "union", "unsigned", "void", "volatile",
];
/// Beginnings of the names of the library and of the tables.
const TAKEN_BEGINS: [&str; 11] = [
    "_",
    "cp2",
    "dma",
    "print_",
    "code_",
    "bundles_",
    "calls_",
    "patterns_",
    "transfers_",
    "steps_",
    "words_",
];

/// Returns the name of the variable of an array: its own, unless C or the library has it.
pub(super) fn variable(array: &str) -> String {
    let is_taken =
        TAKEN.contains(&array) || TAKEN_BEGINS.iter().any(|begin| array.starts_with(begin));
    let ends = ["_placed", "_axes", "_array"].iter().any(|end| array.ends_with(end));
    if is_taken || ends { format!("{array}_of_file") } else { array.to_owned() }
}

/// Returns the name of the place of this number.
pub(super) fn place_name(procedure: &PagedProcedure, number: usize) -> String {
    match procedure.arrays.get(number) {
        Some(array) => format!("place_{}", array.name),
        None => format!("place_words_{}", number - procedure.arrays.len()),
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
