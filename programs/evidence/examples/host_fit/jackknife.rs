//! Intervals by leaving out: the fit without each row, and without each table, whose rows share whatever is
//! wrong with them.

use super::model::{Model, NAMES, PARAMETERS, Point, Subset};
use super::profile::T_975;
use super::search::refit;

/// Student's t of 5 degrees of freedom, that of 6 tables, and of 12.
const T_TABLES: [f64; 2] = [2.571, 2.179];

/// Returns half of the interval of each number, from the fits to `subsets`, each of which leaves out a part; `t` is Student's
/// t.
fn halves(model: &Model, start: Point, subsets: &[Subset], t: f64) -> [f64; PARAMETERS] {
    let n = subsets.len() as f64;
    let fits: Vec<Point> =
        subsets.iter().map(|subset| refit(model, start, subset, [true; PARAMETERS]).0).collect();
    std::array::from_fn(|k| {
        let mean = fits.iter().map(|fit| f64::from(fit[k])).sum::<f64>() / n;
        let squares: f64 = fits.iter().map(|fit| (f64::from(fit[k]) - mean).powi(2)).sum();
        t * ((n - 1.0) / n * squares).sqrt()
    })
}

/// Fits without each table, and returns half of the interval of each number.
pub(crate) fn of_tables(model: &Model, start: Point) -> [f64; PARAMETERS] {
    let tables: Vec<Subset> =
        model.tables().into_iter().map(|table| Subset::WithoutTables(vec![table])).collect();
    halves(model, start, &tables, T_TABLES[usize::from(tables.len() > 6)])
}

/// Returns the text of an interval of `half` on each side of `fit`, not below 0.
pub(crate) fn interval(fit: u32, half: f64) -> String {
    let fit = f64::from(fit);
    format!("{:.0} to {:.0}", (fit - half).max(0.0), fit + half)
}

pub(crate) fn jackknife(model: &Model) {
    let best = model.of_machines();
    let (start, _) = refit(model, best, &Subset::All, [true; PARAMETERS]);
    let rows: Vec<Subset> =
        model.entries.iter().map(|entry| Subset::WithoutRow(entry.number)).collect();
    let (of_rows, of_tables) = (halves(model, start, &rows, T_975), of_tables(model, start));
    println!("| number | fit | by rows | by tables |\n| --- | --- | --- | --- |");
    for k in 0..PARAMETERS {
        let [rows, tables] = [of_rows[k], of_tables[k]].map(|half| interval(best[k], half));
        println!("| {} | {} | {rows} | {tables} |", NAMES[k], best[k]);
    }
}
