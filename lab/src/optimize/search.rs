//! Search for the cheapest machine: which machines were run and what is known of them; running by price.

use super::goal::TimeGoal;
use crate::inputs::LabError;
use crate::sweep::{PointOutcome, Spec, outcomes};
use cp2_session::Environment;
use cp2_session::reuse::Shelf;
use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::sync::Arc;

/// Number of machines that are run at once, for each thread.
const BATCH: usize = 4;

/// Search among the machines of a sweep, with the outcomes that are known.
pub(super) struct Search<'a> {
    pub(super) spec: &'a Spec,
    pub(super) goal: TimeGoal,
    pub(super) prices: Vec<f64>,
    pub(super) known: BTreeMap<u64, PointOutcome>,
    /// Environment in which machines are run.
    pub(super) environment: Environment,
    pub(super) shelf: Arc<Shelf>,
    pub(super) threads: NonZeroUsize,
}

impl Search<'_> {
    /// Runs the machines of `rows` that were not run yet.
    pub(super) fn run(&mut self, rows: &[u64]) -> Result<(), LabError> {
        let new: Vec<u64> =
            rows.iter().copied().filter(|row| !self.known.contains_key(row)).collect();
        let at = (&self.environment, &self.shelf);
        let found = outcomes(self.spec, &new, self.threads, at)?;
        self.known.extend(new.into_iter().zip(found));
        Ok(())
    }

    /// Returns how far a machine is from the goal: at most 1 if it reaches it, and infinite if it does not run.
    pub(super) fn share(&self, row: u64) -> f64 {
        let share = self.known.get(&row).and_then(|outcome| self.goal.share(outcome));
        share.unwrap_or(f64::INFINITY)
    }

    /// Returns the cheapest machine that reaches the goal, of equally cheap ones the fastest.
    pub(super) fn cheapest(&self) -> Option<u64> {
        let reaching = self.known.keys().copied().filter(|&row| self.share(row) <= 1.0);
        let cost = |row: u64| (self.prices[row as usize], self.share(row));
        reaching.min_by(|&a, &b| {
            let (a, b) = (cost(a), cost(b));
            a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1))
        })
    }

    pub(super) fn fastest(&self) -> Option<u64> {
        let all = self.known.keys().copied().filter(|&row| self.share(row).is_finite());
        all.min_by(|&a, &b| self.share(a).total_cmp(&self.share(b)))
    }

    /// Runs machines by price until one reaches the goal and all as cheap as it are run, and returns whether it came so
    /// far.
    pub(super) fn by_price(
        &mut self,
        order: &[u64],
        most: usize,
        progress: &dyn Fn(u64, u64),
    ) -> Result<bool, LabError> {
        for rows in order[..order.len().min(most)].chunks(BATCH * self.threads.get()) {
            let price = self.cheapest().map(|row| self.prices[row as usize]);
            if price.is_some_and(|price| self.prices[rows[0] as usize] > price) {
                return Ok(true);
            }
            self.run(rows)?;
            progress(self.known.len() as u64, most.min(order.len()) as u64);
        }
        let price = self.cheapest().map(|row| self.prices[row as usize]);
        let next = order.get(most).map(|&row| self.prices[row as usize]);
        Ok(next.is_none() || price.zip(next).is_some_and(|(price, next)| next > price))
    }
}
