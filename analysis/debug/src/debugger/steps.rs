//! Steps in both directions: bundles, operations, turns of hardware loops. Breakpoints in between stop them.

use super::{Debugger, RunStop, StepUnit, StopReason, TimeDirection, has_operation, issues};
use crate::error::DebugError;
use cp2_analysis::history::SegmentCycle;
use cp2_isa::Cycle;
use cp2_isa::rules::flow::ActiveLoop;

impl Debugger {
    /// Goes to the begin or the end of the run.
    pub(super) fn stop_at_end(&mut self, direction: TimeDirection) -> Result<RunStop, DebugError> {
        let [begin, _] = self.ends();
        let (cycle, reason) = match direction {
            TimeDirection::Forward => self.end_ahead()?,
            TimeDirection::Back => (begin, StopReason::Begin),
        };
        self.run.recording.seek(cycle)?;
        self.stop(reason)
    }

    /// Returns the innermost active hardware loop.
    ///
    /// # Errors
    /// None is active.
    pub(crate) fn active_loop(&self) -> Result<ActiveLoop, DebugError> {
        self.state()
            .loops
            .last()
            .copied()
            .ok_or_else(|| DebugError::refused("no hardware loop is active here; step by bundles"))
    }

    /// Takes a step.
    ///
    /// # Errors
    /// No hardware loop is active where a turn of one is asked for, or the recording is damaged.
    pub fn step(
        &mut self,
        unit: StepUnit,
        direction: TimeDirection,
    ) -> Result<RunStop, DebugError> {
        self.steps(unit, direction, 1)
    }

    /// Takes steps: as many as are asked for, fewer if a breakpoint, the end of the loop or that of the run comes before.
    ///
    /// # Errors
    /// No hardware loop is active where a turn of one is asked for, the recording is damaged, or the search was ended; then the run
    /// stands where it did.
    pub fn steps(
        &mut self,
        unit: StepUnit,
        direction: TimeDirection,
        count: u64,
    ) -> Result<RunStop, DebugError> {
        let here = self.cycle();
        let stop = self.steps_to_stop(unit, direction, count);
        if stop.is_err() {
            self.run.recording.seek(here)?;
        }
        stop
    }

    fn steps_to_stop(
        &mut self,
        unit: StepUnit,
        direction: TimeDirection,
        count: u64,
    ) -> Result<RunStop, DebugError> {
        let here = self.cycle();
        let target = match unit {
            StepUnit::Bundle => self.step_bundles(direction, count, &issues)?,
            StepUnit::Operation => {
                self.step_bundles(direction, count, &|cycle| has_operation(cycle.cause))?
            }
            StepUnit::Iteration => self.step_turns(direction, count)?,
        };
        match self.nearest(here, direction, target.place.cycle)? {
            Some(found) => self.stop_at(found, direction),
            None => Ok(target),
        }
    }

    /// Goes on by so many bundles that are wanted.
    fn step_bundles(
        &mut self,
        direction: TimeDirection,
        count: u64,
        is_wanted: &dyn Fn(&SegmentCycle) -> bool,
    ) -> Result<RunStop, DebugError> {
        let mut at = self.cycle();
        for _ in 0..count {
            match self.scan(at, direction, is_wanted)? {
                Some(cycle) => at = cycle,
                None => return self.stop_at_end(direction),
            }
        }
        self.go_to(at)
    }

    /// Goes on by so many turns of the innermost loop, or until none is active.
    fn step_turns(&mut self, direction: TimeDirection, count: u64) -> Result<RunStop, DebugError> {
        let mut stop = self.step_turn(direction)?;
        for _ in 1..count {
            if stop.reason != StopReason::Step || self.state().loops.is_empty() {
                break;
            }
            stop = self.step_turn(direction)?;
        }
        Ok(stop)
    }

    /// Goes to the first bundle of the innermost loop's body, or out of the loop. What the body calls belongs to its turn.
    fn step_turn(&mut self, direction: TimeDirection) -> Result<RunStop, DebugError> {
        let active = self.active_loop()?;
        let depth = self.state().loops.len();
        // The body ends one bundle behind `end`.
        let body = active.start.0..=active.end.0 + 1;
        let is_begin = |cycle: &SegmentCycle| cycle.address == Some(active.start);
        let is_within = |cycle: &SegmentCycle| cycle.address.is_some_and(|at| body.contains(&at.0));
        let is_wanted =
            |cycle: &SegmentCycle| issues(cycle) && (is_begin(cycle) || !is_within(cycle));
        while let Some(cycle) = self.scan(self.cycle(), direction, &is_wanted)? {
            let stop = self.go_to(cycle)?;
            let same = self.state().loops.get(depth - 1);
            let is_active = same.is_some_and(|of| (of.start, of.end) == (active.start, active.end));
            if !is_active || stop.place.address == Some(active.start) {
                return Ok(stop);
            }
            // A routine that the body calls: on to where it comes back to the body.
            let Some(cycle) = self.scan(self.cycle(), direction, &is_within)? else { break };
            let stop = self.go_to(cycle)?;
            if stop.place.address == Some(active.start) {
                return Ok(stop);
            }
        }
        self.stop_at_end(direction)
    }

    /// Returns the next cycle in a direction, from another one on, that is wanted.
    fn scan(
        &mut self,
        from: Cycle,
        direction: TimeDirection,
        is_wanted: &dyn Fn(&SegmentCycle) -> bool,
    ) -> Result<Option<Cycle>, DebugError> {
        let [begin, end] = self.ends();
        let mut at = from;
        loop {
            at = match direction {
                TimeDirection::Forward if at + 1 < end => at + 1,
                TimeDirection::Back if at > begin => at - 1,
                _ => return Ok(None),
            };
            let found = self.history.cycle(&mut self.run.recording, at)?;
            if found.as_ref().is_some_and(is_wanted) {
                return Ok(Some(at));
            }
        }
    }
}
