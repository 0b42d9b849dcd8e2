//! Pictures of the study.

use crate::tables::{CLASSES, COUNTS};
use crate::{Rows, USUAL};
use cp2_lab::picture::{Chart, Curve, CurveForm, PictureAxis, Shade};
use std::error::Error;

fn axis(label: &str, is_log: bool) -> PictureAxis {
    PictureAxis { label: label.to_owned(), is_log }
}

fn curve(name: &str, shade: usize, points: Vec<(f64, f64)>) -> Curve {
    Curve { name: name.to_owned(), points, shade: Shade::Series(shade), form: CurveForm::Strong }
}

/// Returns the straight line of as many times the rate as processors.
fn ideal() -> Curve {
    let points = vec![(1.0, 1.0), (64.0, 64.0)];
    let name = "as many times as processors".to_owned();
    Curve { name, points, shade: Shade::Pale, form: CurveForm::Bound }
}

fn speedups(rows: &Rows, topology: &str, class: &str) -> Vec<(f64, f64)> {
    let of = |&processors: &usize| {
        let row = rows.get(topology, class, processors, Some(USUAL))?;
        Some((processors as f64, rows.speedup(row)?))
    };
    COUNTS.iter().filter_map(of).collect()
}

/// Returns a picture by its name.
pub(crate) fn svg(rows: &Rows, name: &str) -> Result<String, Box<dyn Error>> {
    let chart = match name {
        "scaling" => {
            let of = |(k, (class, _)): (usize, &(&str, usize))| {
                curve(&format!("class {class}"), k, speedups(rows, "vm9-torus", class))
            };
            let curves = CLASSES.iter().enumerate().map(of).chain([ideal()]).collect();
            chart(
                "Speed-up of MG on VM9, torus, 1 us",
                [axis("processors", true), axis("times as fast as one", true)],
                curves,
            )
        }
        "scaling-vm7" => {
            let of = |(k, (name, topology, class)): (usize, (&str, &str, &str))| {
                curve(name, k, speedups(rows, topology, class))
            };
            let both = [
                ("VM9, class W", "vm9-torus", "W"),
                ("VM7, class W", "vm7-torus", "W"),
                ("VM9, class B", "vm9-torus", "B"),
                ("VM7, class B", "vm7-torus", "B"),
            ];
            let curves = both.into_iter().enumerate().map(of).chain([ideal()]).collect();
            chart(
                "Speed-up of MG on VM7 beside VM9, torus, 1 us",
                [axis("processors", true), axis("times as fast as one", true)],
                curves,
            )
        }
        "scaling-latency" => {
            let of = |(k, (class, _)): (usize, &(&str, usize))| {
                let eight = rows.of("vm9-torus", class).filter(|row| row.processors == 8);
                let points = eight.filter_map(|row| Some((row.latency_us?, rows.speedup(row)?)));
                curve(&format!("class {class}"), k, points.collect())
            };
            chart(
                "Speed-up of MG on 8 VM9 by the latency of links",
                [axis("latency in us", true), axis("times as fast as one", false)],
                CLASSES.iter().enumerate().map(of).collect(),
            )
        }
        _ => return Err("the pictures are scaling, scaling-vm7 and scaling-latency".into()),
    };
    Ok(chart.svg()?)
}

fn chart(title: &str, axes: [PictureAxis; 2], curves: Vec<Curve>) -> Chart {
    Chart { title: title.to_owned(), axes, keys: Vec::new(), curves, marks: Vec::new() }
}
