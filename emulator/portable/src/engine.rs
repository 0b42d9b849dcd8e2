//! The portable engine as an [`Engine`], and its work with a kernel beside the DMA channel.

use crate::checkpoint::Checkpoint;
use crate::compute::special;
use crate::decode::DecodedProgram;
use crate::hot::Hot;
use crate::run::{self, Stop};
use crate::transfer;
use crate::wait::Waiting;
use cp2_emu::cp2::{Fault, FaultKind};
use cp2_emu::dma::{Accesses, Ports};
use cp2_emu::trace::Observer;
use cp2_emu::{Cp2, Engine, Goal, Machine, Pause, ReferenceEngine};
use cp2_isa::{Banks, Bytes, Core, Cycle, RunCycle};
use pulp::Arch;

/// Largest number of cycles of an epoch beside a channel that works, and smallest one.
const LONGEST: u64 = 8192;
const SHORTEST: u64 = 32;
/// Largest number of cycles that are done in step with the channel after kernel and channel have met.
const LONGEST_IN_STEP: u64 = 1024;
/// Number of cycles for which taking over a machine costs more than it saves.
const SHORT: u64 = 6;

/// The portable engine: gives the results of the reference engine, faster, on any native machine and in safe Rust. It
/// interprets decoded bundles, and uses vector instructions of the native machine where there are some.
#[derive(Debug)]
pub struct Portable {
    arch: Arch,
    hot: Box<Hot>,
    code: DecodedProgram,
    checkpoint: Checkpoint,
    accesses: Accesses,
    waiting: Waiting,
    /// Number of cycles of the next epoch, and of cycles in step after the next meeting.
    epoch: u64,
    in_step: u64,
}

impl Default for Portable {
    fn default() -> Self {
        Self::with_arch(Arch::new())
    }
}

impl Portable {
    fn with_arch(arch: Arch) -> Self {
        let core = Core::default();
        Self {
            arch,
            hot: Box::new(Hot::new(&core)),
            code: DecodedProgram::new(&core),
            checkpoint: Checkpoint::new(&core),
            accesses: Accesses::new(&core),
            waiting: Waiting::default(),
            epoch: LONGEST,
            in_step: 1,
        }
    }

    /// Creates an engine whose code uses only instructions which every native machine of its target has. The default
    /// engine also uses vector instructions, such as AVX2, where it finds them. Results are the same.
    pub fn baseline() -> Self {
        Self::with_arch(Arch::Scalar)
    }

    /// Prepares the engine for the core and the program of a machine.
    fn turn_to(&mut self, machine: &Machine) {
        let core = machine.cp2.core();
        if self.code.core != *core {
            *self.hot = Hot::new(core);
            self.checkpoint = Checkpoint::new(core);
            (self.code, self.accesses) = (DecodedProgram::new(core), Accesses::new(core));
        }
        self.code.refresh(&machine.cp2);
        self.waiting.forget();
    }

    /// Runs a machine to a goal, or to a bundle that is refused.
    fn run_until(&mut self, machine: &mut Machine, goal: Goal) -> Result<(), FaultKind> {
        let (until, until_still) = (goal.least().0, goal.until_still);
        while machine.cp2.is_running() && self.hot.flow.cycle < until {
            if until_still && machine.dma.next_event().is_none() {
                break;
            }
            let stop = if machine.dma.next_event().is_none() {
                let stop = self.run(machine, until);
                self.follow_idle(machine);
                stop
            } else {
                self.epoch(machine, until, until_still)
            };
            match stop {
                Stop::Cycle => {}
                // The channel may have become still behind the bundle before this one.
                _ if until_still && machine.dma.next_event().is_none() => {}
                Stop::Outside => self.execute_outside(machine, until)?,
                Stop::Fault(kind) => return Err(kind),
            }
        }
        Ok(())
    }

    fn run(&mut self, machine: &mut Machine, until: u64) -> Stop {
        run::run(self.arch, &mut self.hot, &mut self.code, &mut machine.cp2, until)
    }

    /// Advances a channel that does nothing to the current cycle.
    fn follow_idle(&self, machine: &mut Machine) {
        let Machine { cp2, dma, memory, .. } = machine;
        let mut ports = Ports { memory, lmem: &mut cp2.state.lmem, ireg: &cp2.state.ireg };
        dma.advance_to(Cycle(self.hot.flow.cycle), &mut ports, &mut |_| Banks::NONE);
    }

    /// Runs an epoch beside a channel that works. Where kernel and channel meet, the epoch is taken back and done again up to
    /// there, and some cycles in step.
    fn epoch(&mut self, machine: &mut Machine, until: u64, until_still: bool) -> Stop {
        let begin = self.hot.flow.cycle;
        let end = until.min(begin + self.epoch);
        self.hot.counts.give(&mut machine.cp2, &self.code, 1);
        self.checkpoint.take(&self.hot, &machine.cp2.state);
        self.hot.notes.begin(true);
        let stop = self.run(machine, end);
        let is_through = self.follow(machine, begin, until_still);
        if is_through {
            self.hot.notes.begin(false);
            self.epoch = (self.epoch * 2).min(LONGEST);
            self.in_step = 1;
            return stop;
        }
        self.checkpoint.restore(&mut self.hot, &mut machine.cp2.state);
        self.hot.notes.begin(false);
        let met = machine.dma.now().0;
        // The channel has been through these cycles.
        self.run(machine, met);
        if until_still && machine.dma.next_event().is_none() {
            return Stop::Cycle;
        }
        self.epoch = (met - begin).clamp(SHORTEST, LONGEST);
        self.go_in_step(machine, until.min(met + self.in_step), until_still)
    }

    /// Advances the channel through the cycles of an epoch; false if it stops before its end.
    fn follow(&mut self, machine: &mut Machine, begin: u64, until_still: bool) -> bool {
        let Machine { cp2, dma, memory, .. } = machine;
        let end = self.hot.flow.cycle;
        if dma.next_event().is_some_and(|event| event.0 < end) {
            self.hot.notes.tell((begin, end), &mut self.accesses);
        }
        let mut ports = Ports { memory, lmem: &mut cp2.state.lmem, ireg: &cp2.state.ireg };
        dma.follow(Cycle(end), &mut ports, &self.accesses, until_still)
    }

    /// Runs the kernel in step with the channel.
    fn go_in_step(&mut self, machine: &mut Machine, until: u64, until_still: bool) -> Stop {
        self.in_step = (self.in_step * 2).min(LONGEST_IN_STEP);
        while self.hot.flow.cycle < until {
            if until_still && machine.dma.next_event().is_none() {
                break;
            }
            let stop = self.step(machine);
            if stop != Stop::Cycle {
                return stop;
            }
        }
        Stop::Cycle
    }

    /// Runs one cycle in step with the channel, unless its bundle is for others or refused.
    fn step(&mut self, machine: &mut Machine) -> Stop {
        self.hot.notes.begin(true);
        let next = self.hot.flow.cycle + 1;
        let stop = self.run(machine, next);
        let banks = self.hot.notes.words().map(|word| self.code.core.bank_of(word)).collect();
        self.hot.notes.begin(false);
        self.catch_up(machine, banks);
        stop
    }

    /// Advances the channel through the cycle before the current one, in which CP2 accessed these banks.
    fn catch_up(&self, machine: &mut Machine, banks: Banks) {
        let Machine { cp2, dma, memory, .. } = machine;
        let now = Cycle(self.hot.flow.cycle);
        let mut ports = Ports { memory, lmem: &mut cp2.state.lmem, ireg: &cp2.state.ireg };
        dma.advance_to(now, &mut ports, &mut |cycle| {
            if cycle + 1 == now { banks } else { Banks::NONE }
        });
    }

    /// Executes a bundle that ends the kernel, lets the channel go on or asks it; if it asks again and again, until the
    /// answer is another one.
    fn execute_outside(&mut self, machine: &mut Machine, until: u64) -> Result<(), FaultKind> {
        if machine.memory.size() > Bytes::NONE {
            machine.cp2.dma_state = machine.dma.check();
        }
        if self.wait(machine, until) {
            return Ok(());
        }
        special::execute(self.arch, &mut self.hot, &self.code, &mut machine.cp2)?;
        self.catch_up(machine, Banks::NONE);
        if std::mem::take(&mut machine.cp2.dma_released) {
            self.waiting.forget();
            let Machine { cp2, dma, memory, .. } = machine;
            let state = &mut cp2.state;
            dma.release(&mut Ports { memory, lmem: &mut state.lmem, ireg: &state.ireg });
        }
        Ok(())
    }

    /// Passes over the whole turns of a loop that asks the channel, up to the cycle in which the answer changes, to which the
    /// channel goes first; false if the kernel was not here before with everything the same.
    fn wait(&mut self, machine: &mut Machine, until: u64) -> bool {
        let Machine { cp2, dma, memory, .. } = machine;
        let accesses = self.hot.counts.accesses() + cp2.stats().bank_accesses.iter().sum::<u64>();
        let Some(period) = self.waiting.period(&self.hot, cp2, accesses) else { return false };
        let mut ports = Ports { memory, lmem: &mut cp2.state.lmem, ireg: &cp2.state.ireg };
        let changes = dma.advance_unchanged(Cycle(until), &mut ports).0;
        let now = self.hot.flow.cycle;
        let turns = (changes - now) / period;
        if turns > 0 {
            self.hot.counts.give(cp2, &self.code, 1);
            self.run_unchanged(machine, now + period);
            self.hot.counts.give(&mut machine.cp2, &self.code, turns);
            self.hot.pass_over((turns - 1) * period);
        }
        self.run_unchanged(machine, changes);
        true
    }

    /// Runs the kernel to a cycle before which `check_dma` reads what it read last.
    fn run_unchanged(&mut self, machine: &mut Machine, until: u64) {
        while self.run(machine, until) == Stop::Outside {
            if special::execute(self.arch, &mut self.hot, &self.code, &mut machine.cp2).is_err() {
                return;
            }
        }
    }
}

impl Engine for Portable {
    fn name(&self) -> &'static str {
        "portable"
    }

    fn another(&self) -> Option<Box<dyn Engine>> {
        Some(Box::new(Self::with_arch(self.arch)))
    }

    fn run_kernel_to(
        &mut self,
        machine: &mut Machine,
        goal: Goal,
        observer: &mut dyn Observer,
    ) -> Result<Pause, Fault> {
        let is_short = goal.least().saturating_since(machine.cycle()) <= SHORT;
        if !observer.wants().is_empty() || is_short {
            return ReferenceEngine.run_kernel_to(machine, goal, observer);
        }
        self.turn_to(machine);
        if !transfer::take(&machine.cp2, &mut self.hot) {
            return ReferenceEngine.run_kernel_to(machine, goal, observer);
        }
        let result = self.run_until(machine, goal);
        if result.is_err() {
            self.hot.land_all(&mut machine.cp2.state, &self.code);
        }
        transfer::give(&mut self.hot, &self.code, &mut machine.cp2);
        result.map_err(|kind| fault(&machine.cp2, kind))?;
        Ok(if !machine.cp2.is_running() {
            Pause::Kernel
        } else if goal.until_still && machine.dma.next_event().is_none() {
            Pause::Still
        } else {
            Pause::Cycle
        })
    }
}

/// Returns the fault of the bundle at PC, which is refused.
fn fault(cp2: &Cp2, kind: FaultKind) -> Fault {
    let (state, cycle) = (&cp2.state, RunCycle(cp2.stats().cycles));
    let word = state.iram.get(state.pc.index()).copied().unwrap_or_default();
    Fault { cycle, address: Some(state.pc), word, kind }
}
