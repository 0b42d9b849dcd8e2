//! `cp2 bench`.

use crate::args::Bench;
use crate::exit::{Exit, Outcome, bad_input, complain};
use crate::files;
use cp2_programs::bench::{self, Row};
use cp2_programs::speed;
use std::fmt::Write as _;
use std::path::Path;

pub(crate) fn bench(arguments: &Bench) -> Outcome {
    if arguments.speed {
        return measure(arguments);
    }
    let rows = bench::rows()?;
    let counts = bench::to_json(&rows);
    if arguments.json {
        super::print_json(&counts)?;
    } else {
        files::print(table(&chosen(arguments, &rows)?).as_bytes())?;
    }
    if arguments.bless {
        let path = arguments.golden.as_deref().unwrap_or(Path::new(GOLDEN));
        files::write(path, format!("{counts:#}\n").as_bytes())?;
    }
    if arguments.check {
        return check(arguments, &rows);
    }
    Ok(Exit::Success)
}

/// Where the golden file stands in the repository.
const GOLDEN: &str = "programs/golden/cycles.json";

fn measure(arguments: &Bench) -> Outcome {
    let before = load();
    let mut report = speed::report()?;
    report.loads = [before, load()];
    if arguments.json {
        super::print_json(&report.to_json())?;
    } else {
        let show = |load: Option<f64>| load.map_or("?".to_owned(), |x| format!("{x:.1}"));
        let [before, after] = report.loads.map(show);
        let text = format!("{report}\nLoad of this host: {before} before, {after} after.\n");
        files::print(text.as_bytes())?;
    }
    Ok(Exit::Success)
}

/// Processes that wanted a core on average over the last minute, where the host tells. Other work
/// takes its share of every speed, and of the cores of many machines.
fn load() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/loadavg").ok()?;
    text.split(' ').next()?.parse().ok()
}

fn check(arguments: &Bench, rows: &[Row]) -> Outcome {
    let (name, bytes) = match &arguments.golden {
        Some(path) => (path.display().to_string(), files::read(path)?),
        None => ("the built-in golden file".to_owned(), bench::GOLDEN.into()),
    };
    let golden = serde_json::from_slice(&bytes).map_err(|e| bad_input(format!("{name}: {e}")))?;
    let differences = bench::differences(rows, &golden);
    for line in &differences {
        complain(format!("cp2: {line}"));
    }
    if differences.is_empty() {
        return Ok(Exit::Success);
    }
    complain(format!("cp2: the counts differ from {name}; `cp2 bench --bless` accepts them"));
    Ok(Exit::Check)
}

/// The rows to print.
fn chosen<'a>(arguments: &Bench, rows: &'a [Row]) -> Outcome<Vec<&'a Row>> {
    if arguments.kernels.is_empty() {
        return Ok(rows.iter().collect());
    }
    let find = |name: &String| {
        rows.iter().find(|row| row.kernel == *name).ok_or_else(|| {
            bad_input(format!("no kernel `{name}` is counted; `cp2 bench` lists them"))
        })
    };
    arguments.kernels.iter().map(find).collect()
}

fn table(rows: &[&Row]) -> String {
    let mut text = format!(
        "{:<20} {:<15} {:>8} {:>9} {:>9} {:>8} {:>12} {:>6}\n",
        "kernel", "per section", "cycles", "per unit", "bound", "percent", "dissertation", "ratio"
    );
    for row in rows {
        let plural = if row.count == 1 || row.unit.ends_with("psmadd") { "" } else { "s" };
        let work = format!("{} {}{plural}", row.count, row.unit);
        let dash = || "-".to_owned();
        let published = row.published.map_or_else(dash, |p| p.to_string());
        let ratio = row.ratio().map_or_else(dash, |r| format!("{r:.2}"));
        // Small numbers need their decimals, large ones have none to tell.
        let decimals = if row.per_unit() < 10.0 { 3 } else { 1 };
        let _ = writeln!(
            text,
            "{:<20} {work:<15} {:>8} {:>9.decimals$} {:>9.decimals$} {:>7.1}% {published:>12} {ratio:>6}",
            row.kernel,
            row.cycles,
            row.per_unit(),
            row.bound,
            row.percent(),
        );
    }
    text
}
