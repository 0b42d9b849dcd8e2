//! Fits the host's costs to all measured rows of \[D\] tables 3.1, 3.2, B.4 and B.5, with the published
//! scheme and the published kernels, and prints what the fit rests on. What came out:
//! `specs/notes/2026-11-22-host-calibration.md`. The engine is the fast one.
//!
//! `cargo run --release -p cp2-evidence --example host_fit -- [VERB] [KEY=VALUE ...]`
//!
//! - `rows`, the default: model against measurement with the numbers of the machine files;
//! - `fit`: the fit, and its rows;
//! - `intervals`: of every number, from the scatter of the rows and the slopes of the model;
//! - `profile`: of every number, from how the scatter grows as it moves and the others are fitted anew;
//! - `jackknife`: of every number, from fits without each row and without each table;
//! - `told`: what the tables tell about the numbers that are assumed, as `profile`;
//! - `cross`: fits on some tables, which predict the others;
//! - `readings`: fits for other ways to read \[D\];
//! - `joint`: the fit with tables 3.3 to 3.7 and B.7 too, as the page `specs/src/host-fit.md`.
//!
//! KEY=VALUE changes machines, as `memory.turn_clocks=0`; the five fitted numbers excepted.

mod jackknife;
mod joint;
mod model;
mod profile;
mod search;

use cp2_evidence::measured::TABLES;
use cp2_evidence::published::{Calls, Factors, ProductReading, Reading};
use model::{Model, NAMES, PARAMETERS, Point, START, Subset};
use profile::T_975;
use search::{fit, near, slopes};

fn percent(residual: f64) -> f64 {
    100.0 * (residual.exp() - 1.0)
}

/// Returns the cells of a table: the root of the mean square and the largest deviation, percent, and the number of rows
/// beyond 10 %.
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
        let (points, measured) = (&entry.name, entry.mops);
        let name = entry.table;
        let deviation = percent(residual);
        println!(
            "| {name} | {points} | {measured:.0} | {:.0} | {deviation:+.1} |",
            measured * residual.exp()
        );
    }
    println!("rms %, worst %, rows beyond 10 %: {}", summary(&residuals));
}

/// Prints the intervals of the linearised model.
fn intervals(model: &Model) -> Result<(), String> {
    let best = model.of_machines();
    let slopes: [Vec<f64>; PARAMETERS] = std::array::from_fn(|k| slopes(model, best, k));
    let product = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(x, y)| x * y).sum::<f64>();
    let normal = slopes.each_ref().map(|a| slopes.each_ref().map(|b| product(a, b)));
    let inverse = search::inverse(normal).ok_or("a number that no row depends on")?;
    let freedom = (model.entries.len() - PARAMETERS) as f64;
    let variance = model.cost(best, &Subset::All) / freedom;
    println!("| number | fit | 95 % interval |\n| --- | --- | --- |");
    for k in 0..PARAMETERS {
        let half = T_975 * (variance * inverse[k][k]).sqrt();
        let ends = [-half, half].map(|h| f64::from(best[k]) + h);
        println!("| {} | {} | {:.0} to {:.0} |", NAMES[k], best[k], ends[0], ends[1]);
    }
    Ok(())
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
        let (best, _) = near(model, &subset);
        let residuals = model.residuals(best);
        let predicted: Vec<f64> = model
            .entries
            .iter()
            .zip(residuals)
            .filter(|(entry, _)| !subset.has(entry))
            .map(|(_, residual)| residual)
            .collect();
        println!("| {left_out} | {} | {} |", numbers(best), summary(&predicted));
    }
}

fn print_fits(models: Vec<(String, Model)>) {
    println!("| what differs | {} | rms % | worst % | beyond 10 % |", NAMES.join(" | "));
    println!("| --- |{}", " --- |".repeat(PARAMETERS + 3));
    for (name, model) in models {
        let (best, _) = near(&model, &Subset::All);
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
        (
            "every product a kernel of its own",
            Reading { products: ProductReading::Everywhere, ..usual },
        ),
        ("no product a kernel of its own", Reading { products: ProductReading::Nowhere, ..usual }),
        ("factors streamed for P = 8192 too", Reading { factors: Factors::Streamed, ..usual }),
        ("no factors in convolutions", Reading { factors: Factors::Resident, ..usual }),
    ];
    let with = |(name, reading): (&str, Reading)| {
        Ok::<_, String>((name.to_owned(), Model::new(reading, settings, false)?))
    };
    print_fits(others.into_iter().map(with).collect::<Result<_, _>>()?);
    Ok(())
}

fn main() -> Result<(), String> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (settings, verbs): (Vec<String>, Vec<String>) =
        arguments.into_iter().partition(|a| a.contains('='));
    let is_joint = verbs.first().is_some_and(|verb| verb == "joint");
    let model = Model::new(Reading::default(), &settings, is_joint)?;
    match verbs.first().map_or("rows", String::as_str) {
        "rows" => print_rows(&model, model.of_machines()),
        "fit" => {
            println!("from {}", numbers(START));
            let (best, _) = fit(&model, &Subset::All);
            println!("{}\n{}", NAMES.join(" | "), numbers(best));
            print_rows(&model, best);
        }
        "intervals" => intervals(&model)?,
        "profile" => profile::profile(&model),
        "jackknife" => jackknife::jackknife(&model),
        "told" => profile::told(&model)?,
        "cross" => cross(&model),
        "readings" => readings(&settings)?,
        "joint" => joint::print(&model),
        other => {
            return Err(format!(
                "{other}: give rows, fit, intervals, profile, jackknife, told, cross, readings or joint"
            ));
        }
    }
    Ok(())
}
