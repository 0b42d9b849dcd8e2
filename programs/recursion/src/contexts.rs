//! Contexts: what is left of a task when the host has made the calls of its first levels, and how their values become the value of
//! the whole.

use crate::driver::{Event, SearchLane, StackOverflow, padded};
use crate::task::{SearchContext, Task};

/// Contexts of a task at a depth, in the order in which the function would call them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HandedOver {
    /// Contexts.
    pub contexts: Vec<SearchContext>,
    /// Calls that the host made: nodes above the depth.
    pub host_calls: u64,
    /// Value of the task if all contexts returned 0: what the calls of the host add, where values are sums.
    pub sum: u32,
}

/// Makes the calls above a depth and returns those at the depth as contexts; the first call is at depth 0. Inner calls do not hang on
/// values that others returned, so a context's value counts as 0 here.
///
/// # Errors
/// The stack overflows.
pub fn hand_over<T: Task>(task: &T, depth: usize) -> Result<HandedOver, StackOverflow> {
    let mut contexts = Vec::new();
    let (sum, host_calls) = above(task, depth, &mut |context| {
        contexts.push(context);
        0
    })?;
    Ok(HandedOver { contexts, host_calls, sum })
}

/// Returns the value of a task from the values of its contexts at a depth: the calls above the depth are made again, with these values.
///
/// # Errors
/// The stack overflows.
pub fn combine<T: Task>(task: &T, depth: usize, values: &[u32]) -> Result<u32, StackOverflow> {
    let mut values = values.iter();
    let (value, _) = above(task, depth, &mut |_| values.next().copied().unwrap_or(0))?;
    Ok(value)
}

/// Runs a task; `solve` gives the value of each call at the depth. Returns the value of the task and the calls above the depth.
fn above<T: Task>(
    task: &T,
    depth: usize,
    solve: &mut dyn FnMut(SearchContext) -> u32,
) -> Result<(u32, u64), StackOverflow> {
    let count = task.fields().parameters.len();
    let mut lane = SearchLane::new(task, 0, task.deepest());
    let context = |lane: &SearchLane<'_, T>, parameters: &[u32]| SearchContext {
        parameters: parameters[..count].to_vec(),
        arrays: lane.words.arrays.clone(),
    };
    let root = padded(&task.root());
    if depth == 0 {
        return Ok((solve(context(&lane, &root)), 0));
    }
    lane.call(root)?;
    loop {
        match lane.step() {
            Event::Stays => {}
            Event::Calls(arguments) if lane.depth() < depth => lane.call(arguments)?,
            Event::Calls(arguments) => {
                let value = solve(context(&lane, &arguments));
                lane.give(value);
            }
            Event::Returns(value) if lane.depth() == 0 => return Ok((value, lane.counts.calls)),
            Event::Returns(value) => lane.give(value),
        }
    }
}
