//! Least squares by pattern search: along each number in turn as long as it helps, then with half the
//! steps. The model has kinks, so it has no derivative to go by, and it is cheap.

use super::model::{Model, PARAMETERS, Point, START, Subset};

/// The point with the least cost from `start` on, and its cost; numbers of `fixed` stay.
pub(crate) fn minimise(
    start: Point,
    steps: Point,
    fixed: &[usize],
    cost: &dyn Fn(Point) -> f64,
) -> (Point, f64) {
    let (mut best, mut least) = (start, cost(start));
    let mut steps = steps;
    // To 2 cycles a call, 16 a page and 1/50 cycle a product.
    while steps[0] >= 2 {
        let mut has_moved = false;
        for k in (0..PARAMETERS).filter(|k| !fixed.contains(k)) {
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

/// The fit to a subset, from what was assumed before.
pub(crate) fn fit(model: &Model, subset: &Subset) -> (Point, f64) {
    minimise(START, [64, 512, 64, 512, 64], &[], &|p| model.cost(p, subset))
}

/// The same from a point nearby.
pub(crate) fn near(model: &Model, subset: &Subset, start: Point) -> (Point, f64) {
    minimise(start, [16, 128, 16, 128, 16], &[], &|p| model.cost(p, subset))
}
