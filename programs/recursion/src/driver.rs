//! The driver on the host: a lane with its stack, and lanes that share their depth.

use crate::contexts::Context;
use crate::task::{Frame, MOST_FIELDS, Task};
use crate::words::NativeWords;
use std::fmt;

/// Work of a lane.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Calls, the first one of each context included: nodes of the tree.
    pub calls: u64,
    /// Steps.
    pub steps: u64,
    /// Most frames that the stack had.
    pub deepest: usize,
}

/// Value that a run returned, and its work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Finished {
    /// Value that the first call returned.
    pub value: u32,
    /// Work of the run.
    pub counts: Counts,
}

/// A call found no room on the stack of a lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StackOverflow {
    /// Lane, from 0.
    pub lane: usize,
    /// Frames that the stack has room for.
    pub frames: usize,
}

impl fmt::Display for StackOverflow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { lane, frames } = self;
        write!(
            f,
            "the stack of lane {lane} overflowed: a call at depth {frames}, and there is room for {frames} frames; give the stack more"
        )
    }
}

impl std::error::Error for StackOverflow {}

/// A lane of the host: the arrays of the task and a stack of frames.
#[derive(Clone, Debug)]
pub struct Lane<'t, T> {
    task: &'t T,
    /// Arrays of the lane.
    pub words: NativeWords,
    stack: Vec<Frame<u32>>,
    /// Frames that the stack has room for.
    room: usize,
    /// Number of the lane, for errors.
    number: usize,
    /// Work so far.
    pub counts: Counts,
}

/// What a lane came to by one step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Event {
    /// It goes on in the same frame.
    Stays,
    /// It wants to call with these parameters.
    Calls([u32; MOST_FIELDS]),
    /// The call of the frame on top has ended with this value, and its frame is gone.
    Returns(u32),
}

impl<'t, T: Task> Lane<'t, T> {
    /// Makes a lane of this number with an empty stack that has room for so many frames.
    pub fn new(task: &'t T, number: usize, room: usize) -> Self {
        let arrays = task.arrays().into_iter().map(|array| array.words).collect();
        let words = NativeWords { arrays };
        Self { task, words, stack: Vec::new(), room, number, counts: Counts::default() }
    }

    /// Returns how many frames the stack has.
    pub(crate) fn depth(&self) -> usize {
        self.stack.len()
    }

    /// Calls the function with these parameters.
    pub(crate) fn call(&mut self, parameters: [u32; MOST_FIELDS]) -> Result<(), StackOverflow> {
        if self.stack.len() == self.room {
            return Err(StackOverflow { lane: self.number, frames: self.room });
        }
        self.stack.push(Frame { state: 0, returned: 0, fields: parameters });
        self.counts.calls += 1;
        self.counts.deepest = self.counts.deepest.max(self.stack.len());
        Ok(())
    }

    /// Gives the value of an inner call to the frame on top.
    pub(crate) fn give(&mut self, value: u32) {
        if let Some(frame) = self.stack.last_mut() {
            frame.returned = value;
        }
    }

    /// Does one step of the frame on top. Without a frame nothing happens.
    pub(crate) fn step(&mut self) -> Event {
        let Some(&frame) = self.stack.last() else { return Event::Stays };
        let next = self.task.step(&mut self.words, frame);
        self.counts.steps += 1;
        if next.is_done != 0 {
            self.stack.pop();
            return Event::Returns(next.value);
        }
        if let Some(top) = self.stack.last_mut() {
            *top = Frame { state: next.state, returned: frame.returned, fields: next.fields };
        }
        if next.calls == 0 { Event::Stays } else { Event::Calls(next.arguments) }
    }

    /// Calls the function with these parameters and returns its value.
    ///
    /// # Errors
    /// The stack overflows.
    pub fn solve(&mut self, parameters: &[u32]) -> Result<u32, StackOverflow> {
        self.stack.clear();
        self.call(padded(parameters))?;
        loop {
            match self.step() {
                Event::Stays => {}
                Event::Calls(arguments) => self.call(arguments)?,
                Event::Returns(value) if self.stack.is_empty() => return Ok(value),
                Event::Returns(value) => self.give(value),
            }
        }
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
pub fn run<T: Task>(task: &T, room: usize) -> Result<Finished, StackOverflow> {
    let mut lane = Lane::new(task, 0, room);
    let value = lane.solve(&task.root())?;
    Ok(Finished { value, counts: lane.counts })
}

/// Lanes that share their depth, as sections with one stack pointer: child m of every lane that has one is entered together, and the
/// other lanes idle meanwhile.
pub struct JointLanes<'t, T> {
    lanes: Vec<Lane<'t, T>>,
    /// Calls that at least one lane made, those of all lanes at a time counted once.
    pub calls: u64,
}

impl<'t, T: Task> JointLanes<'t, T> {
    /// Makes so many lanes.
    pub fn new(task: &'t T, lanes: usize) -> Self {
        let lanes = (0..lanes).map(|number| Lane::new(task, number, task.deepest())).collect();
        Self { lanes, calls: 0 }
    }

    /// Solves a context on each lane, none where there is none, and returns their values.
    ///
    /// # Errors
    /// A stack overflows.
    pub fn solve(&mut self, contexts: &[Context]) -> Result<Vec<u32>, StackOverflow> {
        let mut calls = vec![None; self.lanes.len()];
        for ((lane, call), context) in self.lanes.iter_mut().zip(&mut calls).zip(contexts) {
            lane.stack.clear();
            context.arrays.clone_into(&mut lane.words.arrays);
            *call = Some(padded(&context.parameters));
        }
        let values = self.call(&calls)?;
        Ok(values.into_iter().take(contexts.len()).flatten().collect())
    }

    /// Makes the calls of the lanes that have one, and returns their values.
    fn call(
        &mut self,
        calls: &[Option<[u32; MOST_FIELDS]>],
    ) -> Result<Vec<Option<u32>>, StackOverflow> {
        self.calls += 1;
        for (lane, call) in self.lanes.iter_mut().zip(calls) {
            call.map_or(Ok(()), |parameters| lane.call(parameters))?;
        }
        let mut works: Vec<bool> = calls.iter().map(Option::is_some).collect();
        let mut values = vec![None; calls.len()];
        while works.contains(&true) {
            let mut inner = vec![None; calls.len()];
            for (number, lane) in self.lanes.iter_mut().enumerate() {
                while works[number] && inner[number].is_none() {
                    match lane.step() {
                        Event::Stays => {}
                        Event::Calls(arguments) => inner[number] = Some(arguments),
                        Event::Returns(value) => {
                            values[number] = Some(value);
                            works[number] = false;
                        }
                    }
                }
            }
            if inner.iter().any(Option::is_some) {
                for (lane, value) in self.call(&inner)?.into_iter().enumerate() {
                    value.into_iter().for_each(|value| self.lanes[lane].give(value));
                }
            }
        }
        Ok(values)
    }
}
