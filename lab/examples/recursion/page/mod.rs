//! The page of the book, from rows of measurements.

mod depths;
mod forms;
mod puzzles;
mod steps;

use crate::rows::Rows;

/// Returns the text of the page.
pub(crate) fn page(rows: &Rows) -> String {
    let mut out = String::from(
        "# Recursive searches: measurements

<!-- Made by `cargo xtask bless recursion` from `lab/data/recursion.csv` and `gpu/recursion/data`. -->

What the searches of [Recursive searches](recursion.md) take on CP2, in cycles of the emulator, with the answers to seven questions, and what they take on a graphics processor. Every value was compared
with the host's in the run that was measured. `cargo run --release -p cp2-lab --example recursion -- measure PART` (`forms`, `extensions`, `depths`, `steps`, `trees`,
`branches`, `stops`) measures anew; nothing but the last part depends on a native machine. *A node of each
section*: cycles x 4 / nodes, as each of four sections does its share.

",
    );
    depths::depths(&mut out, rows);
    forms::forms(&mut out, rows);
    forms::extensions(&mut out, rows);
    forms::efficiency(&mut out, rows);
    steps::steps(&mut out, rows);
    depths::trees(&mut out, rows);
    puzzles::branches(&mut out, rows);
    puzzles::stops(&mut out, rows);
    forms::halves(&mut out, rows);
    out
}

fn words(cells: &[&str]) -> Vec<String> {
    cells.iter().map(|&cell| cell.to_owned()).collect()
}

fn percent(value: Option<f64>) -> String {
    value.map_or_else(|| "-".to_owned(), |value| format!("{:.1}", 100.0 * value))
}

/// Values of a search in a form.
struct Found<'r> {
    rows: &'r Rows,
    part: &'r str,
    name: &'r str,
    numbers: (u64, u64),
}

impl Found<'_> {
    fn value(&self, key: &str) -> Option<f64> {
        self.rows.value(self.part, self.name, self.numbers, key)
    }

    /// Cycles for a node of each section.
    fn per_node(&self) -> Option<f64> {
        Some(4.0 * self.value("cycles")? / self.value("nodes")?)
    }

    /// Share of the lanes' passes in which they were busy.
    fn efficiency(&self) -> Option<f64> {
        Some(self.value("busy")? / (self.value("lanes")? * self.value("passes")?))
    }

    /// Cycles of a pass of one stack of a section.
    fn per_pass(&self) -> Option<f64> {
        Some(self.value("cycles")? / (self.value("passes")? * self.value("slots")?))
    }
}

fn two(value: Option<f64>) -> String {
    value.map_or_else(|| "-".to_owned(), |value| format!("{value:.2}"))
}
