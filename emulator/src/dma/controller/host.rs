//! The channel as others see it: its registers for the host, and the answer of `check_dma`.

use super::{Dma, State};
use crate::dma::registers::{DmaRegister, RegisterError, config, ctrl, status};

impl Dma {
    /// Returns the value that the kernel's operation `check_dma` reads: bit 0 is 1 if the channel is busy, bit 1 if it
    /// waits for `start_dma`, bit 2 if it moves data.
    pub fn check(&self) -> u64 {
        let moving = matches!(self.state, State::Moving(_));
        u64::from(self.is_busy()) | u64::from(self.is_waiting()) << 1 | u64::from(moving) << 2
    }

    /// Returns whether the channel raises its interrupt line: whether register INTCAUSE has a bit that INTMASK has too.
    pub fn interrupt(&self) -> bool {
        self.register(DmaRegister::Intcause) & self.register(DmaRegister::Intmask) != 0
    }

    /// Returns the value of a register of the channel as the host would read it, without the effects of such a read (a
    /// read of INT can clear interrupt causes).
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

    /// Reads a register of the channel for the host and returns its value. A read of INT clears all interrupt causes,
    /// if register CONFIG says so ([`CLEAR_ON_READ`](crate::dma::config::CLEAR_ON_READ)).
    pub fn read(&mut self, register: DmaRegister) -> u32 {
        let value = self.register(register);
        if register == DmaRegister::Int
            && self.register(DmaRegister::Config) & config::CLEAR_ON_READ != 0
        {
            self.registers[DmaRegister::Intcause as usize] = 0;
        }
        value
    }

    /// Writes a register for the host in the current cycle. Bits that the register does not have are dropped. A write
    /// of the start bit to CTRL starts the channel; a transfer under way is abandoned (\[L\]).
    ///
    /// # Errors
    /// The register is read-only.
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
