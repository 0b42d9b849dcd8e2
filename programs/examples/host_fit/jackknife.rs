//! Intervals by leaving out: the fit without each row, and without each table, whose rows share whatever is
//! wrong with them.

use super::model::{Model, NAMES, PARAMETERS, Point, Subset};
use super::profile::T_975;
use super::search::refit;
use cp2_programs::host::measured::TABLES;

/// Student's t of 5 degrees of freedom, that of 6 tables.
const T_TABLES: f64 = 2.571;

/// Half of the interval of each number, from the fits without each part.
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

pub(crate) fn jackknife(model: &Model) {
    let best = model.of_machines();
    let (start, _) = refit(model, best, &Subset::All, [true; PARAMETERS]);
    let rows: Vec<Subset> =
        model.entries.iter().map(|entry| Subset::WithoutRow(entry.row)).collect();
    let tables: Vec<Subset> =
        TABLES.iter().map(|table| Subset::WithoutTables(vec![table.name])).collect();
    let of_rows = halves(model, start, &rows, T_975);
    let of_tables = halves(model, start, &tables, T_TABLES);
    println!("| number | fit | by rows | by tables |\n| --- | --- | --- | --- |");
    for k in 0..PARAMETERS {
        let interval = |half: f64| {
            let fit = f64::from(best[k]);
            format!("{:.0} to {:.0}", (fit - half).max(0.0), fit + half)
        };
        println!(
            "| {} | {} | {} | {} |",
            NAMES[k],
            best[k],
            interval(of_rows[k]),
            interval(of_tables[k])
        );
    }
}
