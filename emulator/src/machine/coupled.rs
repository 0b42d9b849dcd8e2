//! CP2, its DMA channel and system memory in one clock, and what the host does with them.

use crate::cp2::{Cp2, End, Fault, Run};
use crate::dma::{Dma, DmaTiming, Ports, Register, RegisterError};
use crate::memory::{ChannelTiming, SystemMemory};
use crate::trace::{Off, Sink};
use cp2_isa::machine::{Key, MachineConfig};
use std::fmt;

/// A CP2 with its DMA channel and memory. Time is cycles of CP2 since reset.
#[derive(Clone, Debug)]
pub struct Machine {
    /// The coprocessor. To run it, use the methods of the machine, which keep the channel in step.
    pub cp2: Cp2,
    /// The DMA channel.
    pub dma: Dma,
    /// System memory.
    pub memory: SystemMemory,
    config: MachineConfig,
}

/// What the host asked for and did not get.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HostError {
    /// The access to a register.
    Register(RegisterError),
    /// The kernel that ran meanwhile.
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
    /// A machine after reset.
    pub fn new(config: MachineConfig) -> Self {
        Self {
            cp2: Cp2::new(*config.core()),
            dma: Dma::new(*config.core(), DmaTiming::from(&config), ChannelTiming::from(&config)),
            memory: SystemMemory::new(u64::from(config.value(Key::MemorySize)) << 20),
            config,
        }
    }

    /// Its description.
    pub fn config(&self) -> &MachineConfig {
        &self.config
    }

    /// Cycles since reset.
    pub fn cycle(&self) -> u64 {
        self.cp2.cycle()
    }

    /// Microseconds that a number of cycles takes.
    pub fn microseconds(&self, cycles: u64) -> f64 {
        cycles as f64 / f64::from(self.config.value(Key::CpuClock))
    }

    /// One cycle of CP2, and what the channel does in it. CP2 comes first: the channel yields to
    /// its access, and `start_dma` takes effect from the next cycle on. After an error the bundle
    /// at fault has not been executed.
    pub fn step(&mut self, sink: &mut impl Sink) -> Result<(), Fault> {
        self.cp2.dma_state = self.dma.check();
        self.cp2.step(sink)?;
        let bank = self.cp2.accessed_bank();
        self.advance_dma(bank);
        if std::mem::take(&mut self.cp2.dma_released) {
            let state = &mut self.cp2.state;
            let (memory, ireg) = (&mut self.memory, &state.ireg);
            self.dma.release(&mut Ports { memory, lmem: &mut state.lmem, ireg });
        }
        Ok(())
    }

    /// Lets the channel catch up with CP2, which has accessed `bank` in the cycle before.
    fn advance_dma(&mut self, bank: Option<usize>) {
        let (now, state) = (self.cp2.cycle(), &mut self.cp2.state);
        let mut ports =
            Ports { memory: &mut self.memory, lmem: &mut state.lmem, ireg: &state.ireg };
        self.dma.advance_to(now, &mut ports, &mut |cycle| bank.filter(|_| cycle + 1 == now));
    }

    /// Lets the channel pass the cycles that another engine has run CP2 ahead, at most up to
    /// [`Dma::next_event`] and without `start_dma`.
    pub fn catch_up(&mut self) {
        self.advance_dma(None);
    }

    /// Goes on until `done`, or until cycle `limit`; true if `done`.
    pub fn run_until(
        &mut self,
        limit: u64,
        sink: &mut impl Sink,
        mut done: impl FnMut(&Self) -> bool,
    ) -> Result<bool, Fault> {
        while !done(self) {
            if self.cycle() >= limit {
                return Ok(false);
            }
            self.step(sink)?;
        }
        Ok(true)
    }

    /// Starts a kernel: its first bundle issues in the next cycle.
    pub fn start_kernel(&mut self, address: u16) {
        self.cp2.start(address);
    }

    /// Goes on with the kernel until its run has lasted `until` cycles, or tells why it ended
    /// before. [`Machine::finish_kernel`] has to follow the end.
    pub fn advance_kernel(&mut self, until: u64, sink: &mut impl Sink) -> Option<End> {
        while self.cp2.is_running() {
            if self.cp2.stats().cycles >= until {
                return None;
            }
            if let Err(fault) = self.step(sink) {
                return Some(End::Fault(fault));
            }
        }
        Some(End::Stopped(self.cp2.state.stopcode))
    }

    /// Ends the run of a kernel: everything that was issued completes, and the channel goes on
    /// meanwhile.
    pub fn finish_kernel(&mut self, end: End) -> Run {
        let run = self.cp2.finish(end);
        self.advance_dma(None);
        run
    }

    /// Runs a kernel to its end, at most `limit` cycles, while the channel works.
    pub fn run_kernel(&mut self, address: u16, limit: u64, sink: &mut impl Sink) -> Run {
        self.start_kernel(address);
        let end = self.advance_kernel(limit, sink).unwrap_or(End::CycleLimit(limit));
        self.finish_kernel(end)
    }

    /// Waits until the channel is idle or waits for `start_dma`, or until cycle `limit`; true if
    /// it is. A kernel that runs goes on.
    pub fn wait_for_dma(&mut self, limit: u64) -> Result<bool, Fault> {
        while self.dma.next_event().is_some() {
            if self.cycle() >= limit {
                return Ok(false);
            }
            if self.cp2.is_idle() {
                self.pass_idle(limit, true);
            } else {
                self.step(&mut Off)?;
            }
        }
        Ok(true)
    }

    /// Lets time pass to cycle `until` while CP2 is idle, or with `until_still` only until the
    /// channel is idle or waits. Nothing of CP2 can meet the channel, which need not stop at every
    /// cycle.
    pub fn pass_idle(&mut self, until: u64, until_still: bool) {
        debug_assert!(self.cp2.is_idle(), "CP2 has work to do");
        let state = &mut self.cp2.state;
        let (memory, ireg) = (&mut self.memory, &state.ireg);
        let mut ports = Ports { memory, lmem: &mut state.lmem, ireg };
        let now = self.dma.advance_alone(until, &mut ports, until_still);
        self.cp2.pass_idle(now);
    }

    /// The host writes a DMA register. The access takes its cycles; a kernel that runs goes on.
    pub fn write_register(&mut self, register: Register, value: u32) -> Result<(), HostError> {
        self.pass_access()?;
        Ok(self.dma.write(register, value)?)
    }

    /// The host reads a DMA register. The access takes its cycles; a kernel that runs goes on.
    pub fn read_register(&mut self, register: Register) -> Result<u32, HostError> {
        self.pass_access()?;
        Ok(self.dma.read(register))
    }

    fn pass_access(&mut self) -> Result<(), Fault> {
        for _ in 0..self.config.value(Key::HostRegister) {
            self.step(&mut Off)?;
        }
        Ok(())
    }
}
