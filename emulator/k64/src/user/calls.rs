//! System calls of Linux, by the numbers of the n64 ABI. Time is what instructions take at one nanosecond each,
//! and random bytes come from a fixed sequence: the same input gives the same run.

mod file;
mod memory;

use super::errno::{Answer, Errno};
use super::{Process, ProcessEnd, signals, start};
use crate::exception::Exception;

/// Seconds since 1970 when a process starts: the first day of 2000.
const EPOCH: u64 = 946_684_800;
/// Nanoseconds of a second.
const SECOND: u64 = 1_000_000_000;

impl From<Exception> for Errno {
    fn from(_: Exception) -> Self {
        Self::EFAULT
    }
}

impl Process {
    /// Does the system call that the registers tell, and returns the outcome if the process ends.
    pub(super) fn call(&mut self) -> Option<ProcessEnd> {
        let registers = &self.core.registers;
        let number = registers[2];
        let arguments = [4, 5, 6, 7, 8, 9].map(|r| registers[r]);
        let [a, ..] = arguments;
        match number {
            // exit, exit_group
            5058 | 5205 => return Some(ProcessEnd::Exit(a as u8)),
            // rt_sigreturn, which answers by the registers that it brings back.
            5211 => {
                return (!self.return_from_handler()).then_some(ProcessEnd::Signal(signals::SEGV));
            }
            _ => {}
        }
        let (value, failed) = match self.answer(number, arguments) {
            Ok(value) => (value, 0),
            Err(error) => (error as u64, 1),
        };
        self.core.registers[2] = value;
        self.core.registers[7] = failed;
        None
    }

    fn answer(&mut self, number: u64, arguments: [u64; 6]) -> Answer {
        let [a, b, c, d, ..] = arguments;
        match number {
            5009 => self.map(arguments),
            5010 => self.protect(a, b, c),
            5011 => self.unmap(a, b),
            5012 => Ok(self.set_break(a)),
            5013 if d != 16 => Err(Errno::EINVAL),
            5013 => self.set_action(a, b, c),
            5014 => self.set_mask(a, b, c),
            5033 => self.pause(),
            5035 => self.alarm_left(a, b),
            5036 => self.set_timer(a, b, c),
            5037 => Ok(self.set_alarm(a.saturating_mul(SECOND), 0).div_ceil(SECOND)),
            // kill, tkill, tgkill
            5060 | 5192 => self.kill(a, b),
            5225 if a != 1 => Err(Errno::ESRCH),
            5225 => self.kill(b, c),
            5125 => self.pending_signals(a),
            5128 => self.suspend(a),
            5024 => self.remap(a, b, c, d),
            // sched_yield, madvise, fsync, fdatasync, chmod, fchmod, umask, sigaltstack, set_robust_list
            5023 | 5027 | 5072 | 5073 | 5088 | 5089 | 5093 | 5129 | 5268 => Ok(0),
            5034 => self.sleep(a, b),
            // getpid, gettid, set_tid_address
            5038 | 5178 | 5212 => Ok(1),
            5061 => self.name_of_system(a),
            5094 => self.time_of_day(a),
            5095 => self.limits(a, b),
            5297 => self.limits(b, d),
            5096 => self.usage(b),
            5098 => self.times(a),
            5100 | 5102 | 5105 | 5106 => Ok(start::USER),
            // futex: to wait would be for ever, and no thread waits.
            5194 => {
                if b & 127 == 0 {
                    Err(Errno::EAGAIN)
                } else {
                    Ok(0)
                }
            }
            5222 => self.clock(a, b),
            5223 => self.put(b, &[0, 1]),
            5224 if b & 1 != 0 => self.sleep_until(c),
            5224 => self.sleep(c, d),
            5242 => {
                self.core.thread_pointer = a;
                Ok(0)
            }
            5313 => self.random_bytes(a, b),
            _ => self.answer_of_files(number, arguments),
        }
    }

    /// Writes doublewords.
    pub(super) fn put(&mut self, address: u64, words: &[u64]) -> Answer {
        if address != 0 {
            let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_be_bytes()).collect();
            self.core.memory.write(address, &bytes)?;
        }
        Ok(0)
    }

    /// Reads two doublewords.
    pub(super) fn pair(&self, address: u64) -> Result<[u64; 2], Errno> {
        let bytes = self.core.memory.read(address, 16)?;
        let (words, _) = bytes.as_chunks();
        match words {
            [first, second] => Ok([first, second].map(|word| u64::from_be_bytes(*word))),
            _ => Err(Errno::EFAULT),
        }
    }

    pub(super) fn nanoseconds(&self) -> u64 {
        self.core.n_instructions.saturating_add(self.slept)
    }

    /// Reads a `struct timespec`, in nanoseconds.
    fn duration(&self, address: u64) -> Result<u64, Errno> {
        let [seconds, nanoseconds] = self.pair(address)?;
        if seconds >> 63 != 0 || nanoseconds >= SECOND {
            return Err(Errno::EINVAL);
        }
        Ok(seconds.saturating_mul(SECOND).saturating_add(nanoseconds))
    }

    /// Sleeps for the duration at an address: the sleep is over at once. An alarm that comes within it ends it; what is left
    /// of it goes to `rest`.
    fn sleep(&mut self, address: u64, rest: u64) -> Answer {
        let duration = self.duration(address)?;
        let end = self.nanoseconds().saturating_add(duration);
        let alarm = self.signals.alarm.map(|(at, _)| at);
        let Some(at) = alarm.filter(|at| *at < end && self.signals.has_handler(signals::ALRM))
        else {
            self.slept = self.slept.saturating_add(duration);
            return Ok(0);
        };
        self.slept = self.slept.max(at.saturating_sub(self.core.n_instructions));
        let left = end - at;
        self.put(rest, &[left / SECOND, left % SECOND])?;
        Err(Errno::EINTR)
    }

    /// Reads a `struct timeval`, in nanoseconds.
    fn micros(&self, address: u64) -> Result<u64, Errno> {
        let [seconds, micros] = self.pair(address)?;
        if seconds >> 63 != 0 || micros >= 1_000_000 {
            return Err(Errno::EINVAL);
        }
        Ok(seconds.saturating_mul(SECOND).saturating_add(micros * 1000))
    }

    /// Answers `setitimer` for real time; there are no other timers.
    fn set_timer(&mut self, which: u64, new: u64, old: u64) -> Answer {
        self.alarm_left(which, old)?;
        let (interval, first) = (self.micros(new)?, self.micros(new + 16)?);
        self.set_alarm(first, interval);
        Ok(0)
    }

    /// Answers `getitimer`.
    fn alarm_left(&mut self, which: u64, address: u64) -> Answer {
        if which != 0 {
            return Err(Errno::EINVAL);
        }
        let now = self.nanoseconds();
        let (at, interval) = self.signals.alarm.unwrap_or((now, 0));
        let micros = |time: u64| [time / SECOND, time % SECOND / 1000];
        let ([a, b], [c, d]) = (micros(interval), micros(at.saturating_sub(now)));
        self.put(address, &[a, b, c, d])
    }

    /// Sleeps until the clock shows the time at an address.
    fn sleep_until(&mut self, address: u64) -> Answer {
        let end = self.duration(address)?.saturating_sub(EPOCH * SECOND);
        self.slept = self.slept.max(end.saturating_sub(self.core.n_instructions));
        Ok(0)
    }

    /// Answers `clock_gettime`.
    fn clock(&mut self, clock: u64, address: u64) -> Answer {
        const OF_PROCESS: u64 = 2;
        const OF_THREAD: u64 = 3;
        let (since, now) = match clock {
            OF_PROCESS | OF_THREAD => (0, self.core.n_instructions),
            _ => (EPOCH, self.nanoseconds()),
        };
        self.put(address, &[since + now / SECOND, now % SECOND])
    }

    fn time_of_day(&mut self, address: u64) -> Answer {
        let now = self.nanoseconds() / 1000;
        self.put(address, &[EPOCH + now / 1_000_000, now % 1_000_000])
    }

    /// Answers `getrusage` with the time, and zeros for what is not counted.
    fn usage(&mut self, address: u64) -> Answer {
        let now = self.core.n_instructions / 1000;
        let mut words = [0; 18];
        words[0] = now / 1_000_000;
        words[1] = now % 1_000_000;
        self.put(address, &words)
    }

    /// Answers `times`, in hundredths of a second.
    fn times(&mut self, address: u64) -> Answer {
        let ticks = |nanoseconds| nanoseconds / (SECOND / 100);
        self.put(address, &[ticks(self.core.n_instructions), 0, 0, 0])?;
        Ok(ticks(self.nanoseconds()))
    }

    /// Answers `getrlimit` and `prlimit64` with the limit of the stack; nothing else is limited here.
    fn limits(&mut self, resource: u64, address: u64) -> Answer {
        const RLIMIT_STACK: u64 = 3;
        let limit = if resource == RLIMIT_STACK { start::STACK } else { u64::MAX };
        self.put(address, &[limit, limit])
    }

    fn name_of_system(&mut self, address: u64) -> Answer {
        let mut bytes = Vec::new();
        for name in ["Linux", "k64", "6.1.0", "#1", "mips64", "(none)"] {
            let mut field = name.as_bytes().to_vec();
            field.resize(65, 0);
            bytes.extend(field);
        }
        self.core.memory.write(address, &bytes)?;
        Ok(0)
    }

    fn random_bytes(&mut self, address: u64, length: u64) -> Answer {
        let length = length.min(256);
        let mut bytes = Vec::new();
        while (bytes.len() as u64) < length {
            // xorshift64*
            self.random ^= self.random >> 12;
            self.random ^= self.random << 25;
            self.random ^= self.random >> 27;
            bytes.extend(self.random.wrapping_mul(0x2545_f491_4f6c_dd1d).to_be_bytes());
        }
        bytes.truncate(length as usize);
        self.core.memory.write(address, &bytes)?;
        Ok(length)
    }
}
