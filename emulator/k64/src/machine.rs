//! Programs on the bare machine: a processor that runs a program with its exceptions and interrupts, and advances
//! everything outside of the core along with it.

mod back;
mod entry;
mod history;
mod polling;
mod question;
mod snapshot;

pub use history::{BackResult, RunPosition};

use crate::core::Cpu;
use crate::elf::{ElfError, ElfProgram};
use crate::engine::{CpuEngine, RunLimit, Stop};
use crate::exception::WatchHit;
use crate::exception::{AccessKind, Exception};
use crate::isa::Release;
use crate::memory::Watchpoint;
use crate::mmu::Mmu;
use crate::outside::{Halt, Outside};
use crate::timing::StallCause;
use history::History;
use polling::Polling;
use std::collections::BTreeSet;

/// Reason why [`Processor::run`] or [`Processor::step`] stopped a program on the bare machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MachineEnd {
    /// The program wrote this exit code to the exit register.
    Exit(u8),
    /// A part outside of the core made a fault, such as a kernel of CP2, or an interrupt came for which the program has
    /// no handler; with the message.
    Fault(String),
    /// An instruction raised an exception for which the program has no handler; the core is as before the instruction.
    Exception {
        /// Exception that was raised.
        exception: Exception,
        /// Whether the instruction stands in the delay slot of the branch at `pc`; if not, it is the instruction at
        /// `pc`.
        is_delayed: bool,
    },
    /// The limit of cycles of [`Processor::run`] was reached.
    Limit,
    /// The core waits (`wait`) for an interrupt that cannot come: nothing outside is under way, and the timer is
    /// masked.
    Hang,
    /// There is a breakpoint of [`Processor::set_breakpoints`] at the next instruction.
    Breakpoint,
    /// The next instruction, or that in the delay slot of the branch there, makes an access that a watchpoint of
    /// [`Processor::set_watchpoints`] has. It is not done yet; a run that goes on does it first.
    Watchpoint(WatchHit),
    /// A breakpoint of a part outside of the core was reached, such as one in a kernel of CP2; its cycle is not after
    /// the core's.
    Outside,
    /// The program asked a part outside of the core for something that the caller has to do, such as sending a message;
    /// [`Processor::wait_until`] lets the time of it pass.
    Request,
}

/// The control processor of a bare machine: it runs a program on a core, takes exceptions and interrupts, advances
/// everything outside of the core in the same time, and can go back to earlier states.
pub struct Processor {
    /// The core, with its memory and everything outside of it. Its field `privileged` is always there.
    pub core: Cpu,
    engine: CpuEngine,
    /// Earlier states of the machine, if the run is to be able to go back.
    history: Option<Box<History>>,
    /// Number of exceptions and interrupts that were taken.
    n_entries: u64,
    /// Number of completed instructions at which a run stops, or a few more up to the end of a block; set to go back.
    stop_at: u64,
    /// Report of a watchpoint whose access is done next, or undone.
    passed: Option<Reported>,
    /// Loop that asks for a status, whose turns may be counted.
    polling: Polling,
}

/// Position at which a watchpoint was reported: a run from there passes it in the same direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reported {
    /// In front of the access.
    Forward { position: RunPosition, is_delayed: bool },
    /// Behind the access, which going back undoes.
    Back(RunPosition),
}

/// Returns the physical address of a virtual address that a kernel reaches without the TLB; `None` for all others. The
/// lowest 2 GiB are physical addresses, as they are after reset.
#[must_use]
pub fn physical(address: u64) -> Option<u64> {
    let mut mmu = Mmu::default();
    mmu.wide = [true; 3];
    mmu.translate(address, AccessKind::Load).ok()
}

impl Processor {
    /// Creates a processor as it is after reset, with `program` copied to memory. `outside` is everything around the
    /// core, `release` the release of MIPS64 whose instructions it knows.
    ///
    /// # Errors
    /// Returns an error that names a segment of the program for which there is no memory that a kernel reaches without
    /// the TLB.
    pub fn new(
        program: &ElfProgram,
        outside: Box<dyn Outside>,
        release: Release,
    ) -> Result<Self, ElfError> {
        let mut core = Cpu::of_machine(outside);
        for segment in &program.segments {
            let place = physical(segment.address);
            let (bytes, size) = (&segment.bytes, segment.size);
            let is_loaded = place.is_some_and(|at| {
                core.load_bytes(at, bytes) && (size == 0 || core.has_memory(at + (size - 1)))
            });
            if !is_loaded {
                return Err(ElfError::of(format!(
                    "a segment at {:#x} with {} bytes, where the machine has no memory that a kernel reaches \
                     without the TLB",
                    segment.address, segment.size
                )));
            }
        }
        let engine = CpuEngine::new(release);
        Ok(Self {
            core,
            engine,
            history: None,
            n_entries: 0,
            stop_at: u64::MAX,
            passed: None,
            polling: Polling::default(),
        })
    }

    /// Translates nothing to instructions of the native machine from now on: everything is done in the same way on every
    /// computer, more slowly ([`CpuEngine::by_handlers`]).
    pub fn use_handlers(&mut self) {
        self.engine.use_handlers();
    }

    /// Replaces the breakpoints by those at the given virtual addresses: a run stops before it does an instruction at
    /// one of them.
    pub fn set_breakpoints(&mut self, breakpoints: BTreeSet<u64>) {
        self.engine.set_breakpoints(breakpoints);
    }

    /// Replaces the watchpoints: a run, or a step, stops before an access of an instruction that one of them has. What
    /// others than the core write, such as the channel, no watchpoint sees.
    pub fn set_watchpoints(&mut self, watchpoints: Vec<Watchpoint>) {
        self.core.memory.set_watchpoints(watchpoints);
    }

    /// Runs the program until something ends the run, and returns what; at the latest when the core's cycle, counted
    /// from reset, is `limit`, or a few instructions later, at the end of a translated block.
    pub fn run(&mut self, limit: u64) -> MachineEnd {
        self.polling.begin_run(limit);
        let end = loop {
            if let Some(end) = self.go_to_look(limit, Self::run_blocks) {
                break end;
            }
        };
        self.polling.begin_run(0);
        end
    }

    /// Does one instruction, a branch with its delay slot, whether or not there is a breakpoint; or takes an exception,
    /// or lets the core wait. The result is `None` if the run can go on, else the reason why it ended.
    pub fn step(&mut self) -> Option<MachineEnd> {
        self.go_to_look(u64::MAX, |processor, _| processor.run_one())
    }

    /// Does one instruction as [`Processor::step`] does, whatever watchpoints there are.
    fn step_unwatched(&mut self) -> Option<MachineEnd> {
        let before = self.core.memory.pass_watchpoints(true);
        let end = self.step();
        self.core.memory.pass_watchpoints(before);
        end
    }

    /// Lets time pass up to `cycle` while the core waits for what it asked for; nothing happens if it is past that.
    pub fn wait_until(&mut self, cycle: u64) {
        let core = &mut self.core;
        core.stall(cycle.saturating_sub(core.cycle()), StallCause::Message);
        core.advance_outside(core.cycle());
    }

    /// Reports an access that a watchpoint has, before it is done: it has been issued, and takes no more time.
    fn report_watchpoint(&mut self, hit: WatchHit, is_delayed: bool) -> Option<MachineEnd> {
        if let Some(timing) = &mut self.core.timing {
            timing.hold(true);
        }
        self.passed = Some(Reported::Forward { position: self.position(), is_delayed });
        Some(MachineEnd::Watchpoint(hit))
    }

    /// Advances everything to the core's cycle and lets the core run from there, up to the next look outside.
    fn go_to_look(
        &mut self,
        limit: u64,
        go_on: impl FnOnce(&mut Self, u64) -> Option<MachineEnd>,
    ) -> Option<MachineEnd> {
        if self.history.as_ref().is_some_and(|h| h.is_due(self.core.n_instructions)) {
            self.keep_moment(false);
        }
        if let Some(end) = self.look_outside() {
            return Some(end);
        }
        let cycle = self.core.cycle();
        if cycle >= limit || self.core.n_instructions >= self.stop_at {
            return Some(MachineEnd::Limit);
        }
        if self.is_interrupted() {
            if !entry::interrupt(&mut self.core) {
                return Some(MachineEnd::Fault(
                    "an interrupt, for which there is no handler".into(),
                ));
            }
            self.n_entries += 1;
        }
        let core = &mut self.core;
        let privileged = core.privileged.as_mut()?;
        let cp0 = &mut privileged.cp0;
        cp0.is_waiting &= !cp0.is_pending();
        let look = privileged.outside.next_look(cycle);
        if cp0.is_waiting {
            // A timer that is masked does not end the wait.
            let timer = if cp0.listens_to_timer() { cp0.timer_at() } else { u64::MAX };
            if look.is_none() && timer == u64::MAX {
                return Some(MachineEnd::Hang);
            }
            let now = core.wait_outside(timer.min(limit));
            core.stall(now - cycle, StallCause::Waiting);
            return None;
        }
        let until = look.unwrap_or(u64::MAX).min(cp0.timer_at()).min(limit).max(cycle + 1);
        go_on(self, until - cycle)
    }

    /// Whether an interrupt is to be taken now.
    fn is_interrupted(&mut self) -> bool {
        let position = self.position();
        let is_up = self.core.look_at_lines();
        is_up && self.history.as_mut().is_none_or(|history| history.takes(position))
    }

    fn run_blocks(&mut self, cycles: u64) -> Option<MachineEnd> {
        if self.is_begun() {
            return self.alone(false);
        }
        self.passed = None;
        let core = &mut self.core;
        let cycle = core.cycle().saturating_add(cycles);
        // Without time an instruction is a cycle.
        let n = if core.timing.is_some() { u64::MAX } else { cycle - core.n_stalled };
        let stop = self.engine.run(core, RunLimit { instructions: n.min(self.stop_at), cycle });
        self.react(stop)
    }

    /// Does the next instruction.
    fn run_one(&mut self) -> Option<MachineEnd> {
        if self.is_begun() {
            return self.alone(false);
        }
        self.passed = None;
        self.engine.step_inside(&mut self.core).and_then(|stop| self.react(stop))
    }

    /// Whether the next instruction was begun already: it has been issued, or a watchpoint that has it was reported.
    fn is_begun(&self) -> bool {
        let is_reported = matches!(self.passed, Some(Reported::Forward { .. }));
        is_reported || self.core.timing.as_ref().is_some_and(|timing| timing.is_held())
    }

    /// Does what a stop of the engine asks for, and returns the outcome if it ends the run.
    fn react(&mut self, stop: Stop) -> Option<MachineEnd> {
        match stop {
            Stop::Limit => None,
            Stop::Breakpoint => Some(MachineEnd::Breakpoint),
            Stop::Exception { exception: Exception::Outside, is_delayed } => {
                if let Some(timing) = &mut self.core.timing {
                    timing.hold(true);
                }
                self.alone(is_delayed)
            }
            Stop::Exception { exception: Exception::Watched(hit), is_delayed } => {
                self.report_watchpoint(hit, is_delayed)
            }
            Stop::Exception { exception, is_delayed } => self.take_exception(exception, is_delayed),
        }
    }

    /// Advances what is outside to the core's cycle, and returns the outcome if it ends the run there.
    fn look_outside(&mut self) -> Option<MachineEnd> {
        let core = &mut self.core;
        core.advance_outside(core.cycle());
        core.privileged.as_ref()?.outside.halt().map(|halt| match halt {
            Halt::Exit(code) => MachineEnd::Exit(code),
            Halt::Fault(text) => MachineEnd::Fault(text),
            Halt::Breakpoint => MachineEnd::Outside,
            Halt::Request => MachineEnd::Request,
        })
    }

    /// Does one instruction that may reach outside, when everything there is at its cycle.
    fn alone(&mut self, is_delayed: bool) -> Option<MachineEnd> {
        let is_delayed =
            is_delayed || matches!(self.passed, Some(Reported::Forward { is_delayed: true, .. }));
        let core = &mut self.core;
        let cycle = match &core.timing {
            Some(timing) if timing.is_held() => timing.issued_at(),
            Some(timing) => timing.cycle(),
            None => core.cycle() + u64::from(is_delayed),
        };
        core.advance_outside(cycle);
        // It would see what is outside as it is in an earlier cycle.
        if core.privileged.as_ref().is_some_and(|p| p.outside.halt() == Some(Halt::Breakpoint)) {
            return Some(MachineEnd::Outside);
        }
        core.running.has_reached = false;
        let address = core.pc;
        let stop = self.step_past_watchpoint();
        if let Some(Stop::Exception { exception: Exception::Watched(hit), is_delayed }) = stop {
            return self.report_watchpoint(hit, is_delayed);
        }
        let core = &mut self.core;
        let is_refused =
            matches!(stop, Some(Stop::Exception { exception: Exception::Outside, .. }));
        if let Some(timing) = &mut core.timing {
            timing.hold(is_refused);
            // What it does outside is seen in the next cycle.
            if core.running.has_reached {
                timing.close();
            }
        }
        match stop {
            // Coprocessor 2 takes nothing now.
            Some(_) if is_refused => core.stall(1, StallCause::Outside),
            Some(Stop::Exception { exception, is_delayed }) => {
                return self.take_exception(exception, is_delayed);
            }
            None | Some(Stop::Limit | Stop::Breakpoint) => {
                let stall = core.privileged.as_mut().map_or(0, |p| p.outside.take_stall());
                core.stall(stall, StallCause::Outside);
            }
        }
        if is_delayed { None } else { self.poll(address, cycle) }
    }

    /// Lets the engine do an instruction; past the watchpoint that was reported here, if one was.
    fn step_past_watchpoint(&mut self) -> Option<Stop> {
        let (here, reported) = (self.position(), self.passed.take());
        let Some(Reported::Forward { position, .. }) = reported else {
            return self.engine.step(&mut self.core);
        };
        let before = self.core.memory.pass_watchpoints(position == here);
        let stop = self.engine.step(&mut self.core);
        self.core.memory.pass_watchpoints(before);
        // What is outside may have refused it.
        self.passed = reported.filter(|_| here == self.position());
        stop
    }

    /// Takes an exception, or ends if there is no handler.
    fn take_exception(&mut self, exception: Exception, is_delayed: bool) -> Option<MachineEnd> {
        let is_taken = entry::exception(&mut self.core, exception, is_delayed);
        self.n_entries += u64::from(is_taken);
        (!is_taken).then_some(MachineEnd::Exception { exception, is_delayed })
    }
}
