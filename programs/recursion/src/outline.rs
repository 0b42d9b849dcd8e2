//! Outline of a task: how much work each call of its first levels has below it, level by level. From it follows, before anything
//! runs on lanes, how long contexts from each depth are, and what the host does above them.

use crate::contexts::{expand, spread};
use crate::driver::{SearchLane, StackOverflow};
use crate::estimate::estimated_work;
use crate::recorded::StepProgram;
use crate::task::{SearchContext, Task};
use std::collections::BTreeMap;

/// Work of a call with all calls that it makes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CallWork {
    /// Steps.
    pub steps: u64,
    /// Calls, this one included.
    pub calls: u64,
    /// Value that the call returns; 0 where it was not solved.
    pub value: u32,
}

/// Calls of one depth, in their order, and the work of the host above them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OutlineLevel {
    /// Work of each call.
    pub work: Vec<CallWork>,
    /// Whether the work is exact; else it is estimated from some of the calls.
    pub is_exact: bool,
    /// Calls above the level.
    pub calls_above: u64,
    /// Operations of the recorded steps of these calls, each step by the state that it is in.
    pub operations_above: u64,
    /// Numbers of the callers of calls among those of the level above.
    callers: Vec<usize>,
    /// Steps of each call alone, if the level below is known.
    steps: Vec<u64>,
}

/// Limits of an outline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OutlineLimits {
    /// Most calls of a level.
    pub calls: usize,
    /// Deepest level.
    pub depth: usize,
    /// Steps in which the calls of a level are solved, or else estimated.
    pub steps: u64,
}

/// Most calls of all levels together.
const MOST_CALLS: usize = 1 << 17;
/// Levels among which the steps of a task whose calls return values are shared.
const SHARES: u64 = 4;
/// Part of the steps for a first estimate, which tells whether calls can be solved within them.
const ROUGH: u64 = 8;

/// Returns the levels of a task from that of the first call on, down to where they have no call, one has too many, or the limit of
/// depth. Where values are sums the work of all levels follows from that of the calls of the last one. Else the calls of each level
/// are solved, since what they do hangs on values that calls return, and those of a level that takes too many steps count as what they call.
/// Calls of the last level that are not solved for want of steps are estimated ([`estimated_work`]).
///
/// # Errors
/// The stack overflows.
pub fn outline<T: Task>(
    task: &T,
    limits: OutlineLimits,
) -> Result<Vec<OutlineLevel>, StackOverflow> {
    let (mut levels, contexts) = expanded(task, limits)?;
    let mut left = limits.steps;
    for depth in (0..levels.len()).rev() {
        let below = levels.get(depth + 1).map(|below| of_callers(&levels[depth], below));
        let found = match below {
            Some(work) if task.is_sum() => work,
            None => of_last(task, &contexts[depth], (limits.steps, &mut left))?,
            Some(work) => {
                let most = limits.steps / SHARES;
                let own = solved(task, &contexts[depth], (most.min(left), &mut left))?;
                let own: Option<Vec<_>> = own.into_iter().collect();
                own.map_or((work.0, false), |own| (own, true))
            }
        };
        (levels[depth].work, levels[depth].is_exact) = found;
    }
    Ok(levels)
}

/// Returns levels without the work of their calls, and the contexts of each; of sums those of the last level only.
fn expanded<T: Task>(
    task: &T,
    limits: OutlineLimits,
) -> Result<(Vec<OutlineLevel>, Vec<Vec<SearchContext>>), StackOverflow> {
    let mut lane = SearchLane::new(task, 0, task.deepest());
    let arrays = lane.words.arrays.clone();
    let first = SearchContext { parameters: task.root(), arrays };
    let mut levels = vec![OutlineLevel { callers: vec![0], ..OutlineLevel::default() }];
    let (mut contexts, mut all) = (vec![vec![first]], 1);
    let mut operations = Operations { task, of: BTreeMap::new() };
    while levels.len() <= limits.depth {
        let (Some(level), Some(calls)) = (levels.last_mut(), contexts.last_mut()) else { break };
        if calls.is_empty() {
            break;
        }
        let above = [level.calls_above, level.operations_above];
        let (mut inner, mut next) = (Vec::new(), OutlineLevel::default());
        next.operations_above = above[1];
        for (number, context) in calls.iter().enumerate() {
            let before = lane.counts.steps;
            let mut count = |state: u32| next.operations_above += operations.of_state(state);
            expand(&mut lane, context, &mut inner, &mut count)?;
            level.steps.push(lane.counts.steps - before);
            next.callers.resize(inner.len(), number);
            if inner.len() > limits.calls {
                break;
            }
        }
        all += inner.len();
        if inner.len() > limits.calls || all > MOST_CALLS {
            level.steps.clear();
            break;
        }
        next.calls_above = above[0] + calls.len() as u64;
        if task.is_sum() {
            calls.clear();
        }
        levels.push(next);
        contexts.push(inner);
    }
    Ok((levels, contexts))
}

/// Operations of the recorded step of a task in each state.
struct Operations<'t, T> {
    task: &'t T,
    of: BTreeMap<u32, u64>,
}

impl<T: Task> Operations<'_, T> {
    /// Returns how many operations a step in a state has, operands apart.
    fn of_state(&mut self, state: u32) -> u64 {
        let task = self.task;
        *self.of.entry(state).or_insert_with(|| StepProgram::in_state(task, state).work())
    }
}

/// Returns the work of calls by that of those of the level below, and whether it is exact.
fn of_callers(level: &OutlineLevel, below: &OutlineLevel) -> (Vec<CallWork>, bool) {
    let own = level.steps.iter().map(|&steps| CallWork { steps, calls: 1, value: 0 });
    let mut work: Vec<CallWork> = own.collect();
    for (&caller, inner) in below.callers.iter().zip(&below.work) {
        work[caller].steps += inner.steps;
        work[caller].calls += inner.calls;
    }
    (work, below.is_exact)
}

/// Returns the work of the contexts of the last level, and whether it is exact: as many as that takes so many steps are solved, the others are estimated.
fn of_last<T: Task>(
    task: &T,
    contexts: &[SearchContext],
    (most, left): (u64, &mut u64),
) -> Result<(Vec<CallWork>, bool), StackOverflow> {
    let alone = |context: &SearchContext| vec![context.clone()];
    let all: Vec<_> = contexts.iter().map(alone).collect();
    // Where values are sums nothing but the work is asked for, so nothing is solved that cannot be whole.
    let is_short = !task.is_sum() || {
        let rough = estimated_work(task, &all, most / ROUGH)?;
        rough.iter().map(|work| work.steps).sum::<f64>() <= 1.5 * most as f64
    };
    let found = match is_short {
        true => solved(task, contexts, (most, left))?,
        false => vec![None; contexts.len()],
    };
    let is_unknown = |&(at, _): &(usize, Vec<SearchContext>)| found[at].is_none();
    let unknown: Vec<_> =
        all.into_iter().enumerate().filter(is_unknown).map(|(_, one)| one).collect();
    let is_exact = unknown.is_empty();
    let mut estimated = estimated_work(task, &unknown, most)?.into_iter().map(|work| CallWork {
        steps: work.steps.round() as u64,
        calls: work.calls.round() as u64,
        value: 0,
    });
    let of = |work: Option<CallWork>| work.or_else(|| estimated.next()).unwrap_or_default();
    Ok((found.into_iter().map(of).collect(), is_exact))
}

/// Solves contexts, in an order that is spread over all of them, for at most so many steps, which are taken from those that are left; where values are no
/// sums each may take half of what is left of them. Returns the work of each, none where one was not solved.
fn solved<T: Task>(
    task: &T,
    contexts: &[SearchContext],
    (most, left): (u64, &mut u64),
) -> Result<Vec<Option<CallWork>>, StackOverflow> {
    let mut lane = SearchLane::new(task, 0, task.deepest());
    let (mut work, mut all) = (vec![None; contexts.len()], 0);
    // Of sums the whole is known to take about as many steps.
    let part = if task.is_sum() { 1 } else { 2 };
    for at in spread(contexts.len()) {
        let before = lane.counts;
        let value = lane.solve_within(&contexts[at], (most - all) / part)?;
        let steps = lane.counts.steps - before.steps;
        all = (all + steps).min(most);
        let calls = lane.counts.calls - before.calls;
        work[at] = value.map(|value| CallWork { steps, calls, value });
        if all == most {
            break;
        }
    }
    *left = left.saturating_sub(all);
    Ok(work)
}
