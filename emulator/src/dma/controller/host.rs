//! The channel as others see it: its registers for the host, and the answer of `check_dma`.

use super::{Dma, State};
use crate::dma::registers::{DmaRegister, RegisterError, config, ctrl, status};

impl Dma {
    /// Returns the value that `check_dma` reads: bit 0 busy, 1 waits for sync, 2 moving data.
    pub fn check(&self) -> u64 {
        let moving = matches!(self.state, State::Moving(_));
        u64::from(self.is_busy()) | u64::from(self.is_waiting()) << 1 | u64::from(moving) << 2
    }

    /// Whether the interrupt line is up.
    pub fn interrupt(&self) -> bool {
        self.register(DmaRegister::Intcause) & self.register(DmaRegister::Intmask) != 0
    }

    /// Returns the value of a register, without the effects of a read.
    pub fn register(&self, register: DmaRegister) -> u32 {
        match register {
            DmaRegister::Status => {
                let bit = |on, bit| if on { bit } else { 0 };
                bit(self.is_busy(), status::BUSY) | bit(self.is_waiting(), status::WAITING)
            }
            DmaRegister::Int => self.registers[DmaRegister::Intcause as usize],
            _ => self.registers[register as usize],
        }
    }

    /// Reads a register for the host.
    pub fn read(&mut self, register: DmaRegister) -> u32 {
        let value = self.register(register);
        if register == DmaRegister::Int
            && self.register(DmaRegister::Config) & config::CLEAR_ON_READ != 0
        {
            self.registers[DmaRegister::Intcause as usize] = 0;
        }
        value
    }

    /// Writes a register for the host in the current cycle. A start leaves whatever is under way (\[L\]).
    pub fn write(&mut self, register: DmaRegister, value: u32) -> Result<(), RegisterError> {
        if register.is_read_only() {
            return Err(RegisterError::ReadOnly(register));
        }
        self.registers[register as usize] = value & register.writable();
        if register == DmaRegister::Ctrl && value & ctrl::START != 0 {
            self.registers[DmaRegister::Ctrl as usize] &= !ctrl::START;
            self.fault = None;
            self.turn_to_next(self.now + u64::from(self.timing.start_cycles));
        }
        Ok(())
    }
}
