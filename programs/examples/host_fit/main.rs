//! Fits the host's costs to all measured rows of \[D\] tables 3.1, 3.2, B.4 and B.5, with the published
//! scheme and the published kernels, and prints what the fit rests on. What came out:
//! `specs/notes/2026-11-22-host-calibration.md`. The engine is the fast one.
//!
//! `cargo run --release -p cp2-programs --example host_fit -- [VERB] [KEY=VALUE ...]`
//!
//! - `rows`, the default: model against measurement with the numbers of the machine files;
//! - `fit`: the fit, and its rows;
//! - `intervals`: of every number, the others fitted anew; and fits without one row;
//! - `cross`: fits on some tables, which predict the others;
//! - `readings`: fits for other ways to read \[D\];
//! - `assumed`: fits with other values of what is assumed.
//!
//! KEY=VALUE changes machines, as `memory.turn_clocks=0`; the five fitted numbers excepted.

mod model;
mod search;

use cp2_programs::host::measured::TABLES;
use cp2_programs::host::published::{Calls, Factors, Products, Reading};
use model::{Model, NAMES, PARAMETERS, Point, START, Subset};
use search::{fit, minimise};

/// F of 1 and 43 degrees of freedom that is exceeded with a probability of 5 %.
const F_95: f64 = 4.07;

fn percent(residual: f64) -> f64 {
    100.0 * (residual.exp() - 1.0)
}

/// Root of the mean square and largest deviation, percent, and rows beyond 10 %.
fn summary(residuals: &[f64]) -> String {
    let squares: f64 = residuals.iter().map(|r| r * r).sum();
    let rms = 100.0 * (squares / residuals.len() as f64).sqrt();
    let worst = residuals
        .iter()
        .map(|&r| percent(r))
        .fold(0.0, |w: f64, p| if p.abs() > w.abs() { p } else { w });
    let beyond = residuals.iter().filter(|&&r| percent(r).abs() > 10.0).count();
    format!("{rms:.1} | {worst:+.1} | {beyond}")
}

fn numbers(point: Point) -> String {
    point.map(|n| n.to_string()).join(" | ")
}

fn print_rows(model: &Model, point: Point) {
    println!(
        "| table | N or P | measured, MOPS | model, MOPS | deviation % |\n| --- | --- | --- | --- | --- |"
    );
    let residuals = model.residuals(point);
    for (entry, &residual) in model.entries.iter().zip(&residuals) {
        let (points, measured) = (entry.row.procedure.transform(), entry.row.mops);
        let name = entry.table.name;
        let deviation = percent(residual);
        println!(
            "| {name} | {points} | {measured:.0} | {:.0} | {deviation:+.1} |",
            measured * residual.exp()
        );
    }
    println!("rms %, worst %, rows beyond 10 %: {}", summary(&residuals));
}

/// Where the sum of squares, the others fitted anew, has risen by what chance alone would do in one
/// of twenty.
fn profile(model: &Model, best: Point, least: f64, k: usize, up: bool) -> u32 {
    let limit = least * (1.0 + F_95 / (model.entries.len() - PARAMETERS) as f64);
    let is_inside = |value: u32| {
        let mut start = best;
        start[k] = value;
        minimise(start, [16, 128, 16, 128, 16], &[k], &|p| model.cost(p, &Subset::All)).1 <= limit
    };
    let at = |distance: u32| if up { best[k] + distance } else { best[k].saturating_sub(distance) };
    let (mut inside, mut outside) = (0, (best[k] / 8).max(2));
    while is_inside(at(outside)) && outside < 8 * best[k] {
        (inside, outside) = (outside, 2 * outside);
    }
    while outside - inside > (best[k] / 100).max(1) {
        let middle = inside.midpoint(outside);
        if is_inside(at(middle)) { inside = middle } else { outside = middle }
    }
    at(inside)
}

fn intervals(model: &Model) {
    let (best, least) = fit(model, &Subset::All);
    println!("| number | fit | 95 % interval | without one row |\n| --- | --- | --- | --- |");
    let without: Vec<Point> = (0..model.entries.len())
        .map(|i| search::near(model, &Subset::Without(i), best).0)
        .collect();
    for k in 0..PARAMETERS {
        let [low, high] = [false, true].map(|up| profile(model, best, least, k, up));
        let ones = || without.iter().map(|p| p[k]);
        let (least, most) = (ones().min().unwrap_or(0), ones().max().unwrap_or(0));
        println!("| {} | {} | {low} to {high} | {least} to {most} |", NAMES[k], best[k]);
    }
}

fn cross(model: &Model) {
    println!("| left out | {} | rms % of its rows | worst % | beyond 10 % |", NAMES.join(" | "));
    println!("| --- |{}", " --- |".repeat(PARAMETERS + 3));
    let mut sets: Vec<Vec<&str>> = TABLES.iter().map(|t| vec![t.name]).collect();
    sets.push(vec!["B.4-VM7", "B.4-VM9"]);
    sets.push(vec!["3.1", "3.2", "B.5-VM7", "B.5-VM9"]);
    for names in sets {
        let left_out = names.join(", ");
        let subset = Subset::WithoutTables(names);
        let (best, _) = fit(model, &subset);
        let residuals = model.residuals(best);
        let predicted: Vec<f64> = model
            .entries
            .iter()
            .zip(residuals)
            .enumerate()
            .filter(|(i, (entry, _))| !subset.has(*i, entry))
            .map(|(_, (_, residual))| residual)
            .collect();
        println!("| {left_out} | {} | {} |", numbers(best), summary(&predicted));
    }
}

fn print_fits(models: Vec<(String, Model)>) {
    println!("| what differs | {} | rms % | worst % | beyond 10 % |", NAMES.join(" | "));
    println!("| --- |{}", " --- |".repeat(PARAMETERS + 3));
    for (name, model) in models {
        let (best, _) = fit(&model, &Subset::All);
        println!("| {name} | {} | {} |", numbers(best), summary(&model.residuals(best)));
    }
}

fn readings(settings: &[String]) -> Result<(), String> {
    let usual = Reading::default();
    let others = [
        ("nothing", usual),
        ("one call for a page", Reading { calls: Calls::PerPage, ..usual }),
        ("pages of whole vectors of 1024 words", Reading { page_words: 1024, ..usual }),
        ("pages of passes of 1024 words", Reading { pass_words: 1024, ..usual }),
        ("every product a kernel of its own", Reading { products: Products::Everywhere, ..usual }),
        ("no product a kernel of its own", Reading { products: Products::Nowhere, ..usual }),
        ("factors streamed for P = 8192 too", Reading { factors: Factors::Streamed, ..usual }),
        ("no factors in convolutions", Reading { factors: Factors::Resident, ..usual }),
    ];
    let with = |(name, reading): (&str, Reading)| {
        Ok::<_, String>((name.to_owned(), Model::new(reading, settings)?))
    };
    print_fits(others.into_iter().map(with).collect::<Result<_, _>>()?);
    Ok(())
}

fn assumed(settings: &[String]) -> Result<(), String> {
    let changes = [
        "host.register_cycles=100",
        "host.status_cycles=40",
        "host.bundle_cycles=20",
        "dma.start_cycles=100",
        "dma.set_up_cycles=100",
        "memory.turn_clocks=0",
        "memory.turn_clocks=20",
    ];
    let with = |change: &str| {
        let mut settings = settings.to_vec();
        settings.push(change.to_owned());
        Ok::<_, String>((change.to_owned(), Model::new(Reading::default(), &settings)?))
    };
    print_fits(changes.into_iter().map(with).collect::<Result<_, _>>()?);
    Ok(())
}

fn main() -> Result<(), String> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (settings, verbs): (Vec<String>, Vec<String>) =
        arguments.into_iter().partition(|a| a.contains('='));
    let model = Model::new(Reading::default(), &settings)?;
    match verbs.first().map_or("rows", String::as_str) {
        "rows" => print_rows(&model, model.of_machines()),
        "fit" => {
            println!("from {}", numbers(START));
            let (best, _) = fit(&model, &Subset::All);
            println!("{}\n{}", NAMES.join(" | "), numbers(best));
            print_rows(&model, best);
        }
        "intervals" => intervals(&model),
        "cross" => cross(&model),
        "readings" => readings(&settings)?,
        "assumed" => assumed(&settings)?,
        other => {
            return Err(format!("{other}: give rows, fit, intervals, cross, readings or assumed"));
        }
    }
    Ok(())
}
