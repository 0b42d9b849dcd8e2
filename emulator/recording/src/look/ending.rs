//! How a recorded run ended: the machine at its last cycle is looked at again.

use crate::error::RecordingError;
use crate::recording::Recording;
use cp2_emu::machine::Action;
use cp2_emu::trace::NoObserver;
use cp2_emu::{Engine as _, Fault, Goal, ReferenceEngine};
use cp2_isa::Cycle;

/// End of a recorded run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RecordedEnd {
    /// No kernel runs at the end: the last one stopped with this code.
    Stopped(u64),
    /// A kernel still ran when the run was ended before this cycle: by its limit, its host, or because the recording was cut off.
    Running(Cycle),
    /// The bundle that would have issued in this cycle has no meaning.
    Fault(Cycle, Fault),
}

impl Recording {
    /// Returns how the run ended. The recording stays in its current cycle.
    ///
    /// # Errors
    /// A part of the recording is damaged.
    pub fn ending(&mut self) -> Result<RecordedEnd, RecordingError> {
        self.aside(|recording| {
            let end = *recording.cycles().end();
            let last = recording.checkpoints().len().saturating_sub(2);
            let acts = recording.acts_behind(last)?;
            let drain = u64::from(recording.core().latencies().drain);
            let finish = acts.iter().rev().find(|act| matches!(act.action, Action::Finish));
            let finish = finish.map(|act| act.cycle).filter(|at| at.saturating_add(drain) >= end);
            let cycle = finish.unwrap_or(end);
            recording.seek(cycle)?;
            let mut machine = recording.here.machine.clone();
            let goal = Goal::cycle(cycle.saturating_add(1));
            let next = ReferenceEngine.advance(&mut machine, goal, &mut NoObserver);
            Ok(match next {
                Err(fault) => RecordedEnd::Fault(cycle, fault),
                Ok(_) if recording.cp2().is_running() => RecordedEnd::Running(cycle),
                Ok(_) => RecordedEnd::Stopped(recording.state().stopcode),
            })
        })
    }
}
