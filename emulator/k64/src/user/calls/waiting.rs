//! To wait until descriptors are ready: `poll`, `select` and their relatives.

use crate::user::Process;
use crate::user::errno::{Answer, Errno};
use crate::user::files::{LIMIT, Open};
use crate::user::row::Row;

/// Rows of the table of system calls.
pub(super) const ROWS: &[Row] = &[
    Row::part(5007, "poll", READY, |p, [a, b, c, ..]| {
        let timeout = (c as i32 >= 0).then_some((c as u32 as u64).saturating_mul(1_000_000));
        p.poll(a, b, timeout)
    }),
    Row::part(5022, "_newselect", READY, |p, [a, b, c, d, e, _]| {
        let timeout = if e == 0 { None } else { Some(p.micros(e)?) };
        let answer = p.select(a, [b, c, d], timeout)?;
        if answer == 0 && e != 0 {
            p.put(e, &[0, 0])?;
        }
        Ok(answer)
    }),
    Row::part(5260, "pselect6", READY, |p, [a, b, c, d, e, f]| {
        let timeout = if e == 0 { None } else { Some(p.duration(e)?) };
        let [mask, bytes] = if f == 0 { [0; 2] } else { p.pair(f)? };
        p.hold_signals(mask, bytes)?;
        let answer = p.select(a, [b, c, d], timeout);
        let answer = p.free_signals(answer)?;
        if answer == 0 && e != 0 {
            p.put(e, &[0, 0])?;
        }
        Ok(answer)
    }),
    Row::part(5261, "ppoll", READY, |p, [a, b, c, d, e, _]| {
        let timeout = if c == 0 { None } else { Some(p.duration(c)?) };
        p.hold_signals(d, e)?;
        let answer = p.poll(a, b, timeout);
        p.free_signals(answer)
    }),
];

const READY: &str = "standard input counts as ready, and a read of it waits; a wait that nothing could end is EDEADLK";

/// Bits of `struct pollfd`.
mod event {
    pub(super) const READ: u16 = 1;
    pub(super) const WRITE: u16 = 4;
    pub(super) const ERROR: u16 = 8;
    pub(super) const CLOSED: u16 = 0x10;
    pub(super) const INVALID: u16 = 0x20;
    pub(super) const READ_NORMAL: u16 = 0x40;
    /// Events that are told whether they were asked for or not.
    pub(super) const ALWAYS: u16 = ERROR | CLOSED | INVALID;
}

impl Process {
    /// Returns what a descriptor is ready for.
    fn events(&mut self, descriptor: u64) -> u16 {
        let Ok(description) = self.files.get(descriptor) else { return event::INVALID };
        const READ: u16 = event::READ | event::READ_NORMAL;
        match &description.open {
            Open::Input => READ,
            Open::Output | Open::Error => event::WRITE,
            Open::File(_) | Open::Folder(_) => READ | event::WRITE,
            Open::Pipe(pipe) if pipe.is_writer => {
                let room = if pipe.has_room() { event::WRITE } else { 0 };
                room | if pipe.is_alone() { event::ERROR } else { 0 }
            }
            Open::Pipe(pipe) => {
                let waiting = if pipe.waiting() > 0 { READ } else { 0 };
                waiting | if pipe.is_alone() { event::CLOSED } else { 0 }
            }
        }
    }

    /// Waits where no descriptor is ready: until the timeout, or for a signal.
    fn wait(&mut self, timeout: Option<u64>) -> Answer {
        let Some(timeout) = timeout else { return self.pause() };
        if self.signals.is_any() {
            return Err(Errno::EINTR);
        }
        match self.doze(timeout) {
            None => Ok(0),
            Some(_) => Err(Errno::EINTR),
        }
    }

    /// Answers `poll`: `struct pollfd` has a descriptor, the events that are asked for, and those that are.
    fn poll(&mut self, address: u64, count: u64, timeout: Option<u64>) -> Answer {
        const BYTES: usize = 8;
        if count > LIMIT as u64 {
            return Err(Errno::EINVAL);
        }
        let mut bytes = self.core.memory.read(address, BYTES as u64 * count)?;
        let mut n_ready = 0;
        for row in bytes.chunks_exact_mut(BYTES) {
            let descriptor = i32::from_be_bytes([row[0], row[1], row[2], row[3]]);
            let wanted = u16::from_be_bytes([row[4], row[5]]) | event::ALWAYS;
            let events = match u64::try_from(descriptor) {
                Ok(descriptor) => self.events(descriptor) & wanted,
                Err(_) => 0,
            };
            row[6..].copy_from_slice(&events.to_be_bytes());
            n_ready += u64::from(events != 0);
        }
        self.core.memory.write(address, &bytes)?;
        if n_ready > 0 { Ok(n_ready) } else { self.wait(timeout) }
    }

    /// Answers `select`, with sets of descriptors to read, to write and with exceptions, of which there are none.
    fn select(&mut self, count: u64, sets: [u64; 3], timeout: Option<u64>) -> Answer {
        // The kernel takes the count as an int, and no more descriptors than there can be.
        if (count as i32) < 0 {
            return Err(Errno::EINVAL);
        }
        let count = (count as u32 as usize).min(LIMIT);
        let ready_for =
            [event::READ | event::CLOSED | event::ERROR, event::WRITE | event::ERROR, 0];
        let (mut n_ready, mut answers) = (0, Vec::new());
        for (address, ready_for) in sets.into_iter().zip(ready_for).filter(|(set, _)| *set != 0) {
            let words = count.div_ceil(64);
            let mut bytes = self.core.memory.read(address, 8 * words as u64)?;
            for word in 0..words {
                let place = 8 * word..8 * word + 8;
                let mut asked = [0; 8];
                asked.copy_from_slice(&bytes[place.clone()]);
                let (asked, mut ready) = (u64::from_be_bytes(asked), 0u64);
                let numbers =
                    (0..64).filter(|bit| 64 * word + bit < count && asked >> bit & 1 != 0);
                for bit in numbers {
                    let events = self.events((64 * word + bit) as u64);
                    if events & event::INVALID != 0 {
                        return Err(Errno::EBADF);
                    }
                    ready |= u64::from(events & ready_for != 0) << bit;
                }
                n_ready += u64::from(ready.count_ones());
                bytes[place].copy_from_slice(&ready.to_be_bytes());
            }
            answers.push((address, bytes));
        }
        let answer = if n_ready > 0 { n_ready } else { self.wait(timeout)? };
        for (address, bytes) in answers {
            self.core.memory.write(address, &bytes)?;
        }
        Ok(answer)
    }
}
