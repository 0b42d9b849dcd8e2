//! Every event of some cycles: what issued, what each cycle was for, beats, and what the host did. The
//! reference engine runs them.

use crate::error::RecordingError;
use crate::recording::{Place, Recording};
use cp2_emu::dma::{Beat, Visit};
use cp2_emu::machine::Act;
use cp2_emu::stats::Cause;
use cp2_emu::trace::{Event, Observer, PastCycle, Wants};
use cp2_emu::{Engine, Goal, Reference};
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
    cycles: Vec<CycleRecord>,
}

/// An event whose cycles count from reset, issued in cycle `number`.
pub(crate) fn since_reset(mut event: Event, number: Cycle) -> Event {
    let before = number.0 - event.cycle;
    event.cycle += before;
    event.read_cycle += before;
    event.write_cycle = event.write_cycle.map(|cycle| cycle + before);
    event
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
        let operations = operations.into_iter().map(|event| since_reset(event, number)).collect();
        self.cycles.push(CycleRecord { number, cause, bank, operations });
        ControlFlow::Continue(())
    }
}

impl Place {
    /// Goes on to a cycle while somebody watches, or until that asks for a pause.
    pub(crate) fn watch(
        &mut self,
        cycle: Cycle,
        acts: &[Act],
        observer: &mut dyn Observer,
    ) -> Result<(), RecordingError> {
        let other =
            |cycle, e: &dyn std::fmt::Display| RecordingError::OtherWay(cycle, e.to_string());
        loop {
            // What the host does in the cycles that it passes over takes no engine.
            self.go_on(self.machine.cycle(), acts, &mut Reference)?;
            if let Some(act) = acts.get(self.next_act())
                && act.cycle == self.machine.cycle()
                && act.cycle < cycle
            {
                self.go_on(act.cycle + 1, acts, &mut Reference)?;
            }
            if self.machine.cycle() >= cycle {
                return Ok(());
            }
            let next = acts.get(self.next_act()).map_or(cycle, |act| act.cycle.min(cycle));
            let (now, goal) = (self.machine.cycle(), Goal::cycle(next));
            let pause = Reference.advance(&mut self.machine, goal, observer);
            let pause = pause.map_err(|e| other(now, &e))?;
            if pause == cp2_emu::Pause::Observer {
                return Ok(());
            }
        }
    }
}

impl Recording {
    /// Lets somebody watch some cycles, whose operations count their cycles within the run of their kernel;
    /// tells what the channel and the host did in them. It stays in the cycle that it is in.
    ///
    /// # Errors
    /// There are no such cycles, or what is needed is damaged.
    pub fn watch(
        &mut self,
        range: Range<Cycle>,
        observer: &mut dyn Observer,
    ) -> Result<Window, RecordingError> {
        let mut beside = Window::default();
        self.parts(range, observer, &mut beside)?;
        Ok(beside)
    }

    /// Every event of some cycles. It stays in the cycle that it is in.
    ///
    /// # Errors
    /// There are no such cycles, or what is needed is damaged.
    pub fn window(&mut self, range: Range<Cycle>) -> Result<Window, RecordingError> {
        let (mut window, mut keeper) = (Window::default(), Keeper::default());
        self.parts(range, &mut keeper, &mut window)?;
        window.cycles = keeper.cycles;
        Ok(window)
    }

    /// Goes through some cycles from checkpoint to checkpoint.
    fn parts(
        &mut self,
        range: Range<Cycle>,
        observer: &mut dyn Observer,
        window: &mut Window,
    ) -> Result<(), RecordingError> {
        self.aside(|recording| recording.parts_there(range, observer, window))
    }

    fn parts_there(
        &mut self,
        range: Range<Cycle>,
        observer: &mut dyn Observer,
        window: &mut Window,
    ) -> Result<(), RecordingError> {
        let end = range.end.min(*self.cycles().end());
        let mut cycle = self.seek(range.start)?;
        let (begin, all) = (cycle, end.saturating_since(cycle));
        while cycle < end {
            self.told.tell(cycle - begin, all)?;
            // Up to the next checkpoint, from which it goes on.
            let number = self.number();
            let is_last = number + 1 >= self.checkpoints().len();
            let until = if is_last { end } else { self.cycle_of(number + 1).min(end) };
            self.part(until, observer, window)?;
            cycle = self.seek(until)?.max(until);
        }
        Ok(())
    }

    /// The part of a window from here on that is between two checkpoints.
    fn part(
        &mut self,
        until: Cycle,
        observer: &mut dyn Observer,
        window: &mut Window,
    ) -> Result<(), RecordingError> {
        let mut place = self.here.clone();
        let (from, visits) = (place.next_act(), window.visits.len() as u64);
        place.machine.dma.keep_log();
        place.watch(until, &self.interval.acts, observer)?;
        let beats = place.machine.dma.take_beats().into_iter();
        window.beats.extend(beats.map(|beat| Beat { visit: beat.visit + visits, ..beat }));
        window.visits.extend(place.machine.dma.take_visits());
        window.visits.extend(place.machine.dma.visit().cloned());
        window.acts.extend_from_slice(&self.interval.acts[from..place.next_act()]);
        Ok(())
    }
}
