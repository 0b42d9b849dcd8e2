//! Simulated annealing over the machines of a sweep, by crate `argmin`: where there are more machines than may be run.
//! The generator is seeded, so that the same search finds the same.

use super::search::Search;
use crate::inputs::LabError;
use crate::sweep::Sample;
use argmin::core::{CostFunction, Error, Executor};
use argmin::solver::simulatedannealing::{Anneal, SATempFunc, SimulatedAnnealing};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::SeedableRng as _;
use std::cell::RefCell;

/// Seed of the two generators: one chooses the moves, the other what is accepted.
const SEED: u64 = 1;
/// Steps of the search for each run that is left: many lead to machines that are known.
const STEPS: u64 = 20;

/// Search in the form that `argmin` wants; the runs of machines are kept in it.
struct Walk<'a, 'b> {
    search: RefCell<&'a mut Search<'b>>,
    random: RefCell<fastrand::Rng>,
    most_runs: u64,
    /// Price that is higher than that of any machine.
    dear: f64,
    progress: &'a dyn Fn(u64, u64),
}

impl CostFunction for Walk<'_, '_> {
    type Param = u64;
    type Output = f64;

    /// Returns the price of a machine; if it misses the goal, more than any price, and the more the farther it is from
    /// the goal.
    fn cost(&self, row: &u64) -> Result<f64, Error> {
        let mut search = self.search.borrow_mut();
        let runs = search.known.len() as u64;
        if runs < self.most_runs {
            search.run(&[*row])?;
            (self.progress)(runs, self.most_runs);
        }
        let (share, price) = (search.share(*row), search.prices[*row as usize]);
        Ok(if share <= 1.0 { price } else { self.dear * share })
    }
}

impl Anneal for Walk<'_, '_> {
    type Param = u64;
    type Output = u64;
    type Float = f64;

    /// Returns a machine beside this one: another value of one axis, next to its own as a rule. Samples have no order.
    fn anneal(&self, row: &u64, _: f64) -> Result<u64, Error> {
        let (search, mut random) = (self.search.borrow(), self.random.borrow_mut());
        let (axes, count) = (&search.spec.axes, search.prices.len() as u64);
        if search.spec.sample != Sample::Grid {
            return Ok(random.u64(..count));
        }
        let varied: Vec<usize> = (0..axes.len()).filter(|&k| axes[k].count() > 1).collect();
        let Some(&chosen) = random.choice(&varied) else { return Ok(*row) };
        let stride: u64 = axes[chosen + 1..].iter().map(|axis| axis.count()).product();
        let n = axes[chosen].count();
        let value = row / stride % n;
        let other = match random.u8(..4) {
            0 => random.u64(..n),
            1 => value.saturating_sub(1),
            _ if value > 0 && random.bool() => value - 1,
            _ => (value + 1).min(n - 1),
        };
        Ok(row - value * stride + other * stride)
    }
}

/// Goes on from the cheapest machine that reaches the goal, else from the fastest, until `most_runs` machines were run.
pub(super) fn search(
    search: &mut Search<'_>,
    most_runs: u64,
    progress: &dyn Fn(u64, u64),
) -> Result<(), LabError> {
    let dearest = (0..search.prices.len() as u64)
        .max_by(|&a, &b| search.prices[a as usize].total_cmp(&search.prices[b as usize]));
    let Some(dearest) = dearest else { return Ok(()) };
    if search.known.len() as u64 >= most_runs {
        return Ok(());
    }
    search.run(&[dearest])?;
    let begin = search.cheapest().or_else(|| search.fastest()).unwrap_or(dearest);
    let dear = search.prices[dearest as usize].max(1.0) * 2.0;
    let left = most_runs.saturating_sub(search.known.len() as u64);
    let failed = |e: Error| LabError::new(e.to_string());
    let random = RefCell::new(fastrand::Rng::with_seed(SEED));
    let walk = Walk { search: RefCell::new(search), random, most_runs, dear, progress };
    let accepted = Xoshiro256PlusPlus::seed_from_u64(SEED);
    let solver = SimulatedAnnealing::new_with_rng(dear / 20.0, accepted).map_err(failed)?;
    let solver = solver.with_temp_func(SATempFunc::Boltzmann).with_reannealing_best(left / 4 + 10);
    let run = Executor::new(walk, solver)
        .configure(|state| state.param(begin).max_iters(left * STEPS))
        .run();
    run.map(drop).map_err(failed)
}
