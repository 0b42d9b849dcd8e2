//! The fit with the tables of multigrid and of sparse products too: which tables want which numbers, and every row.

use super::jackknife::{interval, of_tables};
use super::model::{Model, NAMES, PARAMETERS, Point, Subset};
use super::search::refit;
use super::{numbers, percent, summary};

const INTRODUCTION: &str = "# The host's costs, fitted to all tables

Made by `cargo run --release -p cp2-evidence --example host_fit -- joint > specs/src/host-fit.md`. The machine files have the fit to [D] tables
3.1, 3.2, B.4 and B.5; here it is made with tables 3.3 to 3.7 and B.7 too: the published counts of kernels in the place of ours, pages of one block of
table B.6 in each section for multigrid, for sparse products a page and a call for each slice of table B.8 behind
the one that brings the vector. What follows from it stands in `specs/notes/2026-11-22-host-calibration.md`.";

/// Tables of multigrid and of sparse products.
const MULTIGRID: [&str; 5] = ["3.3", "3.4", "3.5-VM7", "3.5-VM9", "B.7"];
const SPARSE: [&str; 2] = ["3.6", "3.7"];

fn rms(model: &Model, residuals: &[f64], has: impl Fn(&str) -> bool) -> f64 {
    let rows = model.entries.iter().zip(residuals).filter(|(entry, _)| has(entry.table));
    let squares: Vec<f64> = rows.map(|(_, r)| r * r).collect();
    100.0 * (squares.iter().sum::<f64>() / squares.len().max(1) as f64).sqrt()
}

/// Prints the page.
pub(crate) fn print(model: &Model) {
    println!("{INTRODUCTION}");
    let start = model.of_machines();
    let best = |without: Vec<&'static str>| {
        // Only convolutions have products.
        let mut free = [true; PARAMETERS];
        free[PARAMETERS - 1] = !without.contains(&"B.4-VM7");
        refit(model, start, &Subset::WithoutTables(without), free).0
    };
    let all = best(Vec::new());
    let of = |names: &[&[&'static str]]| best(names.concat());
    let vectors: Vec<_> = model
        .tables()
        .into_iter()
        .filter(|table| !MULTIGRID.contains(table) && !SPARSE.contains(table))
        .collect();
    let fits: [(&str, Point); 5] = [
        ("the machine files", start),
        ("all tables", all),
        ("all but sparse products", of(&[&SPARSE])),
        ("all but multigrid", of(&[&MULTIGRID])),
        ("multigrid and sparse products alone", best(vectors.clone())),
    ];
    print_fits(model, fits, &vectors);
    print_intervals(model, start, all);
    print_rows(model, start, all);
}

/// Prints the deviation of each fit from the rows of each kind.
fn print_fits(model: &Model, fits: [(&str, Point); 5], vectors: &[&str]) {
    println!(
        "\n## Fits\n\nRoot of the mean square of the deviations, percent, of the rows of three kinds, and of all with the worst and how many are beyond 10 %.\n"
    );
    println!(
        "| fitted to | {} | transforms, convolutions | multigrid | sparse | all | worst | beyond 10 % |",
        NAMES.join(" | ")
    );
    println!("| --- |{}", " --- |".repeat(PARAMETERS + 6));
    for (name, point) in fits {
        let residuals = model.residuals(point);
        let [a, b, c] = [
            rms(model, &residuals, |table| vectors.contains(&table)),
            rms(model, &residuals, |table| MULTIGRID.contains(&table)),
            rms(model, &residuals, |table| SPARSE.contains(&table)),
        ];
        println!(
            "| {name} | {} | {a:.1} | {b:.1} | {c:.1} | {} |",
            numbers(point),
            summary(&residuals)
        );
    }
}

/// Prints the intervals in which the numbers of the fit to all tables move with the tables.
fn print_intervals(model: &Model, start: Point, all: Point) {
    println!(
        "\n## Intervals\n\nOf the fit to all tables, 95 %: by the fits without each table, whose rows share what is wrong with them.\n"
    );
    println!("| number | machine files | all tables | by tables |\n| --- | --- | --- | --- |");
    let halves = of_tables(model, all);
    for k in 0..PARAMETERS {
        let range = interval(all[k], halves[k]);
        println!("| {} | {} | {} | {range} |", NAMES[k], start[k], all[k]);
    }
}

/// Prints the deviation of every row.
fn print_rows(model: &Model, start: Point, all: Point) {
    println!(
        "\n## Rows\n\nModel above measurement, percent, with the numbers of the machine files and with those of the fit to all tables.\n"
    );
    println!(
        "| table | row | measured, MOPS | machine files % | all tables % |\n| --- | --- | --- | --- | --- |"
    );
    let [of_files, of_all] = [start, all].map(|point| model.residuals(point));
    for (entry, (files, all)) in model.entries.iter().zip(of_files.iter().zip(&of_all)) {
        println!(
            "| {} | {} | {:.0} | {:+.1} | {:+.1} |",
            entry.table,
            entry.name,
            entry.mops,
            percent(*files),
            percent(*all)
        );
    }
}
