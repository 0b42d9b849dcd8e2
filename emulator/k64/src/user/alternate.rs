//! The alternate stack of signals, on which handlers with SA_ONSTACK run.

use super::Process;
use super::errno::{Answer, Errno};

/// Fewest bytes of an alternate stack.
const LEAST: u64 = 2048;

/// Flags of an alternate stack.
mod flag {
    pub(super) const ON_STACK: u32 = 1;
    pub(super) const DISABLE: u32 = 2;
    pub(super) const AUTO_DISARM: u32 = 1 << 31;
}

/// Alternate stack of a process, `stack_t`; without bytes there is none.
#[derive(Default)]
pub(super) struct Alternate {
    start: u64,
    n_bytes: u64,
    flags: u32,
}

impl Alternate {
    /// Whether a stack pointer is on the stack. One with SS_AUTODISARM is gone while a handler runs, so none is.
    pub(super) fn holds(&self, pointer: u64) -> bool {
        self.flags & flag::AUTO_DISARM == 0
            && pointer > self.start
            && pointer - self.start <= self.n_bytes
    }

    /// Returns where the stack begins, if there is one and the stack pointer is not on it.
    pub(super) fn top(&self, pointer: u64) -> Option<u64> {
        (self.n_bytes > 0 && !self.holds(pointer)).then(|| self.start.wrapping_add(self.n_bytes))
    }

    /// Takes the stack away while a handler runs, if it has SS_AUTODISARM.
    pub(super) fn disarm(&mut self) {
        if self.flags & flag::AUTO_DISARM != 0 {
            *self = Self { flags: flag::DISABLE, ..Self::default() };
        }
    }

    /// Returns `stack_t` as the frame of a handler has it.
    pub(super) fn bytes(&self) -> Vec<u8> {
        let words = [self.start, self.n_bytes, u64::from(self.flags) << 32];
        words.iter().flat_map(|word| word.to_be_bytes()).collect()
    }

    /// Returns the words of `stack_t` as `sigaltstack` tells them, its flags by the stack pointer.
    fn words(&self, pointer: u64) -> [u64; 3] {
        let state = match self.n_bytes {
            0 => flag::DISABLE,
            _ if self.holds(pointer) => flag::ON_STACK,
            _ => 0,
        };
        let flags = state | self.flags & flag::AUTO_DISARM;
        [self.start, self.n_bytes, u64::from(flags) << 32]
    }

    /// Sets the stack by the words of `stack_t`.
    pub(super) fn set(&mut self, [start, n_bytes, third]: [u64; 3], pointer: u64) -> Answer {
        let flags = (third >> 32) as u32;
        if self.holds(pointer) {
            return Err(Errno::EPERM);
        }
        *self = match flags & !flag::AUTO_DISARM {
            flag::DISABLE => Self { flags, ..Self::default() },
            0 | flag::ON_STACK if n_bytes < LEAST => return Err(Errno::ENOMEM),
            0 | flag::ON_STACK => Self { start, n_bytes, flags },
            _ => return Err(Errno::EINVAL),
        };
        Ok(0)
    }
}

impl Process {
    /// Answers `sigaltstack`.
    pub(super) fn set_alternate(&mut self, new: u64, old: u64) -> Answer {
        let pointer = self.core.registers[29];
        let before = self.signals.alternate.words(pointer);
        if new != 0 {
            let [start, n_bytes] = self.pair(new)?;
            let mut flags = [0; 4];
            flags.copy_from_slice(&self.core.memory.read(new.wrapping_add(16), 4)?);
            let third = u64::from(u32::from_be_bytes(flags)) << 32;
            self.signals.alternate.set([start, n_bytes, third], pointer)?;
        }
        self.put(old, &before)
    }
}
