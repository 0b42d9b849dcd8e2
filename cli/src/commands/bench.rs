//! `cp2 bench`.

use crate::args::Bench;
use crate::exit::{Exit, Outcome, bad_input, complain};
use crate::files;
use cp2_programs::bench::{self, Row};
use std::fmt::Write as _;

pub(crate) fn bench(arguments: &Bench) -> Outcome {
    let rows = bench::rows()?;
    let counts = bench::to_json(&rows);
    if arguments.json {
        super::print_json(&counts)?;
    } else {
        files::print(table(&rows).as_bytes())?;
    }
    if arguments.bless {
        files::write(&arguments.golden, format!("{counts:#}\n").as_bytes())?;
    }
    if arguments.check {
        return check(arguments, &rows);
    }
    Ok(Exit::Success)
}

fn check(arguments: &Bench, rows: &[Row]) -> Outcome {
    let path = arguments.golden.display();
    let golden = serde_json::from_slice(&files::read(&arguments.golden)?)
        .map_err(|e| bad_input(format!("{path}: {e}")))?;
    let differences = bench::differences(rows, &golden);
    for line in &differences {
        complain(format!("cp2: {line}"));
    }
    if differences.is_empty() {
        return Ok(Exit::Success);
    }
    complain(format!("cp2: the counts differ from {path}; `cp2 bench --bless` accepts them"));
    Ok(Exit::Check)
}

fn table(rows: &[Row]) -> String {
    let mut text = String::from(
        "kernel     per section     cycles  per unit   bound  percent  published   ratio\n",
    );
    let dash = || "-".to_owned();
    for row in rows {
        let work = format!("{} {}s", row.count, row.unit);
        let _ = writeln!(
            text,
            "{:<10} {work:<12} {:>9} {:>9.1} {:>7} {:>7.1}% {:>10} {:>7}",
            row.kernel,
            row.cycles,
            row.per_unit(),
            row.bound,
            row.percent(),
            row.published.map_or_else(dash, |p| p.to_string()),
            row.ratio().map_or_else(dash, |r| format!("{r:.2}"))
        );
    }
    text
}
