//! The driver on the host: a lane with its stack.

use crate::task::{MOST_FIELDS, SearchContext, Task, TaskFrame};
use crate::words::NativeWords;
use std::fmt;

/// Work of a lane.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SearchCounts {
    /// Calls, the first one of each context included: nodes of the tree.
    pub calls: u64,
    /// Steps.
    pub steps: u64,
    /// Most frames that the stack had.
    pub deepest: usize,
}

/// Value that a run returned, and its work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SolvedTask {
    /// Value that the first call returned.
    pub value: u32,
    /// Work of the run.
    pub counts: SearchCounts,
}

/// A call found no room on the stack of a lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StackOverflow {
    /// SearchLane, from 0.
    pub lane: usize,
    /// Frames that the stack has room for.
    pub frames: usize,
}

impl fmt::Display for StackOverflow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { lane, frames } = self;
        write!(
            f,
            "the stack of lane {lane} overflowed: a call at depth {frames}, and there is room for {frames} frames; give the stack more of them"
        )
    }
}

impl std::error::Error for StackOverflow {}

/// A lane of the host: the arrays of the task and a stack of frames.
#[derive(Clone, Debug)]
pub struct SearchLane<'t, T> {
    task: &'t T,
    /// Arrays of the lane.
    pub words: NativeWords,
    /// Frames, and whether nothing is left to do in them: their last inner call was made.
    stack: Vec<(TaskFrame<u32>, bool)>,
    /// Frames that the stack has room for.
    room: usize,
    /// Number of the lane, for errors.
    number: usize,
    /// Sum of what its steps gave, of a task whose values are sums.
    sum: u32,
    /// Work so far.
    pub counts: SearchCounts,
}

/// Event to which a step of a lane leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Event {
    /// The lane goes on in the same frame.
    Stays,
    /// An inner call, with these parameters.
    Calls([u32; MOST_FIELDS]),
    /// The call of the frame on top has ended with this value, and its frame is gone.
    Returns(u32),
}

impl<'t, T: Task> SearchLane<'t, T> {
    /// Makes a lane of this number with an empty stack that has room for so many frames.
    pub fn new(task: &'t T, number: usize, room: usize) -> Self {
        let arrays = task.arrays().into_iter().map(|array| array.words).collect();
        let words = NativeWords { arrays };
        Self {
            task,
            words,
            stack: Vec::new(),
            room,
            number,
            sum: 0,
            counts: SearchCounts::default(),
        }
    }

    /// Begins anew with a context: an empty stack, and its arrays.
    pub(crate) fn begin(&mut self, context: &SearchContext) {
        self.stack.clear();
        self.sum = 0;
        context.arrays.clone_into(&mut self.words.arrays);
    }

    /// Returns how many frames the stack has.
    pub(crate) fn depth(&self) -> usize {
        self.stack.len()
    }

    /// Returns the state in which the next step is; none if nothing is left to do in the frame on top.
    pub(crate) fn next_state(&self) -> Option<u32> {
        self.stack.last().and_then(|(frame, is_over)| (!is_over).then_some(frame.state))
    }

    /// Calls the function with these parameters.
    pub(crate) fn call(&mut self, parameters: [u32; MOST_FIELDS]) -> Result<(), StackOverflow> {
        if self.stack.len() == self.room {
            return Err(StackOverflow { lane: self.number, frames: self.room });
        }
        self.stack.push((TaskFrame { state: 0, returned: 0, fields: parameters }, false));
        self.counts.calls += 1;
        self.counts.deepest = self.counts.deepest.max(self.stack.len());
        Ok(())
    }

    /// Gives the value of an inner call to the frame on top, or adds it to the sum of the lane.
    pub(crate) fn give(&mut self, value: u32) {
        if self.task.is_sum() {
            self.sum = self.sum.wrapping_add(value);
        } else if let Some((frame, _)) = self.stack.last_mut() {
            frame.returned = value;
        }
    }

    /// Does one step of the frame on top. Without a frame nothing happens. Where values are sums, a call returns 0, and the last one the
    /// sum of the lane.
    pub(crate) fn step(&mut self) -> Event {
        let Some(&(frame, is_over)) = self.stack.last() else { return Event::Stays };
        if is_over {
            return self.end(0);
        }
        let next = self.task.step(&mut self.words, frame);
        self.counts.steps += 1;
        if self.task.is_sum() {
            self.sum = self.sum.wrapping_add(next.value);
        }
        if next.is_done != 0 {
            return self.end(next.value);
        }
        if let Some(top) = self.stack.last_mut() {
            let frame =
                TaskFrame { state: next.state, returned: frame.returned, fields: next.fields };
            *top = (frame, next.is_last != 0);
        }
        if next.calls == 0 { Event::Stays } else { Event::Calls(next.arguments) }
    }

    /// Takes the frame on top away; its call returns this value if values are no sums.
    fn end(&mut self, value: u32) -> Event {
        self.stack.pop();
        Event::Returns(match (self.task.is_sum(), self.stack.is_empty()) {
            (true, true) => self.sum,
            (true, false) => 0,
            (false, _) => value,
        })
    }

    /// Solves a context from its begin and returns its value.
    ///
    /// # Errors
    /// The stack overflows.
    pub fn solve_context(&mut self, context: &SearchContext) -> Result<u32, StackOverflow> {
        self.begin(context);
        self.solve(&context.parameters)
    }

    /// Solves a context as [`Self::solve_context`] does, but for at most so many steps; returns none if they did not suffice.
    ///
    /// # Errors
    /// The stack overflows.
    pub fn solve_within(
        &mut self,
        context: &SearchContext,
        steps: u64,
    ) -> Result<Option<u32>, StackOverflow> {
        let most = self.counts.steps + steps;
        self.solve_while(context, |done| done < most)
    }

    /// Solves a context as [`Self::solve_context`] does, as long as `goes_on` says so of the steps that the lane has done; returns none if
    /// that was not long enough.
    ///
    /// # Errors
    /// The stack overflows.
    pub fn solve_while(
        &mut self,
        context: &SearchContext,
        goes_on: impl Fn(u64) -> bool,
    ) -> Result<Option<u32>, StackOverflow> {
        self.begin(context);
        self.call_while(&context.parameters, goes_on)
    }

    /// Calls the function with these parameters and returns its value.
    ///
    /// # Errors
    /// The stack overflows.
    pub fn solve(&mut self, parameters: &[u32]) -> Result<u32, StackOverflow> {
        Ok(self.call_while(parameters, |_| true)?.unwrap_or(0))
    }

    /// Calls the function with these parameters and returns its value; none if `goes_on` is false before, of the steps that the lane has done.
    fn call_while(
        &mut self,
        parameters: &[u32],
        goes_on: impl Fn(u64) -> bool,
    ) -> Result<Option<u32>, StackOverflow> {
        self.stack.clear();
        self.sum = 0;
        self.call(padded(parameters))?;
        while goes_on(self.counts.steps) {
            match self.step() {
                Event::Stays => {}
                Event::Calls(arguments) => self.call(arguments)?,
                Event::Returns(value) if self.stack.is_empty() => return Ok(Some(value)),
                Event::Returns(value) => self.give(value),
            }
        }
        Ok(None)
    }
}

/// Returns the words of a frame with these parameters.
pub(crate) fn padded(parameters: &[u32]) -> [u32; MOST_FIELDS] {
    let mut fields = [0; MOST_FIELDS];
    fields[..parameters.len()].copy_from_slice(parameters);
    fields
}

/// Runs a task whole on one lane of the host.
///
/// # Errors
/// A stack of so many frames overflows.
pub fn run<T: Task>(task: &T, room: usize) -> Result<SolvedTask, StackOverflow> {
    let mut lane = SearchLane::new(task, 0, room);
    let value = lane.solve(&task.root())?;
    Ok(SolvedTask { value, counts: lane.counts })
}
