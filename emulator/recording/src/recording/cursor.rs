//! A machine in a cycle of a recorded run, and what the host did to it between two checkpoints.

use crate::error::RecordingError;
use cp2_emu::machine::{Act, Action};
use cp2_emu::trace::NoObserver;
use cp2_emu::{Engine, Goal, Machine};
use cp2_isa::Cycle;
use std::sync::Arc;

/// The actions on the machine between two checkpoints.
#[derive(Clone, Debug)]
pub(crate) struct Interval {
    /// Actions of the host.
    pub(crate) acts: Arc<[Act]>,
    /// Pages of system memory that were used, in order.
    pub(super) used: Vec<u32>,
}

impl Default for Interval {
    fn default() -> Self {
        Self { acts: Arc::new([]), used: Vec::new() }
    }
}

/// Machine in a cycle of the run.
#[derive(Clone, Debug)]
pub(crate) struct RunCursor {
    pub(crate) machine: Machine,
    /// Number, in the interval, of the next action of the host.
    pub(super) next_act: usize,
}

impl RunCursor {
    /// Goes on to a cycle that is not before.
    pub(crate) fn advance_to(
        &mut self,
        cycle: Cycle,
        acts: &[Act],
        engine: &mut dyn Engine,
    ) -> Result<(), RecordingError> {
        self.go_on_to(Goal::cycle(cycle), acts, engine)
    }

    pub(super) fn go_on_to(
        &mut self,
        goal: Goal,
        acts: &[Act],
        engine: &mut dyn Engine,
    ) -> Result<(), RecordingError> {
        loop {
            while let Some(act) = acts.get(self.next_act)
                && act.cycle <= self.machine.cycle()
                && !(matches!(act.action, Action::Finish) && act.cycle >= goal.least())
            {
                self.act(act)?;
            }
            if self.machine.cycle() >= goal.least() {
                return Ok(());
            }
            let next = acts.get(self.next_act).map_or(goal.cycle, |act| act.cycle.min(goal.cycle));
            self.advance(Goal { cycle: next, ..goal }, engine)?;
        }
    }

    /// Goes on until no kernel runs, at most to a cycle, or to that in which the host ends the run.
    pub(super) fn leave_kernel(
        &mut self,
        border: Cycle,
        acts: &[Act],
        engine: &mut dyn Engine,
    ) -> Result<(), RecordingError> {
        loop {
            while let Some(act) = acts.get(self.next_act)
                && act.cycle <= self.machine.cycle()
            {
                if matches!(act.action, Action::Finish) {
                    return Ok(());
                }
                self.act(act)?;
            }
            if !self.machine.cp2.is_running() || self.machine.cycle() >= border {
                return Ok(());
            }
            let next = acts.get(self.next_act).map_or(border, |act| act.cycle.min(border));
            let other = |e| RecordingError::Diverged(next, format!("{e}"));
            engine.advance(&mut self.machine, Goal::cycle(next), &mut NoObserver).map_err(other)?;
        }
    }

    /// Goes on to the cycle of the next checkpoint, with everything that the host did before it.
    pub(crate) fn finish(
        &mut self,
        cycle: Cycle,
        acts: &[Act],
        engine: &mut dyn Engine,
    ) -> Result<(), RecordingError> {
        self.advance_to(cycle, acts, engine)?;
        while let Some(act) = acts.get(self.next_act) {
            self.act(act)?;
        }
        Ok(())
    }

    /// Does the next action of the host.
    pub(crate) fn act(&mut self, act: &Act) -> Result<(), RecordingError> {
        self.next_act += 1;
        let other = |e| RecordingError::Diverged(act.cycle, format!("{e}"));
        self.machine.act(act.action.clone()).map_err(other)
    }

    fn advance(&mut self, goal: Goal, engine: &mut dyn Engine) -> Result<(), RecordingError> {
        while self.machine.cycle() < goal.least() {
            let other = |e| RecordingError::Diverged(goal.cycle, format!("{e}"));
            engine.advance(&mut self.machine, goal, &mut NoObserver).map_err(other)?;
        }
        Ok(())
    }

    /// Returns the number of the next action of the host.
    pub(crate) fn next_act(&self) -> usize {
        self.next_act
    }
}
