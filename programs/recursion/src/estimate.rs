//! Estimates of the work of contexts that take too long to be solved. The calls that a context makes are looked at level by level as long as steps
//! are left for it; below that random ways down stand for the whole (D. E. Knuth, *Estimating the efficiency of backtrack programs*,
//! Mathematics of Computation 29, 1975): what a call does counts as often as there were ways to choose from above it.

use crate::contexts::{expand, spread};
use crate::driver::{SearchLane, StackOverflow};
use crate::random::Random;
use crate::task::{SearchContext, Task};

/// Estimated work of a context, or of contexts that lanes with a common depth take together.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SampledWork {
    /// Steps of all lanes.
    pub steps: f64,
    /// Calls, those of all lanes at a time counted once.
    pub calls: f64,
}

impl SampledWork {
    fn add(&mut self, other: Self, weight: f64) {
        self.steps += weight * other.steps;
        self.calls += weight * other.calls;
    }
}

/// Calls of lanes that are made together; of one lane a single one.
type Together = Vec<SearchContext>;

/// Seed of the random ways, so that the same task has the same estimates.
const SEED: u64 = 1975;
/// Ways down, as a number of steps, for which the calls of a call are looked at one by one.
const MANY: u64 = 32;
/// Part of the steps for first ways, by which the others are shared.
const FIRST: u64 = 2;

/// Estimates the work of contexts by about so many steps of the host; twice as many if what was taken for short is long. Each element is what lanes with a
/// common depth take together, or one context. Calls count as if they returned 0.
///
/// # Errors
/// The stack overflows.
pub fn estimated_work<T: Task>(
    task: &T,
    contexts: &[Together],
    steps: u64,
) -> Result<Vec<SampledWork>, StackOverflow> {
    let lane = SearchLane::new(task, 0, task.deepest());
    Sampler { lane, random: Random(SEED), ways: 0, way_steps: 0 }.shared(contexts, steps)
}

/// Lane of the host that looks at calls, and how long ways down were so far.
struct Sampler<'t, T> {
    lane: SearchLane<'t, T>,
    random: Random,
    ways: u64,
    way_steps: u64,
}

impl<T: Task> Sampler<'_, T> {
    fn steps(&self) -> u64 {
        self.lane.counts.steps
    }

    /// Returns the mean steps of a way down.
    fn way(&self) -> u64 {
        (self.way_steps / self.ways.max(1)).max(1)
    }

    /// Makes the steps of calls that lanes make together; returns their own work, and the calls that they make, the first ones of all lanes together and so on.
    fn expanded(
        &mut self,
        calls: &[SearchContext],
    ) -> Result<(SampledWork, Vec<Together>), StackOverflow> {
        let before = self.steps();
        let mut inner: Vec<Together> = Vec::new();
        for call in calls {
            let mut of_one = Vec::new();
            expand(&mut self.lane, call, &mut of_one, &mut |_| ())?;
            inner.resize(inner.len().max(of_one.len()), Vec::new());
            inner.iter_mut().zip(of_one).for_each(|(together, one)| together.push(one));
        }
        let own = SampledWork { steps: (self.steps() - before) as f64, calls: 1.0 };
        Ok((own, inner))
    }

    /// Returns the work that one way down stands for.
    fn one_way(&mut self, calls: &[SearchContext]) -> Result<SampledWork, StackOverflow> {
        let before = self.steps();
        let (mut all, mut inner) = self.expanded(calls)?;
        let mut weight = 1.0;
        while !inner.is_empty() {
            weight *= inner.len() as f64;
            let chosen = inner.swap_remove(self.random.below(inner.len()));
            let own;
            (own, inner) = self.expanded(&chosen)?;
            all.add(own, weight);
        }
        self.ways += 1;
        self.way_steps += self.steps() - before;
        Ok(all)
    }

    /// Returns the mean of as many ways down as so many steps make, one at least.
    fn by_ways(
        &mut self,
        calls: &[SearchContext],
        steps: u64,
    ) -> Result<SampledWork, StackOverflow> {
        let count = (steps / self.way()).max(1);
        let mut mean = SampledWork::default();
        for _ in 0..count {
            let one = self.one_way(calls)?;
            mean.add(one, 1.0 / count as f64);
        }
        Ok(mean)
    }

    /// Returns the work of calls and of all that they make; none if that takes more than so many steps.
    fn counted(
        &mut self,
        calls: &[SearchContext],
        steps: u64,
    ) -> Result<Option<SampledWork>, StackOverflow> {
        let most = self.steps() + steps;
        let (mut all, mut open) = self.expanded(calls)?;
        while let Some(next) = open.pop() {
            if self.steps() > most {
                return Ok(None);
            }
            let (own, inner) = self.expanded(&next)?;
            all.add(own, 1.0);
            open.extend(inner);
        }
        Ok(Some(all))
    }

    /// Returns the work of calls by about so many steps, if a first way has told how many there are.
    fn within(
        &mut self,
        calls: &[SearchContext],
        (first, steps): (f64, u64),
    ) -> Result<SampledWork, StackOverflow> {
        if first <= steps as f64
            && let Some(all) = self.counted(calls, steps)?
        {
            return Ok(all);
        }
        if steps < MANY * self.way() {
            return self.by_ways(calls, steps);
        }
        let before = self.steps();
        let (mut all, inner) = self.expanded(calls)?;
        let left = steps.saturating_sub(self.steps() - before);
        self.shared(&inner, left)?.into_iter().for_each(|work| all.add(work, 1.0));
        Ok(all)
    }

    /// Returns the work of each of some calls by about so many steps together, which they share by a first way down each. If these take too many steps, those
    /// without one count as the nearest call before that has one.
    fn shared(
        &mut self,
        calls: &[Together],
        steps: u64,
    ) -> Result<Vec<SampledWork>, StackOverflow> {
        let before = self.steps();
        let mut first = vec![None; calls.len()];
        for at in spread(calls.len()) {
            first[at] = Some(self.one_way(&calls[at])?);
            if self.steps() - before > steps / FIRST {
                break;
            }
        }
        let mut left = steps.saturating_sub(self.steps() - before);
        let known = || first.iter().flatten().map(|work| work.steps);
        let mean = known().sum::<f64>() / known().count().max(1) as f64;
        // A first way that is too short by chance leaves some steps all the same.
        let share = |at: usize| first[at].map(|work| (work.steps, work.steps + mean));
        let mut order: Vec<(usize, (f64, f64))> =
            (0..calls.len()).filter_map(|at| Some((at, share(at)?))).collect();
        order.sort_by(|(_, one), (_, other)| one.0.total_cmp(&other.0));
        let mut shares: f64 = order.iter().map(|(_, share)| share.1).sum();
        // What short calls leave goes to the longer ones behind them.
        let mut found = vec![None; calls.len()];
        for (at, (first, share)) in order {
            let (begin, own) = (self.steps(), (left as f64 * share / shares) as u64);
            found[at] = Some(self.within(&calls[at], (first, own))?);
            left = left.saturating_sub(self.steps() - begin);
            shares -= share;
        }
        let mut last = found.iter().flatten().next().copied().unwrap_or_default();
        let of = |work: Option<SampledWork>| {
            last = work.unwrap_or(last);
            last
        };
        Ok(found.into_iter().map(of).collect())
    }
}
