//! Goes through some cycles of a run, one after the other, with a follower that looks at each. The reference engine runs
//! them.

use crate::error::RecordingError;
use crate::recording::{Recording, RunCursor};
use cp2_emu::machine::Act;
use cp2_emu::trace::Observer;
use cp2_emu::{Engine, Goal, Machine, ReferenceEngine};
use cp2_isa::Cycle;
use std::ops::{ControlFlow, Range};

/// Companion of a run, cycle by cycle: of a recording, or of a run that happens now. The caller that runs it keeps the log of
/// the channel ([`cp2_emu::dma::Dma::keep_log`]), and advances by one cycle at a time.
pub trait Follower {
    /// Notes that the first cycle comes next.
    fn begin(&mut self, machine: &Machine);

    /// Notes that the host does something before the cycle that comes next. Actions before the first cycle are not told.
    fn act(&mut self, act: &Act);

    /// Returns the observer of the operations that issue in a cycle, and of its cause.
    fn observer(&mut self) -> &mut dyn Observer;

    /// Notes that the cycle is over that the observer was told of: what the channel did can be taken. A break ends the way
    /// here.
    fn cycle(&mut self, machine: &mut Machine) -> ControlFlow<()>;

    /// Notes that the way is over.
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
        pause.map_err(|e| RecordingError::OtherWay(now, e.to_string()))
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
    /// Goes through some cycles with a follower. The recording stays in its current cycle. Actions of the host in the cycle
    /// behind the last of the run are told if the range goes beyond.
    ///
    /// # Errors
    /// There are no such cycles, or what is needed is damaged.
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
