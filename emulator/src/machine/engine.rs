//! Engines, which take a machine through its cycles. Engines agree in everything but speed. The reference engine is
//! here; the others are crates of their own.

use super::coupled::Machine;
use crate::cp2::{End, Fault, RunResult};
use crate::trace::{NoObserver, Observer, Wants};
use cp2_isa::{BundleAddress, Cycle};
use std::fmt;

/// The moment up to which [`Engine::advance`] goes on: a cycle, or earlier the moment at which the DMA channel is idle
/// or waits for the kernel's `start_dma`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Goal {
    /// Cycle at which the engine comes back: all cycles before it are over then, and this one has not begun.
    pub cycle: Cycle,
    /// Whether the engine comes back earlier, as soon as the DMA channel is idle or waits for `start_dma`.
    pub until_still: bool,
    /// Cycle from which on the engine may come back before `cycle`, at a moment that is convenient for it.
    /// [`Cycle::NEVER`] if it must reach `cycle`. An engine that translates kernels need not cut a translated block
    /// then.
    pub enough: Cycle,
}

impl Goal {
    /// Creates a goal that is reached at a cycle, whatever the channel does.
    pub const fn cycle(cycle: Cycle) -> Self {
        Self { cycle, until_still: false, enough: Cycle::NEVER }
    }

    /// Creates a goal that is reached when the DMA channel is idle or waits for `start_dma`, at a cycle at the latest.
    pub const fn still(cycle: Cycle) -> Self {
        Self { cycle, until_still: true, enough: Cycle::NEVER }
    }

    /// Returns the same goal, with which the engine may also come back at any moment from `cycle` on (`enough`). If the
    /// goal has such a cycle already, the earlier one counts.
    pub fn or_from(self, cycle: Cycle) -> Self {
        Self { enough: self.enough.min(cycle), ..self }
    }

    /// Returns the earliest cycle at which an engine may come back with this goal, unless it comes back because of the
    /// channel, a kernel or the observer.
    pub fn least(&self) -> Cycle {
        self.cycle.min(self.enough)
    }
}

/// Reason why an engine came back from [`Engine::advance`] or [`Engine::run_kernel_to`]: the observer, a kernel, the
/// channel, the goal's cycle, or work of the host. If several reasons hold, it is the first of them in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pause {
    /// The observer asked for a pause, by a `Break` after a cycle.
    Observer,
    /// A kernel began or ended in the cycle that is over.
    Kernel,
    /// The channel is idle or waits for `start_dma`, and the goal asked for that.
    Still,
    /// The cycle of the goal is reached, or one that is enough for it.
    Cycle,
    /// A cycle is over in which CP2 worked on something that the host had sent.
    Host,
}

/// Engine that runs machines. All engines give the same results.
///
/// An engine holds no state of a machine. Between two calls the [`Machine`] is complete: registers, memories, results
/// in flight, the channel, all counts. It may be read, changed, copied, kept and given to another engine in any cycle,
/// and an engine may be given another machine. Translated code and other things that an engine keeps for itself change
/// no result.
///
/// Everything else around a machine is made from this: a run is a call with the limit as its goal, a recording makes
/// calls with the cycles of its checkpoints as goals, a host makes calls up to the cycle of its next action, a single
/// step is [`Machine::step`], and a caller that wants to see every operation or cycle, or to stop at one, gives an
/// [`Observer`].
pub trait Engine: fmt::Debug + Send {
    /// Returns the name of the engine on the command line and in reports.
    fn name(&self) -> &'static str;

    /// Goes on with a machine in which a kernel runs, until the goal is reached, the kernel ends, or the observer asks
    /// for a pause. The caller makes sure that the goal is not reached yet. Never returns [`Pause::Host`].
    ///
    /// An engine that cannot tell an observer everything that it wants passes the call on to [`ReferenceEngine`].
    ///
    /// # Errors
    /// The program did something that has no meaning. The bundle at fault has not been executed.
    fn run_kernel_to(
        &mut self,
        machine: &mut Machine,
        goal: Goal,
        observer: &mut dyn Observer,
    ) -> Result<Pause, Fault>;

    /// Goes on with a machine until the goal is reached, a kernel begins or ends, or the observer asks for a pause; for
    /// one cycle only if CP2 works on something that the host has sent. So nothing that a host can see of CP2 changes
    /// before the last cycle.
    ///
    /// # Errors
    /// The program did something that has no meaning. The bundle at fault has not been executed.
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

    /// Returns another engine that gives the same results, for a machine that runs beside on another thread; `None` if
    /// this one is the only one of its kind, as one that records the run of its machine.
    fn another(&self) -> Option<Box<dyn Engine>> {
        None
    }

    /// Tells the engine that the caller has finished its work with a machine. An engine that keeps something of the
    /// run, such as a recording, completes it; others do nothing.
    fn release(&mut self, _: &mut Machine) {}

    /// Goes on with the kernel until its run has lasted `until` cycles in all, or the observer asks for a pause.
    /// Returns why the kernel ended, if it did; then [`Machine::finish_kernel`] has to follow. `None` if it still runs.
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

    /// Runs a kernel from a bundle address to its end, for at most `limit` cycles, while the channel works, and lets
    /// its results land. After a limit or a pause of the observer the run ends with [`End::CycleLimit`].
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

    /// Goes on until the DMA channel is idle or waits for `start_dma`, and returns true; returns false if cycle
    /// `limit`, counted from reset, comes first. A kernel that runs goes on meanwhile.
    ///
    /// # Errors
    /// The kernel did something that has no meaning.
    fn wait_for_dma(&mut self, machine: &mut Machine, limit: Cycle) -> Result<bool, Fault> {
        loop {
            match self.advance(machine, Goal::still(limit), &mut NoObserver)? {
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

/// The reference engine: executes a machine cycle by cycle, as the specification says, and keeps nothing. Other engines
/// have to give the same results.
#[derive(Clone, Copy, Debug, Default)]
pub struct ReferenceEngine;

impl Engine for ReferenceEngine {
    fn name(&self) -> &'static str {
        "reference"
    }

    fn another(&self) -> Option<Box<dyn Engine>> {
        Some(Box::new(*self))
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
