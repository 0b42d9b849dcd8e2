//! CP2, its DMA channel and system memory in one clock, and what the host does with them.

use super::action::{Act, Action};
use crate::cp2::{Cp2, End, Fault, RunResult};
use crate::dma::{Dma, DmaRegister, DmaTiming, Ports, RegisterError};
use crate::memory::{MemoryTiming, SystemMemory};
use crate::trace::{NoObserver, Observer, PastCycle, Wants};
use cp2_isa::machine::{Key, MachineConfig};
use cp2_isa::{Banks, BundleAddress, Bytes, Cycle};
use std::fmt;
use std::ops::ControlFlow;

/// A CP2 with its DMA channel and system memory, which run on one clock: cycles of CP2 since reset. An
/// [`Engine`](super::Engine) takes a machine through its cycles.
#[derive(Clone, Debug)]
pub struct Machine {
    /// The coprocessor. To run it, use the methods of the machine, which keep the channel in step.
    pub cp2: Cp2,
    /// The DMA channel, which moves data between `memory` and the local memory of `cp2`.
    pub dma: Dma,
    /// System memory, which the channel and the host read and write.
    pub memory: SystemMemory,
    /// Cycles that an access of the host to a register of the channel takes.
    register_cycles: u32,
    /// Actions of the host, if they are kept.
    pub(super) acts: Option<Vec<Act>>,
}

/// Reason why an access of the host to a register of the DMA channel failed ([`Machine::write_register`],
/// [`Machine::read_register`]).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HostError {
    /// The channel refused the access to the register.
    Register(RegisterError),
    /// The kernel that runs had a fault during the cycles of the access.
    Fault(Fault),
}

impl fmt::Display for HostError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Register(e) => e.fmt(f),
            Self::Fault(e) => e.fmt(f),
        }
    }
}

impl std::error::Error for HostError {}

impl From<RegisterError> for HostError {
    fn from(e: RegisterError) -> Self {
        Self::Register(e)
    }
}

impl From<Fault> for HostError {
    fn from(e: Fault) -> Self {
        Self::Fault(e)
    }
}

impl Machine {
    /// Creates the machine that a machine file describes, as it is after reset: memories 0, channel idle, no kernel.
    pub fn new(config: &MachineConfig) -> Self {
        let core = *config.core();
        Self {
            cp2: Cp2::new(core),
            dma: Dma::new(core, DmaTiming::from(config), MemoryTiming::from(config)),
            memory: SystemMemory::new(config.memory_size()),
            register_cycles: config.value(Key::HostRegister),
            acts: None,
        }
    }

    /// Creates a machine from a CP2 without system memory, whose channel cannot move anything. Its clock is that of
    /// `cp2`.
    pub fn alone(cp2: Cp2) -> Self {
        Self {
            dma: Dma::new(*cp2.core(), DmaTiming::IDEAL, MemoryTiming::IDEAL),
            memory: SystemMemory::new(Bytes::NONE),
            register_cycles: 0,
            acts: None,
            cp2,
        }
    }

    /// Returns the cycle that comes next, counted from reset: the number of cycles that are over.
    pub fn cycle(&self) -> Cycle {
        self.cp2.cycle()
    }

    /// Executes one cycle of CP2 and of the channel, and tells the observer. In one cycle CP2 comes first: the channel
    /// waits where the kernel accesses its bank, and `start_dma` takes effect in the next cycle.
    ///
    /// # Errors
    /// The program did something that has no meaning. The bundle at fault has not been executed.
    pub fn step(&mut self, observer: &mut dyn Observer) -> Result<(), Fault> {
        self.step_observed(observer).map(|_| ())
    }

    /// Does one cycle as [`Machine::step`] does, and returns whether the observer asks for a pause behind it.
    pub(super) fn step_observed(
        &mut self,
        observer: &mut dyn Observer,
    ) -> Result<ControlFlow<()>, Fault> {
        // A CP2 alone reads what it was given.
        if self.memory.size() > Bytes::NONE {
            self.cp2.dma_state = self.dma.check();
        }
        self.cp2.step(observer)?;
        let banks = self.cp2.accessed_banks();
        self.advance_dma(banks);
        if std::mem::take(&mut self.cp2.dma_released) {
            let state = &mut self.cp2.state;
            let (memory, ireg) = (&mut self.memory, &state.ireg);
            self.dma.release(&mut Ports { memory, lmem: &mut state.lmem, ireg });
        }
        if !observer.wants().contains(Wants::CYCLES) {
            return Ok(ControlFlow::Continue(()));
        }
        let Cp2 { state, .. } = &self.cp2;
        let (number, cause) = (self.cycle() - 1, self.cp2.cause());
        Ok(observer.cycle(&PastCycle { number, cause, banks, state }))
    }

    /// Lets the channel catch up with CP2, which has accessed `banks` in the cycle before.
    #[inline]
    fn advance_dma(&mut self, banks: Banks) {
        if self.dma.next_event().is_none() {
            return self.dma.count_idle(self.cp2.cycle());
        }
        let (now, state) = (self.cp2.cycle(), &mut self.cp2.state);
        let mut ports =
            Ports { memory: &mut self.memory, lmem: &mut state.lmem, ireg: &state.ireg };
        self.dma.advance_to(now, &mut ports, &mut |cycle| {
            if cycle + 1 == now { banks } else { Banks::NONE }
        });
    }

    /// Starts a kernel at a bundle address: its first bundle issues in the next cycle. A kernel that runs is abandoned.
    pub fn start_kernel(&mut self, address: BundleAddress) {
        self.cp2.start(address);
        self.note(self.cycle(), Action::Start(address));
    }

    /// Ends the run of a kernel: lets the cycles of the drain pass, in which all issued operations complete and the
    /// channel goes on, and returns the counts of the run with `end`, the reason why it ended.
    pub fn finish_kernel(&mut self, end: End) -> RunResult {
        self.note(self.cycle(), Action::Finish);
        self.finish_now(end)
    }

    pub(super) fn finish_now(&mut self, end: End) -> RunResult {
        let run = self.cp2.finish(end);
        self.advance_dma(Banks::NONE);
        run
    }

    /// Keeps an action that was done, if actions are kept.
    pub(super) fn note(&mut self, cycle: Cycle, action: Action) {
        if let Some(acts) = &mut self.acts {
            acts.push(Act { cycle, action });
        }
    }

    /// Lets time pass to cycle `until` while CP2 is idle; with `until_still` at most until the channel is idle or waits
    /// for `start_dma`. Faster than single cycles. The caller makes sure that CP2 is idle ([`Cp2::is_idle`]).
    pub fn advance_idle(&mut self, until: Cycle, until_still: bool) {
        debug_assert!(self.cp2.is_idle(), "CP2 has work to do");
        let state = &mut self.cp2.state;
        let (memory, ireg) = (&mut self.memory, &state.ireg);
        let mut ports = Ports { memory, lmem: &mut state.lmem, ireg };
        let now = self.dma.advance_alone(until, &mut ports, until_still);
        self.cp2.advance_idle(now);
    }

    /// Writes a register of the DMA channel for the host. The cycles that the machine file gives for such an access
    /// pass first, in which a kernel that runs goes on.
    ///
    /// # Errors
    /// The channel refuses the write, or the kernel has a fault in these cycles.
    pub fn write_register(&mut self, register: DmaRegister, value: u32) -> Result<(), HostError> {
        self.pass_access()?;
        self.dma.write(register, value)?;
        self.note(self.cycle(), Action::WriteRegister(register, value));
        Ok(())
    }

    /// Reads a register of the DMA channel for the host, which can clear bits of it. The cycles that the machine file
    /// gives for such an access pass first, in which a kernel that runs goes on.
    ///
    /// # Errors
    /// The kernel has a fault in these cycles.
    pub fn read_register(&mut self, register: DmaRegister) -> Result<u32, HostError> {
        self.pass_access()?;
        self.note(self.cycle(), Action::ReadRegister(register));
        Ok(self.dma.read(register))
    }

    fn pass_access(&mut self) -> Result<(), Fault> {
        for _ in 0..self.register_cycles {
            self.step(&mut NoObserver)?;
        }
        Ok(())
    }
}
