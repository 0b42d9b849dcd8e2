//! Lanes that share their depth.

use crate::driver::{Event, SearchLane, StackOverflow, padded};
use crate::task::{MOST_FIELDS, SearchContext, Task};

/// Lanes that share their depth, as sections with one stack pointer: child m of every lane that has one is entered together, and the
/// other lanes idle meanwhile.
pub struct JointLanes<'t, T> {
    lanes: Vec<SearchLane<'t, T>>,
    /// Calls that at least one lane made, those of all lanes at a time counted once.
    pub calls: u64,
    /// Calls behind which nothing is solved any more.
    most: u64,
}

impl<'t, T: Task> JointLanes<'t, T> {
    /// Makes so many lanes.
    pub fn new(task: &'t T, lanes: usize) -> Self {
        let lanes =
            (0..lanes).map(|number| SearchLane::new(task, number, task.deepest())).collect();
        Self { lanes, calls: 0, most: u64::MAX }
    }

    /// Solves a context on each lane, none where there is none, and returns their values.
    ///
    /// # Errors
    /// A stack overflows.
    pub fn solve(&mut self, contexts: &[SearchContext]) -> Result<Vec<u32>, StackOverflow> {
        let mut calls = vec![None; self.lanes.len()];
        for ((lane, call), context) in self.lanes.iter_mut().zip(&mut calls).zip(contexts) {
            lane.begin(context);
            *call = Some(padded(&context.parameters));
        }
        let values = self.call(&calls)?;
        Ok(values.into_iter().take(contexts.len()).flatten().collect())
    }

    /// Returns the calls in which contexts, one of each lane, are solved; none if these are more than `most`.
    ///
    /// # Errors
    /// A stack overflows.
    pub fn calls_within(
        &mut self,
        contexts: &[SearchContext],
        most: u64,
    ) -> Result<Option<u64>, StackOverflow> {
        let before = self.calls;
        self.most = before + most;
        self.solve(contexts)?;
        let is_within = self.calls <= self.most;
        self.most = u64::MAX;
        Ok(is_within.then_some(self.calls - before))
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
        while works.contains(&true) && self.calls <= self.most {
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
