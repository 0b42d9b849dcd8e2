//! Signals of a process: what it does at each, which are held back, and how its handlers are called. The numbers, and the
//! frame that a handler is given on the stack, are those of Linux on MIPS with the n64 ABI.

mod handlers;

use super::alternate::Alternate;
use super::errno::{Answer, Errno};
use super::{Process, ProcessEnd};
use crate::exception::Exception;
use crate::memory::{Allowed, PAGE};

/// Number of signals and of bits of a set of them; the lowest signal is 1.
const SIGNALS: usize = 128;
/// Bytes of a set of signals.
pub(super) const SET_BYTES: u64 = 16;

const ILL: u8 = 4;
const TRAP: u8 = 5;
const FPE: u8 = 8;
const KILL: u8 = 9;
const BUS: u8 = 10;
/// Signal of an access that fails, and of a frame that has no room.
pub(super) const SEGV: u8 = 11;
/// Signal of a process that writes where nobody reads.
pub(super) const PIPE: u8 = 13;
/// Signal of the alarm.
pub(super) const ALRM: u8 = 14;
const STOP: u8 = 23;
/// Signals that do nothing if the process says nothing else: CHLD, WINCH, URG, CONT.
const IGNORED: [u8; 4] = [18, 20, 21, 25];

/// Action by default.
const DEFAULT: u64 = 0;
/// Action of a signal that is ignored.
const IGNORE: u64 = 1;

/// Flags of actions.
mod flag {
    pub(super) const ON_STACK: u32 = 0x0800_0000;
    pub(super) const RESTART: u32 = 0x1000_0000;
    pub(super) const NO_DEFER: u32 = 0x4000_0000;
    pub(super) const RESET: u32 = 0x8000_0000;
    /// Flags that Linux knows, with SA_NOCLDSTOP, SA_SIGINFO, SA_EXPOSE_TAGBITS and SA_NOCLDWAIT; others are not kept.
    pub(super) const KNOWN: u32 = 1 | 8 | 0x800 | 0x1_0000 | ON_STACK | RESTART | NO_DEFER | RESET;
}

/// Origins of signals in `si_code`: a process, a thread, the kernel.
pub(super) mod origin {
    pub(in crate::user) const PROCESS: u32 = 0;
    pub(in crate::user) const THREAD: u32 = -6i32 as u32;
    pub(in crate::user) const KERNEL: u32 = 0x80;
}

/// Address of the code that handlers return to; its page stands above the stack.
const RETURN: u64 = 0xff_ffff_f000;
/// The code: `li $2, 5211` (`rt_sigreturn`), `syscall`.
const RETURN_CODE: [u32; 2] = [0x2402_145b, 0x0000_000c];

/// Action at a signal, `struct sigaction` of the kernel.
#[derive(Clone, Copy, Default)]
struct Action {
    flags: u32,
    handler: u64,
    mask: u128,
}

/// Signals of a process.
pub(super) struct Signals {
    actions: [Action; SIGNALS + 1],
    /// Signals that are held back, a bit for each from bit 0 for signal 1.
    blocked: u128,
    /// Signals that have come and are not delivered yet.
    pending: u128,
    /// Origin of each signal that has come.
    origins: [u32; SIGNALS + 1],
    /// Nanosecond of the process at which the alarm comes, and the nanoseconds from each to the next, 0 for none.
    pub(super) alarm: Option<(u64, u64)>,
    /// Set of blocked signals that is put back when a handler has been called, after `rt_sigsuspend`.
    restored: Option<u128>,
    /// Registers 2 and 7 at a call that a signal ended, if it is begun anew after a handler with SA_RESTART.
    pub(super) interrupted: Option<[u64; 2]>,
    pub(super) alternate: Alternate,
    /// Address of the access that the last fault was about.
    fault: u64,
}

/// Returns the bit of a signal.
const fn bit(signal: u8) -> u128 {
    1 << (signal - 1)
}

impl Signals {
    pub(super) fn new() -> Self {
        Self {
            actions: [Action::default(); SIGNALS + 1],
            blocked: 0,
            pending: 0,
            origins: [0; SIGNALS + 1],
            alarm: None,
            restored: None,
            interrupted: None,
            alternate: Alternate::default(),
            fault: 0,
        }
    }

    /// Lets a signal come. One that is waiting already stays as it is.
    pub(super) fn raise(&mut self, signal: u8, origin: u32) {
        if self.pending & bit(signal) == 0 {
            self.pending |= bit(signal);
            self.origins[usize::from(signal)] = origin;
        }
    }

    /// Puts back a signal that was taken, as if it had just come again from where it came.
    pub(super) fn put_back(&mut self, signal: u8) {
        self.pending |= bit(signal);
    }

    /// Returns the lowest signal that has come and is not held back; those before it that are ignored are gone.
    fn first(&mut self) -> Option<u8> {
        loop {
            let ready = self.pending & !self.blocked;
            if ready == 0 {
                return None;
            }
            let number = ready.trailing_zeros() as u8 + 1;
            if !self.is_ignored(number) {
                return Some(number);
            }
            self.pending &= !bit(number);
        }
    }

    /// Whether a signal has come that is neither held back nor ignored.
    pub(super) fn is_any(&mut self) -> bool {
        self.first().is_some()
    }

    /// Whether a signal would end the process or call a handler now.
    pub(super) fn has_handler(&self, signal: u8) -> bool {
        self.actions[usize::from(signal)].handler > IGNORE && self.blocked & bit(signal) == 0
    }

    /// Whether the process ignores a signal.
    pub(super) fn is_ignored(&self, signal: u8) -> bool {
        match self.actions[usize::from(signal)].handler {
            IGNORE => true,
            DEFAULT => IGNORED.contains(&signal),
            _ => false,
        }
    }
}

/// Returns the signal with a number; an error if there is none.
pub(super) fn signal(number: u64) -> Result<u8, Errno> {
    u8::try_from(number).ok().filter(|n| (1..=SIGNALS as u8).contains(n)).ok_or(Errno::EINVAL)
}

/// Returns the signal of an exception, its code in `si_code`, and the address that it is about.
pub(super) fn of_exception(exception: Exception) -> Option<(u8, u32, u64)> {
    const NOT_MAPPED: u32 = 1;
    const NOT_ALLOWED: u32 = 2;
    Some(match exception {
        Exception::Unaligned { address, .. } => (BUS, 1, address),
        Exception::Forbidden { address, .. }
        | Exception::Unmapped { address, .. }
        | Exception::Tlb { address, .. } => (SEGV, NOT_MAPPED, address),
        Exception::Protected { address, .. } => (SEGV, NOT_ALLOWED, address),
        // Division by zero and overflow, by the codes that compilers use.
        Exception::Trap(7) | Exception::Break(7) => (FPE, 1, 0),
        Exception::Trap(6) | Exception::Break(6) | Exception::Overflow => (FPE, 2, 0),
        Exception::Trap(_) | Exception::Break(_) => (TRAP, 1, 0),
        Exception::Reserved(_) | Exception::Coprocessor(_) => (ILL, 1, 0),
        Exception::Float(_) => (FPE, 7, 0),
        Exception::Syscall | Exception::Outside | Exception::Watched(_) => return None,
    })
}

impl Process {
    /// Maps the page that handlers return to.
    pub(super) fn map_return(&mut self) {
        let execute = Allowed { read: true, write: false, execute: true };
        if self.core.memory.map(RETURN, PAGE, execute) {
            let code: Vec<u8> = RETURN_CODE.iter().flat_map(|word| word.to_be_bytes()).collect();
            // The page is there.
            let _ = self.core.memory.place(RETURN, &code);
        }
    }

    fn set_of_signals(&self, address: u64) -> Result<u128, Errno> {
        let [low, high] = self.pair(address)?;
        Ok(u128::from(high) << 64 | u128::from(low))
    }

    fn put_set(&mut self, address: u64, set: u128) -> Answer {
        self.put(address, &[set as u64, (set >> 64) as u64])
    }

    /// Answers `rt_sigaction`.
    pub(super) fn set_action(&mut self, number: u64, new: u64, old: u64) -> Answer {
        let number = signal(number)?;
        if new != 0 && [KILL, STOP].contains(&number) {
            return Err(Errno::EINVAL);
        }
        let before = self.signals.actions[usize::from(number)];
        let action = match new {
            0 => before,
            _ => {
                let [first, handler] = self.pair(new)?;
                Action {
                    flags: (first >> 32) as u32 & flag::KNOWN,
                    handler,
                    mask: self.set_of_signals(new.wrapping_add(16))? & !(bit(KILL) | bit(STOP)),
                }
            }
        };
        let flags = u64::from(before.flags) << 32;
        let mask = [before.mask as u64, (before.mask >> 64) as u64];
        self.put(old, &[flags, before.handler, mask[0], mask[1]])?;
        self.signals.actions[usize::from(number)] = action;
        if self.signals.is_ignored(number) {
            self.signals.pending &= !bit(number);
        }
        Ok(0)
    }

    /// Answers `rt_sigprocmask`.
    pub(super) fn set_mask(&mut self, how: u64, new: u64, old: u64) -> Answer {
        let before = self.signals.blocked;
        if new != 0 {
            let set = self.set_of_signals(new)?;
            let after = match how {
                1 => before | set,
                2 => before & !set,
                3 => set,
                _ => return Err(Errno::EINVAL),
            };
            self.put_set(old, before)?;
            self.signals.blocked = after & !(bit(KILL) | bit(STOP));
            return Ok(0);
        }
        self.put_set(old, before)
    }

    /// Answers `rt_sigpending`.
    pub(super) fn pending_signals(&mut self, address: u64, bytes: u64) -> Answer {
        if bytes > SET_BYTES {
            return Err(Errno::EINVAL);
        }
        let held_back = self.signals.pending & self.signals.blocked;
        let set = [held_back as u64, (held_back >> 64) as u64].map(u64::to_be_bytes).concat();
        self.core.memory.write(address, &set[..bytes as usize])?;
        Ok(0)
    }

    /// Answers `rt_sigsuspend`: waits with another set of blocked signals until a handler has been called.
    pub(super) fn suspend(&mut self, address: u64) -> Answer {
        self.hold_signals(address, SET_BYTES)?;
        self.pause()
    }

    /// Holds back the signals of a set during a wait, if there is one.
    pub(super) fn hold_signals(&mut self, address: u64, bytes: u64) -> Answer {
        if address != 0 {
            if bytes != SET_BYTES {
                return Err(Errno::EINVAL);
            }
            let set = self.set_of_signals(address)?;
            self.signals.restored = Some(self.signals.blocked);
            self.signals.blocked = set & !(bit(KILL) | bit(STOP));
        }
        Ok(0)
    }

    /// Ends a wait with an answer. If no signal ended it, none is delivered that came through its set only.
    pub(super) fn free_signals(&mut self, answer: Answer) -> Answer {
        if answer != Err(Errno::EINTR)
            && let Some(set) = self.signals.restored.take()
        {
            self.signals.blocked = set;
        }
        answer
    }

    /// Waits for a signal: for the alarm, if none has come. Without one the wait would be for ever, which no process is
    /// let.
    pub(super) fn pause(&mut self) -> Answer {
        if !self.signals.is_any() {
            let Some((at, _)) = self.signals.alarm else { return Err(Errno::EDEADLK) };
            self.slept = self.slept.max(at.saturating_sub(self.core.n_instructions));
            self.ring();
            // An alarm that is held back or ignored ends no wait, and no more do those behind it.
            if !self.signals.is_any() {
                return Err(Errno::EDEADLK);
            }
        }
        Err(Errno::EINTR)
    }

    /// Waits for a signal in a call that is begun anew if the handler has SA_RESTART.
    pub(super) fn pause_to_restart(&mut self) -> Answer {
        let answer = self.pause();
        self.signals.interrupted = Some([2, 7].map(|register| self.core.registers[register]));
        answer
    }

    /// Answers `kill` and its relatives, of which `origin` tells: the process is the only one.
    pub(super) fn kill(&mut self, process: u64, number: u64, origin: u32) -> Answer {
        const OWN: [u64; 4] = [0, 1, u64::MAX, u32::MAX as u64];
        if !OWN.contains(&process) {
            return Err(Errno::ESRCH);
        }
        if number != 0 {
            let number = signal(number)?;
            self.signals.raise(number, origin);
        }
        Ok(0)
    }

    /// Answers `setitimer` for real time, and `alarm` with its seconds.
    pub(super) fn set_alarm(&mut self, first: u64, interval: u64) -> u64 {
        let now = self.nanoseconds();
        let left = self.signals.alarm.map_or(0, |(at, _)| at.saturating_sub(now));
        self.signals.alarm = (first > 0).then(|| (now.saturating_add(first), interval));
        left
    }

    /// Lets the alarm come, if its time has come.
    pub(super) fn ring(&mut self) {
        let now = self.nanoseconds();
        if let Some((at, interval)) = self.signals.alarm
            && at <= now
        {
            self.signals.raise(ALRM, origin::KERNEL);
            self.signals.alarm = (interval > 0).then(|| (now.saturating_add(interval), interval));
        }
    }

    /// Makes a fault a signal, if the process has a handler for it.
    pub(super) fn fault(&mut self, exception: Exception) -> bool {
        let Some((number, code, address)) = of_exception(exception) else { return false };
        if !self.signals.has_handler(number) {
            return false;
        }
        self.signals.fault = address;
        self.call_handler(number, code)
    }

    /// Delivers signals that have come and are not held back: does nothing, ends the process, or has a handler called.
    pub(super) fn deliver(&mut self) -> Option<ProcessEnd> {
        while let Some(number) = self.take_next_signal() {
            if let Some(end) = self.deliver_one(number) {
                return Some(end);
            }
        }
        None
    }

    /// Takes the next signal that has come, is not held back and not ignored. If there is none, those are held back again
    /// that were before a wait.
    pub(super) fn take_next_signal(&mut self) -> Option<u8> {
        if let Some(number) = self.signals.first() {
            self.signals.pending &= !bit(number);
            return Some(number);
        }
        if let Some(set) = self.signals.restored.take() {
            self.signals.blocked = set;
        }
        None
    }

    /// Delivers a signal: does nothing if it is ignored, ends the process, or has its handler called.
    pub(super) fn deliver_one(&mut self, number: u8) -> Option<ProcessEnd> {
        if self.signals.is_ignored(number) {
            return None;
        }
        if self.signals.actions[usize::from(number)].handler == DEFAULT {
            return Some(ProcessEnd::Signal(number));
        }
        self.begin_anew(number);
        let origin = self.signals.origins[usize::from(number)];
        // A process without room for a frame ends, as by a fault.
        let is_called = self.call_handler(number, origin) || self.has_no_room(number);
        (!is_called).then_some(ProcessEnd::Signal(SEGV))
    }
}
