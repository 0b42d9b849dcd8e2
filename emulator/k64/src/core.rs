//! The state of a core, and what an instruction that stops leaves behind.

use crate::exception::Exception;
use crate::float::Status;
use crate::memory::Memory;
use crate::registers::Registers;

/// A core with its memory.
pub struct Core {
    /// General and floating-point registers, HI, LO, conditions.
    pub registers: Registers,
    /// Address of the next instruction.
    pub pc: u64,
    /// Control and status of the FPU.
    pub float: Status,
    /// Memory.
    pub memory: Memory,
    /// Where an atomic sequence began, if it still is atomic.
    pub link: Option<u64>,
    /// What `rdhwr` 29 reads.
    pub thread_pointer: u64,
    /// Instructions that were completed.
    pub n_instructions: u64,
    /// Where the block began that runs; branches count from it.
    pub(crate) block: u64,
    /// Why an operation stopped.
    pub(crate) stopped: Option<Exception>,
}

impl Core {
    /// A core after reset with this memory.
    #[must_use]
    pub fn new(memory: Memory) -> Self {
        Self {
            registers: Registers::default(),
            pc: 0,
            float: Status::default(),
            memory,
            link: None,
            thread_pointer: 0,
            n_instructions: 0,
            block: 0,
            stopped: None,
        }
    }

    /// FCSR with the conditions.
    pub fn fcsr(&mut self) -> u32 {
        let mut fcsr = self.float.fcsr();
        for cc in 0..8u8 {
            let bit = if cc == 0 { 23 } else { 24 + cc };
            fcsr |= (self.registers[crate::registers::CONDITION + cc] as u32 & 1) << bit;
        }
        fcsr
    }

    /// Writes FCSR with the conditions.
    ///
    /// # Errors
    /// If a cause is written that is enabled.
    pub fn set_fcsr(&mut self, value: u32) -> Result<(), Exception> {
        for cc in 0..8u8 {
            let bit = if cc == 0 { 23 } else { 24 + cc };
            self.registers[crate::registers::CONDITION + cc] = u64::from(value >> bit & 1);
        }
        self.float.set_fcsr(value).map_err(|t| Exception::Float(t.0))
    }
}
