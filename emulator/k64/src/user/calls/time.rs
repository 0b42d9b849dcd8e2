//! Time: clocks, sleep, alarms. Time is what instructions take at one nanosecond each, and what was slept.

use crate::user::errno::{Answer, Errno};
use crate::user::row::Row;
use crate::user::{Process, signals};

/// Seconds since 1970 when a process starts: the first day of 2000.
const EPOCH: u64 = 946_684_800;
/// Nanoseconds of a second.
pub(super) const SECOND: u64 = 1_000_000_000;

/// Clocks of the time that the process has run; the others are of real time.
const OF_PROCESS: u64 = 2;
const OF_THREAD: u64 = 3;
/// Clocks that there are.
const CLOCKS: u64 = 12;

/// Rows of the table of system calls.
pub(super) const ROWS: &[Row] = &[
    Row::whole(5034, "nanosleep", |p, [a, b, ..]| p.sleep(a, b)),
    Row::part(5035, "getitimer", "real time only", |p, [a, b, ..]| p.alarm_left(a, b)),
    Row::part(5036, "setitimer", "real time only", |p, [a, b, c, ..]| p.set_timer(a, b, c)),
    Row::whole(5037, "alarm", |p, [a, ..]| {
        Ok(p.set_alarm(a.saturating_mul(SECOND), 0).div_ceil(SECOND))
    }),
    Row::whole(5094, "gettimeofday", |p, [a, ..]| p.time_of_day(a)),
    Row::part(5096, "getrusage", "times only, the rest is 0", |p, [a, b, ..]| p.usage(a, b)),
    Row::whole(5098, "times", |p, [a, ..]| p.times(a)),
    Row::whole(5222, "clock_gettime", |p, [a, b, ..]| p.clock(a, b)),
    Row::whole(5223, "clock_getres", |p, [a, b, ..]| {
        is_of_process(a)?;
        p.put(b, &[0, 1])
    }),
    Row::whole(5224, "clock_nanosleep", |p, [a, b, c, d, ..]| p.sleep_on(a, b, c, d)),
];

/// Whether a clock shows the time that the process has run, as those of processes and threads do, which have negative
/// numbers.
fn is_of_process(clock: u64) -> Result<bool, Errno> {
    match clock {
        OF_PROCESS | OF_THREAD => Ok(true),
        0..CLOCKS => Ok(false),
        _ if (clock as i32) < 0 => Ok(true),
        _ => Err(Errno::EINVAL),
    }
}

impl Process {
    pub(in crate::user) fn nanoseconds(&self) -> u64 {
        self.core.n_instructions.saturating_add(self.slept)
    }

    /// Reads a `struct timespec`, in nanoseconds.
    pub(super) fn duration(&self, address: u64) -> Result<u64, Errno> {
        let [seconds, nanoseconds] = self.pair(address)?;
        if seconds >> 63 != 0 || nanoseconds >= SECOND {
            return Err(Errno::EINVAL);
        }
        Ok(seconds.saturating_mul(SECOND).saturating_add(nanoseconds))
    }

    /// Reads a `struct timeval`, in nanoseconds.
    pub(super) fn micros(&self, address: u64) -> Result<u64, Errno> {
        let [seconds, micros] = self.pair(address)?;
        if seconds >> 63 != 0 || micros >= 1_000_000 {
            return Err(Errno::EINVAL);
        }
        Ok(seconds.saturating_mul(SECOND).saturating_add(micros * 1000))
    }

    /// Lets a time pass at once; the nanoseconds that are left where the handler of an alarm is called within it.
    pub(super) fn doze(&mut self, duration: u64) -> Option<u64> {
        let end = self.nanoseconds().saturating_add(duration);
        let alarm = self.signals.alarm.map(|(at, _)| at);
        let Some(at) = alarm.filter(|at| *at < end && self.signals.has_handler(signals::ALRM))
        else {
            self.slept = self.slept.saturating_add(duration);
            return None;
        };
        self.slept = self.slept.max(at.saturating_sub(self.core.n_instructions));
        Some(end - at)
    }

    /// Sleeps for the duration at an address; what an alarm leaves of it goes to `rest`.
    fn sleep(&mut self, address: u64, rest: u64) -> Answer {
        let duration = self.duration(address)?;
        let Some(left) = self.doze(duration) else { return Ok(0) };
        self.put(rest, &[left / SECOND, left % SECOND])?;
        Err(Errno::EINTR)
    }

    /// Answers `clock_nanosleep`: for a duration, or until a clock shows a time.
    fn sleep_on(&mut self, clock: u64, flags: u64, address: u64, rest: u64) -> Answer {
        const UNTIL: u64 = 1;
        if clock >= CLOCKS || clock == OF_THREAD {
            return Err(Errno::EINVAL);
        }
        if flags & UNTIL == 0 {
            return self.sleep(address, rest);
        }
        let since = if clock == OF_PROCESS { 0 } else { EPOCH * SECOND };
        let end = self.duration(address)?.saturating_sub(since);
        match self.doze(end.saturating_sub(self.nanoseconds())) {
            None => Ok(0),
            Some(_) => Err(Errno::EINTR),
        }
    }

    /// Answers `setitimer` for real time; there are no other timers.
    fn set_timer(&mut self, which: u64, new: u64, old: u64) -> Answer {
        self.alarm_left(which, old)?;
        let (interval, first) = (self.micros(new)?, self.micros(new.wrapping_add(16))?);
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

    /// Answers `clock_gettime`.
    fn clock(&mut self, clock: u64, address: u64) -> Answer {
        let (since, now) = match is_of_process(clock)? {
            true => (0, self.core.n_instructions),
            false => (EPOCH, self.nanoseconds()),
        };
        self.put(address, &[since + now / SECOND, now % SECOND])
    }

    fn time_of_day(&mut self, address: u64) -> Answer {
        let now = self.nanoseconds() / 1000;
        self.put(address, &[EPOCH + now / 1_000_000, now % 1_000_000])
    }

    /// Answers `getrusage` of the process with the time, of its children with zeros.
    fn usage(&mut self, of: u64, address: u64) -> Answer {
        const OF_CHILDREN: i64 = -1;
        let now = match of as i64 {
            0 | 1 => self.core.n_instructions / 1000,
            OF_CHILDREN => 0,
            _ => return Err(Errno::EINVAL),
        };
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
}
