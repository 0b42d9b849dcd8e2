//! Goes through some cycles of a run one after the other, with a follower that looks at each. The reference engine runs
//! them.

use crate::error::RecordingError;
use crate::recording::{Recording, RunCursor};
use cp2_emu::machine::Act;
use cp2_emu::trace::Observer;
use cp2_emu::{Engine, Goal, Machine, ReferenceEngine};
use cp2_isa::Cycle;
use std::ops::{ControlFlow, Range};

/// A listener that is told of a run cycle by cycle: of a recorded run by [`Recording::follow`], or of one that happens
/// now. The caller of its methods advances the machine by one cycle at a time and keeps the log of the channel
/// ([`cp2_emu::dma::Dma::keep_log`]).
pub trait Follower {
    /// Called once, before the first cycle, with the machine as it is then.
    fn begin(&mut self, machine: &Machine);

    /// Called before the host does an action, between two cycles. Not called for actions before the first cycle.
    fn act(&mut self, act: &Act);

    /// Returns the observer for the next cycle, which is told of its operations and its cause.
    fn observer(&mut self) -> &mut dyn Observer;

    /// Called after each cycle, with the machine as it is then, from which the follower can take the beats and visits
    /// of the channel's log. `Break` ends the run here.
    fn cycle(&mut self, machine: &mut Machine) -> ControlFlow<()>;

    /// Called once, after the last cycle.
    fn end(&mut self, machine: &mut Machine);
}

impl RunCursor {
    /// Goes on to a cycle with an observer, or until it asks for a pause.
    pub(crate) fn watch(
        &mut self,
        cycle: Cycle,
        acts: &[Act],
        observer: &mut dyn Observer,
    ) -> Result<(), RecordingError> {
        loop {
            // Actions of the host in cycles that are passed over need no engine.
            while let Some(act) = self.due(cycle, acts) {
                self.act(act)?;
            }
            if self.machine.cycle() >= cycle {
                return Ok(());
            }
            let next = acts.get(self.next_act()).map_or(cycle, |act| act.cycle.min(cycle));
            if self.watched(next, observer)? == cp2_emu::Pause::Observer {
                return Ok(());
            }
        }
    }

    /// Returns the next action of the host, if it comes before `end`.
    fn due<'a>(&self, end: Cycle, acts: &'a [Act]) -> Option<&'a Act> {
        let due = |act: &&Act| act.cycle <= self.machine.cycle() && act.cycle < end;
        acts.get(self.next_act()).filter(due)
    }

    fn watched(
        &mut self,
        cycle: Cycle,
        observer: &mut dyn Observer,
    ) -> Result<cp2_emu::Pause, RecordingError> {
        let now = self.machine.cycle();
        let pause = ReferenceEngine.advance(&mut self.machine, Goal::cycle(cycle), observer);
        pause.map_err(|e| RecordingError::Diverged(now, e.to_string()))
    }

    /// Goes on to a cycle with a follower, or until it asks for an end.
    fn follow(
        &mut self,
        cycle: Cycle,
        acts: &[Act],
        follower: &mut dyn Follower,
    ) -> Result<ControlFlow<()>, RecordingError> {
        loop {
            while let Some(act) = self.due(cycle, acts) {
                follower.act(act);
                self.act(act)?;
            }
            if self.machine.cycle() >= cycle {
                return Ok(ControlFlow::Continue(()));
            }
            let pause = self.watched(self.machine.cycle() + 1, follower.observer())?;
            let is_over = follower.cycle(&mut self.machine).is_break();
            if is_over || pause == cp2_emu::Pause::Observer {
                return Ok(ControlFlow::Break(()));
            }
        }
    }
}

impl Recording {
    /// Simulates the cycles of a range and tells a follower of each cycle, and of what the host did before it. The
    /// recording stays in its current cycle. If the range goes beyond the end of the run, the follower is also told of
    /// actions of the host after the last cycle.
    ///
    /// # Errors
    /// The recording does not have the first cycle, a part of it is damaged, or the listener to the progress has
    /// cancelled the operation.
    pub fn follow(
        &mut self,
        range: Range<Cycle>,
        follower: &mut dyn Follower,
    ) -> Result<(), RecordingError> {
        self.aside(|recording| recording.follow_there(&range, follower))
    }

    fn follow_there(
        &mut self,
        range: &Range<Cycle>,
        follower: &mut dyn Follower,
    ) -> Result<(), RecordingError> {
        let begin = self.seek(range.start)?;
        let mut place = self.here.clone();
        place.machine.dma.keep_log();
        follower.begin(&place.machine);
        loop {
            let all = range.end.min(*self.cycles().end()).saturating_since(begin);
            self.told.tell(self.cycle().saturating_since(begin).min(all), all)?;
            let next = self.number() + 1;
            let border =
                if next < self.checkpoints().len() { self.cycle_of(next) } else { range.end };
            let is_last = next + 1 >= self.checkpoints().len();
            let until = border.min(range.end).min(*self.cycles().end());
            let acts = self.interval.acts.clone();
            let flow = place.follow(until, &acts, follower)?;
            if flow.is_break() || border >= range.end {
                break;
            }
            // What the host did just before the checkpoint.
            while let Some(act) = acts.get(place.next_act()) {
                follower.act(act);
                place.act(act)?;
            }
            if is_last {
                break;
            }
            // The channel goes on in a machine that has the pages of memory which it needs from here on.
            self.restore(next)?;
            let mut there = self.here.clone();
            there.machine.dma.move_log(&mut place.machine.dma);
            place = there;
        }
        follower.end(&mut place.machine);
        Ok(())
    }
}
