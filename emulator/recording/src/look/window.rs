//! Windows: every event of some cycles, that is operations that issued, causes of cycles, beats of the channel, and
//! actions of the host.

use crate::error::RecordingError;
use crate::look::follow::Follower;
use crate::recording::Recording;
use cp2_emu::Machine;
use cp2_emu::dma::{Beat, Visit};
use cp2_emu::machine::Act;
use cp2_emu::stats::Cause;
use cp2_emu::trace::{Event, Observer, PastCycle, Wants};
use cp2_isa::{Banks, Cycle};
use std::ops::{ControlFlow, Range};

/// A cycle of a [`Window`]: its cause, the banks of local memory that were accessed, and the operations that issued in
/// it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CycleRecord {
    /// Number of the cycle, counted from reset.
    pub number: Cycle,
    /// Cause of the cycle; `None` while no kernel ran.
    pub cause: Option<Cause>,
    /// Banks of local memory that the bundle of the cycle accessed.
    pub banks: Banks,
    /// Operations that issued in the cycle, with their cycles counted from reset; the arithmetic one first.
    pub operations: Vec<Event<Cycle>>,
}

/// Some cycles of a recorded run, one by one, with every event in them: operations, beats and descriptors of the
/// channel, and actions of the host. [`Recording::window`] makes it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Window {
    /// The cycles in order. Those of a drain after a run that the host has ended are left out.
    pub cycles: Vec<CycleRecord>,
    /// Beats that the channel moved, in the order of time. Their visits are counted from the begin of the window.
    pub beats: Vec<Beat>,
    /// Visits of the channel to descriptors in the window, in the order of time; the last one may not have ended.
    pub visits: Vec<Visit>,
    /// Actions of the host in the window, in order.
    pub acts: Vec<Act>,
}

/// Observer that keeps what it is told.
#[derive(Debug, Default)]
struct Keeper {
    operations: Vec<Event>,
    cycles: Vec<CycleRecord>,
}

impl Observer for Keeper {
    fn wants(&self) -> Wants {
        Wants::all()
    }

    fn operation(&mut self, event: &Event) {
        self.operations.push(event.clone());
    }

    fn cycle(
        &mut self,
        &PastCycle { number, cause, banks, .. }: &PastCycle<'_>,
    ) -> ControlFlow<()> {
        let operations = std::mem::take(&mut self.operations);
        let operations = operations.into_iter().map(|event| event.since_reset(number)).collect();
        self.cycles.push(CycleRecord { number, cause, banks, operations });
        ControlFlow::Continue(())
    }
}

/// Follower that lets an observer watch, and keeps what the channel and the host did beside.
struct WatchedFollower<'a> {
    observer: &'a mut dyn Observer,
    end: Cycle,
    window: Window,
}

impl Follower for WatchedFollower<'_> {
    fn begin(&mut self, _: &Machine) {}

    fn act(&mut self, act: &Act) {
        self.window.acts.push(act.clone());
    }

    fn observer(&mut self) -> &mut dyn Observer {
        self.observer
    }

    fn cycle(&mut self, _: &mut Machine) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    fn end(&mut self, machine: &mut Machine) {
        let Self { window, end, .. } = self;
        window.beats = machine.dma.take_beats();
        // A drain that began in the window is one step.
        window.beats.retain(|beat| beat.cycle < *end);
        window.visits = machine.dma.take_visits();
        window.visits.extend(machine.dma.visit().cloned());
    }
}

impl Recording {
    /// Simulates the cycles of a range with an observer, and returns the beats and descriptor visits of the channel and
    /// the actions of the host in them, with `cycles` empty. The observer gets operations with cycles counted from the
    /// begin of the run of their kernel. The recording stays in its current cycle.
    ///
    /// # Errors
    /// The recording does not have the first cycle, a part of it is damaged, or the listener to the progress has
    /// cancelled the operation.
    pub fn watch(
        &mut self,
        range: Range<Cycle>,
        observer: &mut dyn Observer,
    ) -> Result<Window, RecordingError> {
        let mut beside = WatchedFollower { observer, end: range.end, window: Window::default() };
        self.follow(range, &mut beside)?;
        Ok(beside.window)
    }

    /// Returns every event of the cycles of a range, which are simulated again: operations that issued, beats and
    /// descriptor visits of the channel, and actions of the host. The recording stays in its current cycle.
    ///
    /// # Errors
    /// The recording does not have the first cycle, a part of it is damaged, or the listener to the progress has
    /// cancelled the operation.
    pub fn window(&mut self, range: Range<Cycle>) -> Result<Window, RecordingError> {
        let mut keeper = Keeper::default();
        let window = self.watch(range, &mut keeper)?;
        Ok(Window { cycles: keeper.cycles, ..window })
    }
}
