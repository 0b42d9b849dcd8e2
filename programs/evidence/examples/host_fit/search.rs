//! Least squares by pattern search: along each number in turn as long as it helps, then with half the
//! steps. The model has kinks, so it has no derivative to go by, and it is cheap. Where many fits lie near
//! to each other, by Gauss and Newton with slopes over wide steps.

use super::model::{Model, PARAMETERS, Point, START, Subset};

/// Searches for the point with the least cost from `start` on; returns the point and its cost.
fn minimise(start: Point, steps: Point, cost: &dyn Fn(Point) -> f64) -> (Point, f64) {
    let (mut best, mut least) = (start, cost(start));
    let mut steps = steps;
    // To 2 cycles a call, 16 a page and 1/50 cycle a product.
    while steps[0] >= 2 {
        let mut has_moved = false;
        for k in 0..PARAMETERS {
            for is_up in [true, false] {
                loop {
                    let mut point = best;
                    point[k] =
                        if is_up { best[k] + steps[k] } else { best[k].saturating_sub(steps[k]) };
                    let found = if point == best { f64::INFINITY } else { cost(point) };
                    if found >= least {
                        break;
                    }
                    (best, least, has_moved) = (point, found, true);
                }
            }
        }
        if !has_moved {
            steps = steps.map(|s| s / 2);
        }
    }
    (best, least)
}

/// Fits the model to a subset, from what was assumed before; returns the point and its cost.
pub(crate) fn fit(model: &Model, subset: &Subset) -> (Point, f64) {
    minimise(START, [64, 512, 64, 512, 64], &|p| model.cost(p, subset))
}

/// Returns the fit to a subset, from the numbers of the machine files, which is faster than [`fit`].
pub(crate) fn near(model: &Model, subset: &Subset) -> (Point, f64) {
    minimise(model.of_machines(), [16, 128, 16, 128, 16], &|p| model.cost(p, subset))
}

/// Steps of the parameters for slopes, so wide that the kinks of the model count.
pub(crate) const WIDE: Point = [16, 128, 16, 128, 16];

/// Returns the slopes with which all residuals grow with parameter `k`.
pub(crate) fn slopes(model: &Model, at: Point, k: usize) -> Vec<f64> {
    let with = |value| {
        let mut point = at;
        point[k] = value;
        model.residuals(point)
    };
    let [low, high] = [at[k].saturating_sub(WIDE[k]), at[k] + WIDE[k]];
    let width = f64::from(high - low);
    with(high).iter().zip(with(low)).map(|(h, l)| (h - l) / width).collect()
}

/// Returns the step to the least squares of the linearised model along the parameters that are free. A parameter that stands
/// at 0 and would fall is held there.
fn step(
    model: &Model,
    at: Point,
    subset: &Subset,
    free: [bool; PARAMETERS],
) -> Option<[f64; PARAMETERS]> {
    let rows: Vec<bool> = model.entries.iter().map(|entry| subset.has(entry)).collect();
    let product = |a: &[f64], b: &[f64]| -> f64 {
        a.iter().zip(b).zip(&rows).filter(|(_, is_in)| **is_in).map(|((x, y), _)| x * y).sum()
    };
    let residuals = model.residuals(at);
    let slopes: [Vec<f64>; PARAMETERS] =
        std::array::from_fn(|k| if free[k] { slopes(model, at, k) } else { vec![0.0; rows.len()] });
    let mut free = free;
    loop {
        let normal: Matrix = std::array::from_fn(|i| {
            std::array::from_fn(|j| match (i == j, free[i] && free[j]) {
                (_, true) => product(&slopes[i], &slopes[j]),
                (is_equal, false) => f64::from(u8::from(is_equal)),
            })
        });
        let inverse = inverse(normal)?;
        let gradient: [f64; PARAMETERS] =
            std::array::from_fn(|k| if free[k] { product(&slopes[k], &residuals) } else { 0.0 });
        let step: [f64; PARAMETERS] = inverse.map(|row| -product_of(&row, &gradient));
        let Some(k) = (0..PARAMETERS).find(|&k| free[k] && at[k] == 0 && step[k] < 0.0) else {
            return Some(step);
        };
        free[k] = false;
    }
}

fn product_of(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

/// Fits the numbers that are `free` from `start` on, by Gauss and Newton; returns the point and its cost.
pub(crate) fn refit(
    model: &Model,
    start: Point,
    subset: &Subset,
    free: [bool; PARAMETERS],
) -> (Point, f64) {
    const ROUNDS: usize = 8;
    let (mut best, mut least) = (start, model.cost(start, subset));
    for _ in 0..ROUNDS {
        let Some(step) = step(model, best, subset, free) else { break };
        let tries = [1.0, 0.5, 0.25, 0.125].map(|share| {
            let moved = |k: usize| (f64::from(best[k]) + share * step[k]).round().max(0.0) as u32;
            std::array::from_fn(moved)
        });
        let before = least;
        for point in tries {
            let cost = model.cost(point, subset);
            if cost < least {
                (best, least) = (point, cost);
                break;
            }
        }
        if before - least < 1e-4 * before {
            break;
        }
    }
    (best, least)
}

type Matrix = [[f64; PARAMETERS]; PARAMETERS];

/// Returns the inverse of a positive definite matrix, by elimination; none if the matrix is singular.
pub(crate) fn inverse(matrix: Matrix) -> Option<Matrix> {
    let mut left = matrix;
    let mut right: Matrix =
        std::array::from_fn(|i| std::array::from_fn(|j| if i == j { 1.0 } else { 0.0 }));
    for k in 0..PARAMETERS {
        let pivot = left[k][k];
        if pivot <= 0.0 {
            return None;
        }
        for rows in [&mut left, &mut right] {
            rows[k].iter_mut().for_each(|x| *x /= pivot);
        }
        for i in (0..PARAMETERS).filter(|&i| i != k) {
            let factor = left[i][k];
            for rows in [&mut left, &mut right] {
                let row = rows[k];
                rows[i].iter_mut().zip(row).for_each(|(x, y)| *x -= factor * y);
            }
        }
    }
    Some(right)
}
