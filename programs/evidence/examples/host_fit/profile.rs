//! Profiles: how the scatter of the rows grows as one number moves and the fitted ones follow. The interval
//! is where it stays so small that chance explains it.

use super::model::{Model, NAMES, PARAMETERS, PROCESSORS, Point, Subset};
use super::search::{WIDE, refit};

/// Student's t of 43 degrees of freedom that is exceeded, up or down, with a probability of 5 %.
pub(crate) const T_975: f64 = 2.017;

/// Numbers that are assumed, with values to try; the number of the machine files is among them.
const ASSUMED: [(&str, &[u32]); 6] = [
    ("host.register_cycles", &[1, 10, 100, 200, 400, 800, 1600]),
    ("host.status_cycles", &[0, 4, 50, 100, 150, 200, 300, 500]),
    ("host.bundle_cycles", &[0, 4, 15, 30, 45, 60, 100, 150]),
    ("dma.start_cycles", &[0, 4, 1000, 10_000, 100_000]),
    ("dma.set_up_cycles", &[0, 4, 30, 60, 120, 250, 500, 1000]),
    ("memory.turn_clocks", &[0, 4, 8, 20, 40, 80, 160]),
];

/// Returns the largest sum of squares that still counts as explained, if `least` is the least one.
fn threshold(model: &Model, least: f64) -> f64 {
    let freedom = (model.entries.len() - PARAMETERS) as f64;
    least * (1.0 + T_975 * T_975 / freedom)
}

/// Returns the place at which a line through two points of a profile reaches a height.
fn crossing([x0, y0]: [f64; 2], [x1, y1]: [f64; 2], height: f64) -> f64 {
    if y1 == y0 { x1 } else { x0 + (x1 - x0) * (height - y0) / (y1 - y0) }
}

fn rms_percent(model: &Model, cost: f64) -> f64 {
    100.0 * (cost / model.entries.len() as f64).sqrt()
}

/// Returns the end of the interval of parameter `k` on one side, if the profile has one.
fn end(model: &Model, best: Point, least: f64, k: usize, is_up: bool) -> Option<f64> {
    const STEPS: u32 = 24;
    let mut free = [true; PARAMETERS];
    free[k] = false;
    let height = threshold(model, least);
    let (mut start, mut last) = (best, [f64::from(best[k]), least]);
    for n in 1..=STEPS {
        let away = n * WIDE[k];
        let value = if is_up { best[k] + away } else { best[k].saturating_sub(away) };
        start[k] = value;
        let cost;
        (start, cost) = refit(model, start, &Subset::All, free);
        let here = [f64::from(value), cost];
        if cost > height {
            return Some(crossing(last, here, height));
        }
        if value == 0 {
            break;
        }
        last = here;
    }
    None
}

/// Prints the interval of every parameter that is fitted.
pub(crate) fn profile(model: &Model) {
    let (best, least) = refit(model, model.of_machines(), &Subset::All, [true; PARAMETERS]);
    println!("| number | fit | 95 % interval |\n| --- | --- | --- |");
    for k in 0..PARAMETERS {
        let text = |end: Option<f64>| end.map_or("open".to_owned(), |e| format!("{e:.0}"));
        let [low, high] = [false, true].map(|is_up| text(end(model, best, least, k, is_up)));
        println!("| {} | {} | {low} to {high} |", NAMES[k], best[k]);
    }
}

/// Prints what the tables tell about the numbers that are assumed, for each processor alone.
pub(crate) fn told(model: &Model) -> Result<(), String> {
    println!("| number | value | rms % | {} |", NAMES.join(" | "));
    println!("| --- | --- | --- |{}", " --- |".repeat(PARAMETERS));
    let mut intervals = Vec::new();
    for processor in PROCESSORS {
        for (key, values) in ASSUMED {
            let mut start = model.of_machines();
            let mut costs = Vec::new();
            for &value in values {
                let with = model.with(processor, &format!("{key}={value}"))?;
                let cost;
                (start, cost) = refit(&with, start, &Subset::All, [true; PARAMETERS]);
                let rms = rms_percent(&with, cost);
                let numbers = start.map(|n| n.to_string()).join(" | ");
                println!("| {processor} {key} | {value} | {rms:.2} | {numbers} |");
                costs.push([f64::from(value), cost]);
            }
            intervals.push(format!("| {processor} {key} | {} |", told_interval(model, &costs)));
        }
    }
    println!("\n| number | 95 % interval |\n| --- | --- |\n{}", intervals.join("\n"));
    Ok(())
}

/// Returns the text of the interval that a profile bounds, by lines between the values that were tried.
fn told_interval(model: &Model, costs: &[[f64; 2]]) -> String {
    let least = costs.iter().map(|c| c[1]).fold(f64::INFINITY, f64::min);
    let height = threshold(model, least);
    let is_in = |c: &[f64; 2]| c[1] <= height;
    let first = costs.iter().position(is_in).unwrap_or(0);
    let last = costs.iter().rposition(is_in).unwrap_or(0);
    let low = match first.checked_sub(1).and_then(|k| costs.get(k)) {
        Some(&outside) => format!("{:.0}", crossing(costs[first], outside, height)),
        None => format!("{} (least tried)", costs[first][0]),
    };
    match costs.get(last + 1) {
        Some(&outside) => format!("{low} to {:.0}", crossing(costs[last], outside, height)),
        None => format!("{low} to more than {}", costs[last][0]),
    }
}
