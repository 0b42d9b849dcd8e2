//! Every event of some cycles, kept: what issued, what each cycle was for, beats, and what the host did.

use crate::error::RecordingError;
use crate::follow::Follower;
use crate::recording::Recording;
use cp2_emu::Machine;
use cp2_emu::dma::{Beat, Visit};
use cp2_emu::machine::Act;
use cp2_emu::stats::Cause;
use cp2_emu::trace::{Event, Observer, PastCycle, Wants};
use cp2_isa::{Bank, Cycle};
use std::ops::{ControlFlow, Range};

/// A cycle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CycleRecord {
    /// Its number since reset.
    pub number: Cycle,
    /// What it was for; `None` while no kernel ran.
    pub cause: Option<Cause>,
    /// The bank of local memory that CP2 accessed.
    pub bank: Option<Bank>,
    /// What issued in it; the cycles of these count from reset too.
    pub operations: Vec<Event>,
}

/// Some cycles of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Window {
    /// The cycles, in order; those of a drain that the host has begun are left out.
    pub cycles: Vec<CycleRecord>,
    /// Beats of the channel, in order. Visits are counted from the begin of the window.
    pub beats: Vec<Beat>,
    /// Descriptors that the channel was done with, in order, then the one under way.
    pub visits: Vec<Visit>,
    /// What the host did.
    pub acts: Vec<Act>,
}

/// Keeps what it is told.
#[derive(Debug, Default)]
struct Keeper {
    operations: Vec<Event>,
    window: Window,
}

impl Observer for Keeper {
    fn wants(&self) -> Wants {
        Wants::all()
    }

    fn operation(&mut self, event: &Event) {
        self.operations.push(event.clone());
    }

    fn cycle(&mut self, &PastCycle { number, cause, bank, .. }: &PastCycle<'_>) -> ControlFlow<()> {
        let operations = std::mem::take(&mut self.operations);
        let operations = operations.into_iter().map(|event| event.since_reset(number)).collect();
        self.window.cycles.push(CycleRecord { number, cause, bank, operations });
        ControlFlow::Continue(())
    }
}

impl Follower for Keeper {
    fn begin(&mut self, _: &Machine) {}

    fn act(&mut self, act: &Act) {
        self.window.acts.push(act.clone());
    }

    fn observer(&mut self) -> &mut dyn Observer {
        self
    }

    fn cycle(&mut self, _: &mut Machine) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    fn end(&mut self, machine: &mut Machine) {
        self.window.beats = machine.dma.take_beats();
        self.window.visits = machine.dma.take_visits();
        self.window.visits.extend(machine.dma.visit().cloned());
    }
}

impl Recording {
    /// Every event of some cycles. It stays in the cycle that it is in.
    ///
    /// # Errors
    /// There are no such cycles, or what is needed is damaged.
    pub fn window(&mut self, range: Range<Cycle>) -> Result<Window, RecordingError> {
        let mut keeper = Keeper::default();
        let end = range.end;
        self.follow(range, &mut keeper)?;
        let mut window = keeper.window;
        // A drain that began in the window is one step.
        window.beats.retain(|beat| beat.cycle < end);
        Ok(window)
    }
}
