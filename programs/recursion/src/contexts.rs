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
    let all = hand_over_within(task, depth, u64::MAX)?;
    Ok(all.unwrap_or(HandedOver { contexts: Vec::new(), host_calls: 0, sum: 0 }))
}

/// Makes contexts as [`hand_over`] does, if there are no more calls above the depth and contexts together than `most`; else none.
///
/// # Errors
/// The stack overflows.
pub fn hand_over_within<T: Task>(
    task: &T,
    depth: usize,
    most: u64,
) -> Result<Option<HandedOver>, StackOverflow> {
    let mut contexts = Vec::new();
    let found = above(task, depth, most, &mut |context| {
        contexts.push(context);
        0
    })?;
    Ok(found.map(|(sum, host_calls)| HandedOver { contexts, host_calls, sum }))
}

/// Returns the value of a task from the values of its contexts at a depth: the calls above the depth are made again, with these values.
///
/// # Errors
/// The stack overflows.
pub fn combine<T: Task>(task: &T, depth: usize, values: &[u32]) -> Result<u32, StackOverflow> {
    let mut values = values.iter();
    let found = above(task, depth, u64::MAX, &mut |_| values.next().copied().unwrap_or(0))?;
    Ok(found.map_or(0, |(value, _)| value))
}

/// Runs a task; `solve` gives the value of each call at the depth. Returns the value of the task and the calls above the
/// depth; none if there are more of these and of calls at the depth together than `most`.
fn above<T: Task>(
    task: &T,
    depth: usize,
    most: u64,
    solve: &mut dyn FnMut(SearchContext) -> u32,
) -> Result<Option<(u32, u64)>, StackOverflow> {
    let count = task.fields().parameters.len();
    let mut lane = SearchLane::new(task, 0, task.deepest());
    let context = |lane: &SearchLane<'_, T>, parameters: &[u32]| SearchContext {
        parameters: parameters[..count].to_vec(),
        arrays: lane.words.arrays.clone(),
    };
    let root = padded(&task.root());
    if depth == 0 {
        return Ok(Some((solve(context(&lane, &root)), 0)));
    }
    lane.call(root)?;
    let mut solved = 0;
    while lane.counts.calls + solved <= most {
        match lane.step() {
            Event::Stays => {}
            Event::Calls(arguments) if lane.depth() < depth => lane.call(arguments)?,
            Event::Calls(arguments) => {
                let value = solve(context(&lane, &arguments));
                lane.give(value);
                solved += 1;
            }
            Event::Returns(value) if lane.depth() == 0 => {
                return Ok(Some((value, lane.counts.calls)));
            }
            Event::Returns(value) => lane.give(value),
        }
    }
    Ok(None)
}

/// Makes the steps of the frame of a call, and adds the calls that it makes, which count as if they returned 0.
pub(crate) fn expand<T: Task>(
    lane: &mut SearchLane<'_, T>,
    context: &SearchContext,
    inner: &mut Vec<SearchContext>,
    count: &mut dyn FnMut(u32),
) -> Result<(), StackOverflow> {
    let parameters = context.parameters.len();
    lane.begin(context);
    lane.call(padded(&context.parameters))?;
    loop {
        if let Some(state) = lane.next_state() {
            count(state);
        }
        match lane.step() {
            Event::Stays => {}
            Event::Calls(arguments) => {
                inner.push(SearchContext {
                    parameters: arguments[..parameters].to_vec(),
                    arrays: lane.words.arrays.clone(),
                });
                lane.give(0);
            }
            Event::Returns(_) => return Ok(()),
        }
    }
}

/// Returns the numbers below one, each once, in an order whose begin is spread over all.
pub fn spread(count: usize) -> impl Iterator<Item = usize> {
    let bits = count.next_power_of_two().trailing_zeros();
    let turned = move |at: usize| at.reverse_bits().checked_shr(usize::BITS - bits).unwrap_or(0);
    (0..count.next_power_of_two()).map(turned).filter(move |&at| at < count)
}
