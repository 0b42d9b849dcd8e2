//! The process itself: its end, its signals, who it is, and what system it runs on.

use crate::user::errno::{Answer, Errno};
use crate::user::row::Row;
use crate::user::signals::origin;
use crate::user::{Process, ProcessEnd, signals, start};

/// Identifier of the process, of its thread, its group and its session.
const OWN: u64 = 1;
/// Random bytes that are given at once.
const MOST_RANDOM: u64 = 0x1ff_ffff;

const ONLY: &str = "the process is the only one; a real-time signal that comes twice before it is delivered comes once";

/// Rows of the table of system calls.
pub(super) const ROWS: &[Row] = &[
    Row::whole(5013, "rt_sigaction", |p, [a, b, c, d, ..]| {
        if d == signals::SET_BYTES { p.set_action(a, b, c) } else { Err(Errno::EINVAL) }
    }),
    Row::whole(5014, "rt_sigprocmask", |p, [a, b, c, d, ..]| {
        if d == signals::SET_BYTES { p.set_mask(a, b, c) } else { Err(Errno::EINVAL) }
    }),
    Row::whole(5023, "sched_yield", |_, _| Ok(0)),
    Row::part(5033, "pause", "a wait that nothing could end is EDEADLK", |p, _| p.pause()),
    Row::whole(5038, "getpid", |_, _| Ok(OWN)),
    Row::leaves(5058, "exit", |_, [a, ..]| Some(ProcessEnd::Exit(a as u8))),
    Row::whole(5059, "wait4", |_, [a, _, c, ..]| wait_for(a, c)),
    Row::part(5060, "kill", ONLY, |p, [a, b, ..]| p.kill(a, b, origin::PROCESS)),
    Row::whole(5061, "uname", |p, [a, ..]| p.name_of_system(a)),
    Row::whole(5095, "getrlimit", |p, [a, b, ..]| p.limits(a, b)),
    Row::part(5097, "sysinfo", "uptime and memory only", |p, [a, ..]| p.system_information(a)),
    Row::whole(5100, "getuid", |_, _| Ok(start::USER)),
    Row::whole(5102, "getgid", |_, _| Ok(start::USER)),
    Row::whole(5105, "geteuid", |_, _| Ok(start::USER)),
    Row::whole(5106, "getegid", |_, _| Ok(start::USER)),
    Row::whole(5108, "getppid", |_, _| Ok(0)),
    Row::whole(5109, "getpgrp", |_, _| Ok(OWN)),
    Row::whole(
        5113,
        "getgroups",
        |_, [a, ..]| {
            if (a as i32) < 0 { Err(Errno::EINVAL) } else { Ok(0) }
        },
    ),
    Row::whole(5116, "getresuid", |p, [a, b, c, ..]| p.put_users(&[a, b, c])),
    Row::whole(5118, "getresgid", |p, [a, b, c, ..]| p.put_users(&[a, b, c])),
    Row::whole(5119, "getpgid", |_, [a, ..]| own(a)),
    Row::whole(5122, "getsid", |_, [a, ..]| own(a)),
    Row::whole(5125, "rt_sigpending", |p, [a, b, ..]| p.pending_signals(a, b)),
    Row::part(
        5128,
        "rt_sigsuspend",
        "a wait that nothing could end is EDEADLK",
        |p, [a, b, ..]| {
            if b == signals::SET_BYTES { p.suspend(a) } else { Err(Errno::EINVAL) }
        },
    ),
    Row::whole(5129, "sigaltstack", |p, [a, b, ..]| p.set_alternate(a, b)),
    Row::whole(5137, "getpriority", |_, [a, b, ..]| priority(a, b)),
    Row::part(5153, "prctl", "names of threads are taken and not kept", |_, [a, ..]| {
        const SET_NAME: u64 = 15;
        if a == SET_NAME { Ok(0) } else { Err(Errno::EINVAL) }
    }),
    Row::part(5155, "setrlimit", "limits stay as they are: EPERM", |p, [a, b, ..]| {
        p.keep_limits(a, b)
    }),
    Row::whole(5178, "gettid", |_, _| Ok(OWN)),
    Row::part(5192, "tkill", ONLY, |p, [a, b, ..]| p.kill_thread(OWN, a, b)),
    // To wait would be for ever, and no thread waits.
    Row::part(5194, "futex", "there are no threads: a wait is EAGAIN", |_, [_, b, ..]| {
        if b & 127 == 0 { Err(Errno::EAGAIN) } else { Ok(0) }
    }),
    Row::part(5196, "sched_getaffinity", "there is one processor", |p, [_, b, c, ..]| {
        if b < 8 {
            return Err(Errno::EINVAL);
        }
        p.put(c, &[1])?;
        Ok(8)
    }),
    Row::leaves(5205, "exit_group", |_, [a, ..]| Some(ProcessEnd::Exit(a as u8))),
    Row::leaves(5211, "rt_sigreturn", |p, _| {
        (!p.return_from_handler()).then_some(ProcessEnd::Signal(signals::SEGV))
    }),
    Row::part(5212, "set_tid_address", "there are no threads", |_, _| Ok(OWN)),
    Row::part(5225, "tgkill", ONLY, |p, [a, b, c, ..]| p.kill_thread(a, b, c)),
    Row::whole(5237, "waitid", |p, [a, b, _, d, ..]| p.wait_for_one(a, b, d)),
    Row::whole(5242, "set_thread_area", |p, [a, ..]| {
        p.core.thread_pointer = a;
        Ok(0)
    }),
    Row::part(5268, "set_robust_list", "there are no threads", |_, _| Ok(0)),
    Row::whole(5271, "getcpu", |p, [a, b, ..]| {
        for address in [a, b].into_iter().filter(|address| *address != 0) {
            p.core.memory.write(address, &[0; 4])?;
        }
        Ok(0)
    }),
    Row::part(5297, "prlimit64", "limits stay as they are: EPERM", |p, [a, b, c, d, ..]| {
        if a > OWN {
            return Err(Errno::ESRCH);
        }
        if c != 0 {
            p.keep_limits(b, c)?;
        }
        p.limits(b, d)
    }),
    Row::part(5313, "getrandom", "the bytes are a fixed sequence", |p, [a, b, c, ..]| {
        // GRND_RANDOM and GRND_INSECURE exclude each other.
        if c as u32 > 5 { Err(Errno::EINVAL) } else { p.random_bytes(a, b) }
    }),
];

/// Returns the identifier of the group or session of a process, which is the only one.
fn own(process: u64) -> Answer {
    if process <= OWN { Ok(OWN) } else { Err(Errno::ESRCH) }
}

/// Bits of the options of `wait4` and its relatives.
mod option {
    pub(super) const WITHOUT_WAITING: u32 = 1;
    pub(super) const STOPPED: u32 = 2;
    pub(super) const ENDED: u32 = 4;
    pub(super) const CONTINUED: u32 = 8;
    pub(super) const STAY: u32 = 0x100_0000;
    /// Options about threads.
    pub(super) const THREADS: u32 = 0xe000_0000;
    /// Options of both calls.
    pub(super) const BOTH: u32 = WITHOUT_WAITING | STOPPED | CONTINUED | THREADS;
}

/// Answers `wait4`: the process has no children.
fn wait_for(process: u64, options: u64) -> Answer {
    match options as u32 {
        options if options & !option::BOTH != 0 => Err(Errno::EINVAL),
        _ if process as i32 == i32::MIN => Err(Errno::ESRCH),
        _ => Err(Errno::ECHILD),
    }
}

/// Answers `getpriority` for a process, a group or a user.
fn priority(which: u64, who: u64) -> Answer {
    match (which as u32, u64::from(who as u32)) {
        (0..=2, 0) | (0..=1, OWN) | (2, start::USER) => Ok(20),
        (0..=2, _) => Err(Errno::ESRCH),
        _ => Err(Errno::EINVAL),
    }
}

impl Process {
    /// Answers `waitid`: the process has no children.
    fn wait_for_one(&mut self, kind: u64, id: u64, options: u64) -> Answer {
        const DESCRIPTOR: u32 = 3;
        let (kind, id, options) = (kind as u32, id as i32, options as u32);
        let asked = option::ENDED | option::STOPPED | option::CONTINUED;
        let least = [0, 1, 0, 0].get(kind as usize).ok_or(Errno::EINVAL)?;
        if options & !(option::BOTH | option::ENDED | option::STAY) != 0
            || options & asked == 0
            || kind != 0 && id < *least
        {
            return Err(Errno::EINVAL);
        }
        // No descriptor stands for a process.
        Err(if kind == DESCRIPTOR { Errno::EBADF } else { Errno::ECHILD })
    }

    /// Answers `tkill` and `tgkill`.
    fn kill_thread(&mut self, process: u64, thread: u64, number: u64) -> Answer {
        if process as i32 <= 0 || thread as i32 <= 0 {
            return Err(Errno::EINVAL);
        }
        if [process, thread].iter().any(|id| u64::from(*id as u32) != OWN) {
            return Err(Errno::ESRCH);
        }
        self.kill(OWN, number, origin::THREAD)
    }

    /// Returns the limit of a resource.
    fn limit(resource: u64) -> Result<u64, Errno> {
        const STACK: u64 = 3;
        const DESCRIPTORS: u64 = 5;
        match resource {
            STACK => Ok(start::STACK),
            DESCRIPTORS => Ok(crate::user::files::LIMIT as u64),
            0..16 => Ok(u64::MAX),
            _ => Err(Errno::EINVAL),
        }
    }

    fn limits(&mut self, resource: u64, address: u64) -> Answer {
        let limit = Self::limit(resource)?;
        self.put(address, &[limit, limit])
    }

    fn keep_limits(&mut self, resource: u64, address: u64) -> Answer {
        let limit = Self::limit(resource)?;
        if self.pair(address)? == [limit, limit] { Ok(0) } else { Err(Errno::EPERM) }
    }

    fn put_users(&mut self, addresses: &[u64]) -> Answer {
        for address in addresses {
            self.core.memory.write(*address, &(start::USER as u32).to_be_bytes())?;
        }
        Ok(0)
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

    /// Answers `sysinfo`: `struct sysinfo`, 112 bytes.
    fn system_information(&mut self, address: u64) -> Answer {
        let uptime = self.nanoseconds() / super::time::SECOND;
        let (all, free) = self.core.memory.sizes();
        // Uptime, three loads, memory, seven more sizes, one process, no high memory, and bytes as the unit.
        self.put(address, &[uptime, 0, 0, 0, all, free, 0, 0, 0, 0, 1 << 48, 0, 0, 1 << 32])
    }

    fn random_bytes(&mut self, address: u64, length: u64) -> Answer {
        let length = length.min(MOST_RANDOM);
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
