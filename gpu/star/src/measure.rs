//! Measurements on a device and, in the same call, on the processor beside it. A measurement is a JSON object: what was measured, whether
//! the results agree, and medians in seconds or microseconds, by name.

mod closures;
mod operations;
mod paths;

pub use closures::{closure, insertions};
pub use operations::{elementary, library};
pub use paths::{insertions_into_paths, static_paths};

use crate::error::StarGpuError;
use cp2_session::random::split_mix_64;
use cp2_star::graph::{Graph, GraphArc, RmatGenerator};
use std::time::Instant;

/// A measurement, or the error of the device.
pub type MeasuredLine = Result<serde_json::Value, StarGpuError>;

/// Returns the median of numbers, which it sorts; NaN if there are none. Of an even number it is the mean of the two in the middle.
pub fn median(numbers: &mut [f64]) -> f64 {
    numbers.sort_by(f64::total_cmp);
    match numbers.len() {
        0 => f64::NAN,
        n => f64::midpoint(numbers[(n - 1) / 2], numbers[n / 2]),
    }
}

/// Returns the median of the seconds of `runs` runs behind one that does not count. `prepare` comes before each run and takes no
/// time.
fn seconds<S>(
    runs: usize,
    state: &mut S,
    prepare: impl Fn(&mut S) -> Result<(), StarGpuError>,
    run: impl Fn(&mut S) -> Result<(), StarGpuError>,
) -> Result<f64, StarGpuError> {
    let mut found = Vec::new();
    for at in 0..=runs {
        prepare(state)?;
        let begin = Instant::now();
        run(state)?;
        if at > 0 {
            found.push(begin.elapsed().as_secs_f64());
        }
    }
    Ok(median(&mut found))
}

/// Returns what [`seconds`] returns, of something on the processor.
fn seconds_of_host<S>(
    runs: usize,
    state: &mut S,
    prepare: impl Fn(&mut S),
    run: impl Fn(&mut S),
) -> f64 {
    let prepare = |state: &mut S| {
        prepare(state);
        Ok(())
    };
    let run = |state: &mut S| {
        run(state);
        Ok(())
    };
    seconds(runs, state, prepare, run).unwrap_or(f64::NAN)
}

/// Returns an R-MAT graph of 2^`levels` vertices, 32 arcs drawn for each, weights 1 to 255, seed 1.
fn rmat(levels: u32) -> Graph {
    RmatGenerator { levels, degree: 32, greatest_weight: 255, seed: 1 }.generate().0
}

/// Returns a graph of arcs between random vertices, `degree` drawn for each vertex, with weights of 1.
fn random_graph(n: usize, degree: usize) -> Graph {
    let mut state = 1;
    let mut vertex = || (split_mix_64(&mut state) % n as u64) as usize + 1;
    let arcs: Vec<GraphArc> =
        (0..n * degree).map(|_| GraphArc { tail: vertex(), head: vertex(), weight: 1 }).collect();
    Graph::new(n, arcs)
}
