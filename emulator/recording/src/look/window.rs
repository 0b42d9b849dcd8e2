//! Windows: every event of some cycles, that is operations that issued, causes of cycles, beats, and actions of the host.

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

/// Record of a cycle of a window: what it was for, and what issued in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CycleRecord {
    /// Number of the cycle since reset.
    pub number: Cycle,
    /// Cause of the cycle; `None` while no kernel ran.
    pub cause: Option<Cause>,
    /// Banks of local memory that CP2 accessed.
    pub banks: Banks,
    /// Operations that issued in the cycle.
    pub operations: Vec<Event<Cycle>>,
}

/// Window of a run: every event of some cycles.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Window {
    /// Records of the cycles, in order; those of a drain that the host has begun are left out.
    pub cycles: Vec<CycleRecord>,
    /// Beats of the channel, in order. Visits are counted from the begin of the window.
    pub beats: Vec<Beat>,
    /// Visits of the descriptors that the channel was done with, in order, then the one under way.
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
    /// Lets an observer watch some cycles, whose operations count their cycles within the run of their kernel; returns what
    /// the channel and the host did in them. The recording stays in its current cycle.
    ///
    /// # Errors
    /// There are no such cycles, or what is needed is damaged.
    pub fn watch(
        &mut self,
        range: Range<Cycle>,
        observer: &mut dyn Observer,
    ) -> Result<Window, RecordingError> {
        let mut beside = WatchedFollower { observer, end: range.end, window: Window::default() };
        self.follow(range, &mut beside)?;
        Ok(beside.window)
    }

    /// Returns every event of some cycles. The recording stays in its current cycle.
    ///
    /// # Errors
    /// There are no such cycles, or what is needed is damaged.
    pub fn window(&mut self, range: Range<Cycle>) -> Result<Window, RecordingError> {
        let mut keeper = Keeper::default();
        let window = self.watch(range, &mut keeper)?;
        Ok(Window { cycles: keeper.cycles, ..window })
    }
}
