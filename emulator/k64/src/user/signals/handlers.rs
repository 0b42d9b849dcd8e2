//! Handlers of signals: the frame that one is given on the stack, calls, and the way back. The frame is that of Linux on MIPS
//! with the n64 ABI.

use super::super::{Process, start};
use super::{DEFAULT, KILL, RETURN, SEGV, STOP, bit, flag, origin};
use crate::registers::{HI, LO};

/// Offsets in the frame of a handler, and its bytes.
mod frame {
    pub(super) const INFO: u64 = 24;
    pub(super) const CONTEXT: u64 = 152;
    pub(super) const STACK: u64 = CONTEXT + 16;
    pub(super) const REGISTERS: u64 = CONTEXT + 40;
    pub(super) const FLOATS: u64 = REGISTERS + 256;
    pub(super) const HI: u64 = FLOATS + 256;
    pub(super) const LO: u64 = HI + 32;
    pub(super) const PC: u64 = LO + 32;
    pub(super) const FCSR: u64 = PC + 8;
    pub(super) const MASK: u64 = REGISTERS + 600;
    pub(super) const BYTES: u64 = MASK + 16 + 16;
}

impl Process {
    /// Goes back to the call that the signal ended, if its handler has SA_RESTART. The first handler after a call decides.
    pub(super) fn begin_anew(&mut self, number: u8) {
        match self.signals.actions[usize::from(number)].flags & flag::RESTART {
            0 => self.signals.interrupted = None,
            _ => self.go_back_to_call(),
        }
    }

    /// Goes back to the call that a signal ended, which no handler has been called for.
    pub(in crate::user) fn go_back_to_call(&mut self) {
        if let Some([two, seven]) = self.signals.interrupted.take() {
            self.core.registers[2] = two;
            self.core.registers[7] = seven;
            self.core.pc = self.core.pc.wrapping_sub(4);
        }
    }

    /// Calls the handler of SEGV because the frame of a handler has no room; false if that is not to be called either.
    pub(super) fn has_no_room(&mut self, number: u8) -> bool {
        number != SEGV && self.signals.has_handler(SEGV) && self.call_handler(SEGV, origin::KERNEL)
    }

    /// Returns the place of a frame: on the stack, or on the alternate one where the action has SA_ONSTACK. There is none
    /// where the alternate stack would run over.
    fn place_of_frame(&self, flags: u32) -> Option<u64> {
        let (pointer, alternate) = (self.core.registers[29], &self.signals.alternate);
        if alternate.holds(pointer) && !alternate.holds(pointer.wrapping_sub(frame::BYTES)) {
            return None;
        }
        let below = pointer.wrapping_sub(32);
        let top = if flags & flag::ON_STACK != 0 { alternate.top(below) } else { None };
        Some(top.unwrap_or(below).wrapping_sub(frame::BYTES) & !15)
    }

    /// Puts the frame of a handler on its stack and goes to the handler; false if there is no room.
    pub(super) fn call_handler(&mut self, number: u8, code: u32) -> bool {
        let action = self.signals.actions[usize::from(number)];
        let Some(at) = self.place_of_frame(action.flags) else { return false };
        let blocked = self.signals.restored.unwrap_or(self.signals.blocked);
        let frame = self.frame(number, code, blocked);
        if self.core.memory.write(at, &frame).is_err() {
            return false;
        }
        self.signals.restored = None;
        self.signals.alternate.disarm();
        self.signals.blocked |= action.mask;
        if action.flags & flag::NO_DEFER == 0 {
            self.signals.blocked |= bit(number);
        }
        if action.flags & flag::RESET != 0 {
            self.signals.actions[usize::from(number)].handler = DEFAULT;
        }
        for (register, value) in [
            (4, u64::from(number)),
            (5, at + frame::INFO),
            (6, at + frame::CONTEXT),
            (25, action.handler),
            (29, at),
            (31, RETURN),
        ] {
            self.core.registers[register] = value;
        }
        self.core.pc = action.handler;
        true
    }

    /// Returns the frame of a handler: `siginfo_t`, and the state of the process in `ucontext_t`.
    fn frame(&mut self, number: u8, code: u32, blocked: u128) -> Vec<u8> {
        let mut bytes = vec![0; frame::BYTES as usize];
        let mut put = |at: u64, value: &[u8]| {
            bytes[at as usize..at as usize + value.len()].copy_from_slice(value);
        };
        put(frame::INFO, &u32::from(number).to_be_bytes());
        put(frame::INFO + 4, &code.to_be_bytes());
        let about = match code {
            origin::PROCESS | origin::THREAD => 1 << 32 | start::USER,
            origin::KERNEL => 0,
            _ => self.signals.fault,
        };
        put(frame::INFO + 16, &about.to_be_bytes());
        put(frame::STACK, &self.signals.alternate.bytes());
        let core = &mut self.core;
        for register in 0..32u8 {
            let place = 8 * u64::from(register);
            put(frame::REGISTERS + place, &core.registers[register].to_be_bytes());
            put(frame::FLOATS + place, &core.registers[32 + register].to_be_bytes());
        }
        put(frame::HI, &core.registers[HI].to_be_bytes());
        put(frame::LO, &core.registers[LO].to_be_bytes());
        put(frame::PC, &core.pc.to_be_bytes());
        put(frame::FCSR, &core.fcsr().to_be_bytes());
        put(frame::MASK, &(blocked as u64).to_be_bytes());
        put(frame::MASK + 8, &((blocked >> 64) as u64).to_be_bytes());
        bytes
    }

    /// Answers `rt_sigreturn`: goes back to where the handler was called, with the registers of its frame. False if there is
    /// no frame.
    pub(in crate::user) fn return_from_handler(&mut self) -> bool {
        let at = self.core.registers[29];
        let Ok(bytes) = self.core.memory.read(at, frame::BYTES) else { return false };
        let word = |place: u64| {
            let mut word = [0; 8];
            word.copy_from_slice(&bytes[place as usize..place as usize + 8]);
            u64::from_be_bytes(word)
        };
        for register in 1..32u8 {
            self.core.registers[register] = word(frame::REGISTERS + 8 * u64::from(register));
        }
        for register in 0..32u8 {
            self.core.registers[32 + register] = word(frame::FLOATS + 8 * u64::from(register));
        }
        self.core.registers[HI] = word(frame::HI);
        self.core.registers[LO] = word(frame::LO);
        self.core.pc = word(frame::PC);
        // Causes that are enabled in the frame raise nothing here.
        let _ = self.core.set_fcsr((word(frame::FCSR) >> 32) as u32);
        let blocked = u128::from(word(frame::MASK + 8)) << 64 | u128::from(word(frame::MASK));
        self.signals.blocked = blocked & !(bit(KILL) | bit(STOP));
        let stack = [0, 8, 16].map(|place| word(frame::STACK + place));
        // The stack of a frame that cannot be is left out, as it is by Linux.
        let _ = self.signals.alternate.set(stack, self.core.registers[29]);
        true
    }
}
