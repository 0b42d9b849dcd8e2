//! Snapshots of a processor, from which it can be restored.

use crate::core::Cpu;
use crate::cp0::Cp0;
use crate::float::FloatStatus;
use crate::memory::Memory;
use crate::registers::Registers;
use crate::timing::Timing;
use std::any::Any;

/// State of a core, and of what is outside of it, that changes in a run.
pub(super) struct CpuSnapshot {
    registers: Registers,
    pc: u64,
    float: FloatStatus,
    memory: Memory,
    link: Option<u64>,
    n_instructions: u64,
    n_stalled: u64,
    timing: Option<Box<Timing>>,
    cp0: Cp0,
    outside: Box<dyn Any + Send>,
}

impl CpuSnapshot {
    /// Copies the state of a core; `None` if what is outside of it cannot be kept.
    pub(super) fn of(core: &Cpu) -> Option<Self> {
        let privileged = core.privileged.as_ref()?;
        Some(Self {
            registers: core.registers.clone(),
            pc: core.pc,
            float: core.float.clone(),
            memory: core.memory.clone(),
            link: core.link,
            n_instructions: core.n_instructions,
            n_stalled: core.n_stalled,
            timing: core.timing.clone(),
            cp0: privileged.cp0.clone(),
            outside: privileged.outside.snapshot()?,
        })
    }

    /// Returns the bytes that the snapshot takes, about.
    pub(super) fn bytes(&self) -> u64 {
        self.memory.bytes()
    }

    /// Restores the state of a core.
    pub(super) fn restore(&self, core: &mut Cpu) {
        core.registers = self.registers.clone();
        core.pc = self.pc;
        core.float = self.float.clone();
        let mut memory = self.memory.clone();
        memory.take_watchpoints(&mut core.memory);
        core.memory = memory;
        core.memory.is_code_old = true;
        core.link = self.link;
        core.n_instructions = self.n_instructions;
        core.n_stalled = self.n_stalled;
        core.timing = self.timing.clone();
        if let Some(privileged) = &mut core.privileged {
            privileged.cp0 = self.cp0.clone();
            privileged.outside.restore(&*self.outside);
        }
    }
}
