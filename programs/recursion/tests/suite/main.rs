//! Tasks on the host, against the tables of their page and plain programs.

#![allow(clippy::unwrap_used, reason = "a test's helpers may panic")]

mod dealing;
mod estimates;
mod files;
mod host_cycles;
mod tasks;

/// The page whose tables the tests compute anew.
const PAGE: &str = include_str!("../../../../specs/src/recursion.md");

/// Rows of the table of the page whose head begins with these words, cell by cell.
fn table(head: &str) -> Vec<Vec<&'static str>> {
    let mut lines = PAGE.lines().skip_while(|line| !line.starts_with(&format!("| {head} |")));
    assert!(lines.next().is_some(), "the page has no table `{head}`");
    let rows = lines.skip(1).take_while(|line| line.starts_with('|'));
    rows.map(|row| row.trim_matches('|').split('|').map(str::trim).collect()).collect()
}

/// Numbers of a cell, with commas between them.
fn numbers<T: std::str::FromStr<Err: std::fmt::Debug>>(cell: &str) -> Vec<T> {
    cell.split(", ").map(|number| number.parse().unwrap()).collect()
}
