//! Engines, which take a machine through its cycles. Engines agree in everything but speed, so the only one here is the
//! reference engine; others are crates of their own.

use super::coupled::Machine;
use crate::cp2::{End, Fault, RunResult};
use crate::trace::{Observer, Off, Wants};
use cp2_isa::{BundleAddress, Cycle};
use std::fmt;

/// The moment up to which an engine goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Goal {
    /// Cycle up to which the engine goes on: those before it are over then.
    pub cycle: Cycle,
    /// Whether the engine stops earlier, when the DMA channel is idle or waits for `start_dma`.
    pub until_still: bool,
    /// Cycle from which on it is far enough: the engine comes back in the first one that suits it. The reference engine suits
    /// every cycle; an engine that translates would have to cut a block.
    pub enough: Cycle,
}

impl Goal {
    /// Creates the goal of a cycle.
    pub const fn cycle(cycle: Cycle) -> Self {
        Self { cycle, until_still: false, enough: Cycle::NEVER }
    }

    /// Creates the goal of a cycle, at most until the channel is idle or waits.
    pub const fn still(cycle: Cycle) -> Self {
        Self { cycle, until_still: true, enough: Cycle::NEVER }
    }

    /// Returns the same goal, or any cycle from this one on that suits the engine.
    pub fn or_from(self, cycle: Cycle) -> Self {
        Self { enough: self.enough.min(cycle), ..self }
    }

    /// Returns the first cycle in which an engine may come back.
    pub fn least(&self) -> Cycle {
        self.cycle.min(self.enough)
    }
}

/// Reason why an engine has come back. If several hold, the first of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pause {
    /// The observer asked for a pause.
    Observer,
    /// A kernel began or ended in the latest cycle.
    Kernel,
    /// The channel is idle or waits for `start_dma`, as the goal asked.
    Still,
    /// The cycle of the goal is reached, or one that is enough.
    Cycle,
    /// A cycle is over in which CP2 had something from the host to work off.
    Host,
}

/// Engine that runs machines.
///
/// An engine holds no state of a machine. Between two calls the [`Machine`] is complete: registers,
/// memories, what is under way, the channel, all counts. It may be looked at, changed, copied, kept
/// and given to another engine in any cycle, and an engine may be given another machine. What an
/// engine keeps for itself, such as translated code, changes no result.
///
/// Everything else around a machine is made from this: a run is a call with the limit as its goal, a recording calls with the
/// cycles of its checkpoints as goals, a host calls up to the cycle in which it does something next, a single step is
/// [`Machine::step`], and a caller that wants to see every operation or cycle, or to stop at one, gives an [`Observer`].
pub trait Engine: fmt::Debug + Send {
    /// Returns the name of the engine on the command line and in reports.
    fn name(&self) -> &'static str;

    /// Goes on with a machine in which a kernel runs, to its end at most. The goal is ahead of the
    /// machine, and if the channel has to be still it is not. Never gives [`Pause::Host`].
    ///
    /// An engine that cannot tell an observer what it wants to be told leaves the call to
    /// [`ReferenceEngine`].
    ///
    /// # Errors
    /// What the program did. The bundle at fault has not been executed.
    fn run_kernel_to(
        &mut self,
        machine: &mut Machine,
        goal: Goal,
        observer: &mut dyn Observer,
    ) -> Result<Pause, Fault>;

    /// Takes the machine to a goal, or less far: until a kernel begins or ends, or one cycle if
    /// there is something from the host to work off. So nothing that a host can see of CP2 changes
    /// before the last cycle.
    ///
    /// # Errors
    /// What the program did. The bundle at fault has not been executed.
    fn advance(
        &mut self,
        machine: &mut Machine,
        goal: Goal,
        observer: &mut dyn Observer,
    ) -> Result<Pause, Fault> {
        if goal.until_still && machine.dma.next_event().is_none() {
            return Ok(Pause::Still);
        }
        if machine.cycle() >= goal.least() {
            return Ok(Pause::Cycle);
        }
        if machine.cp2.is_running() {
            return self.run_kernel_to(machine, goal, observer);
        }
        if machine.cp2.is_idle() {
            return advance_idle(machine, goal, observer);
        }
        let flow = machine.step_observed(observer)?;
        Ok(if flow.is_break() {
            Pause::Observer
        } else if machine.cp2.is_running() {
            Pause::Kernel
        } else {
            Pause::Host
        })
    }

    /// Tells the engine that the caller is done with a machine, or with what it has done to it so far. An engine that keeps
    /// something for others, such as a recording, completes it; most do nothing.
    fn release(&mut self, _: &mut Machine) {}

    /// Goes on with the kernel until its run has lasted `until` cycles, or the observer asks for a pause, or returns why it
    /// ended before. [`Machine::finish_kernel`] has to follow the end.
    fn advance_kernel(
        &mut self,
        machine: &mut Machine,
        until: u64,
        observer: &mut dyn Observer,
    ) -> Option<End> {
        if machine.cp2.is_running() {
            let left = until.saturating_sub(machine.cp2.stats().cycles);
            let goal = Goal::cycle(machine.cycle().saturating_add(left));
            if let Err(fault) = self.advance(machine, goal, observer) {
                return Some(End::Fault(fault));
            }
        }
        (!machine.cp2.is_running()).then_some(End::Stopped(machine.cp2.state.stopcode))
    }

    /// Runs a kernel to its end, at most `limit` cycles, while the channel works.
    fn run_kernel(
        &mut self,
        machine: &mut Machine,
        address: BundleAddress,
        limit: u64,
        observer: &mut dyn Observer,
    ) -> RunResult {
        machine.start_kernel(address);
        let end = self.advance_kernel(machine, limit, observer);
        machine.finish_kernel(end.unwrap_or(End::CycleLimit(limit)))
    }

    /// Waits until the channel is idle or waits for `start_dma`, or until cycle `limit`; false if the limit came first. A
    /// kernel that runs goes on.
    ///
    /// # Errors
    /// What the kernel did.
    fn wait_for_dma(&mut self, machine: &mut Machine, limit: Cycle) -> Result<bool, Fault> {
        loop {
            match self.advance(machine, Goal::still(limit), &mut Off)? {
                Pause::Still => return Ok(true),
                Pause::Cycle => return Ok(false),
                Pause::Observer | Pause::Kernel | Pause::Host => {}
            }
        }
    }
}

/// Lets time pass while CP2 is idle, in one go if no cycle is observed.
fn advance_idle(
    machine: &mut Machine,
    goal: Goal,
    observer: &mut dyn Observer,
) -> Result<Pause, Fault> {
    if !observer.wants().contains(Wants::CYCLES) {
        machine.advance_idle(goal.least(), goal.until_still);
    }
    while machine.cycle() < goal.least() {
        if goal.until_still && machine.dma.next_event().is_none() {
            return Ok(Pause::Still);
        }
        if machine.step_observed(observer)?.is_break() {
            return Ok(Pause::Observer);
        }
    }
    Ok(Pause::Cycle)
}

/// Reference engine, the one that others have to agree with: it runs cycle by cycle, as the specification says it.
#[derive(Clone, Copy, Debug, Default)]
pub struct ReferenceEngine;

impl Engine for ReferenceEngine {
    fn name(&self) -> &'static str {
        "reference"
    }

    fn run_kernel_to(
        &mut self,
        machine: &mut Machine,
        goal: Goal,
        observer: &mut dyn Observer,
    ) -> Result<Pause, Fault> {
        loop {
            if machine.step_observed(observer)?.is_break() {
                return Ok(Pause::Observer);
            }
            if !machine.cp2.is_running() {
                return Ok(Pause::Kernel);
            }
            if goal.until_still && machine.dma.next_event().is_none() {
                return Ok(Pause::Still);
            }
            if machine.cycle() >= goal.least() {
                return Ok(Pause::Cycle);
            }
        }
    }
}
