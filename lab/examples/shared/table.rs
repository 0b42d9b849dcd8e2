//! Tables of pages of the book.

use std::fmt::Write as _;

/// Writes a line of a table.
pub(crate) fn line(out: &mut String, cells: impl IntoIterator<Item = String>) {
    let cells: Vec<String> = cells.into_iter().collect();
    // Writing to a string does not fail.
    let _ = writeln!(out, "| {} |", cells.join(" | "));
}

/// Writes the head of a table.
pub(crate) fn head(out: &mut String, cells: &[String]) {
    line(out, cells.iter().cloned());
    line(out, cells.iter().map(|_| "---".to_owned()));
}

/// Returns a number as a whole one; a dash where there is none.
pub(crate) fn whole(value: Option<f64>) -> String {
    value.map_or_else(|| "-".to_owned(), |value| format!("{value:.0}"))
}
