//! Descriptors: to open and close, copy, and lock them, and what is open behind them.

use super::names::At;
use crate::user::Process;
use crate::user::errno::{Answer, Errno};
use crate::user::files::{Open, flag};
use crate::user::row::Row;
use rustix::fs::{FallocateFlags, FlockOperation, OFlags, SeekFrom};

/// Rows of the table of system calls.
pub(super) const ROWS: &[Row] = &[
    Row::part(5002, "open", OPEN, |p, [a, b, c, ..]| p.open(At::CURRENT, a, b, c)),
    Row::whole(5003, "close", |p, [a, ..]| p.close(a)),
    Row::part(
        5015,
        "ioctl",
        "FIONREAD of files and pipes only, the rest is ENOTTY",
        |p, [a, b, c, ..]| p.device_control(a, b, c),
    ),
    Row::whole(5021, "pipe", |p, _| p.pipe()),
    Row::whole(5031, "dup", |p, [a, ..]| p.files.duplicate_above(a, 0, false)),
    Row::whole(5032, "dup2", |p, [a, b, ..]| match a == b {
        true => p.files.get(a).map(|_| b),
        false => p.duplicate_to(a, b, false),
    }),
    Row::part(
        5070,
        "fcntl",
        "descriptors, flags, and locks of files, which other processes of the native machine do not see; of the flags, only \
         O_APPEND and O_NONBLOCK can be set; a wait for a lock that nothing could end is EDEADLK",
        |p, [a, b, c, ..]| p.descriptor_control(a, b, c),
    ),
    Row::part(
        5071,
        "flock",
        "locks of files and folders, the rest has none; a wait for a lock, whoever has it, is EDEADLK if no alarm ends it",
        |p, [a, b, ..]| p.lock_file(a, b),
    ),
    Row::whole(5072, "fsync", |p, [a, ..]| p.synchronize(a)),
    Row::whole(5073, "fdatasync", |p, [a, ..]| p.synchronize(a)),
    Row::whole(5083, "creat", |p, [a, b, ..]| {
        p.open(At::CURRENT, a, flag::CREATE | flag::WRITE_ONLY | flag::TRUNCATE, b)
    }),
    Row::whole(5157, "sync", |_, _| {
        rustix::fs::sync();
        Ok(0)
    }),
    Row::whole(5179, "readahead", |p, [a, ..]| p.files.get(a)?.file().map(|_| 0)),
    Row::whole(5215, "fadvise64", |p, [a, _, c, d, ..]| match p.files.get(a)?.open {
        Open::File(_) | Open::Folder(_) if (c as i64) < 0 || d as u32 > 5 => Err(Errno::EINVAL),
        Open::File(_) | Open::Folder(_) => Ok(0),
        _ => Err(Errno::ESPIPE),
    }),
    Row::part(5247, "openat", OPEN, |p, [a, b, c, d, ..]| p.open(At(a), b, c, d)),
    Row::whole(5264, "sync_file_range", |p, [a, b, c, d, ..]| {
        let is_range = b.checked_add(c).is_some_and(|end| b.max(c).max(end) <= i64::MAX as u64);
        match p.files.get(a)?.open {
            _ if d as u32 > 7 || !is_range => Err(Errno::EINVAL),
            Open::File(_) | Open::Folder(_) => p.synchronize(a),
            _ => Err(Errno::ESPIPE),
        }
    }),
    Row::part(5279, "fallocate", "mode 0 only", |p, [a, b, c, d, ..]| p.allocate(a, b, c, d)),
    Row::whole(5286, "dup3", |p, [a, b, c, ..]| match c & !flag::CLOSE_ON_EXEC {
        0 if a != b => p.duplicate_to(a, b, c != 0),
        _ => Err(Errno::EINVAL),
    }),
    Row::part(5287, "pipe2", "O_DIRECT is EINVAL", |p, [a, b, ..]| p.pipe_at(a, b)),
    Row::whole(5301, "syncfs", |p, [a, ..]| p.synchronize(a)),
    Row::part(5436, "close_range", "UNSHARE is EINVAL", |p, [a, b, c, ..]| p.close_range(a, b, c)),
];

const OPEN: &str =
    "files and folders only, the rest is EACCES; O_TMPFILE is EOPNOTSUPP, O_PATH opens for reading";

/// Commands of `fcntl`, and the kind of a lease that is none.
mod command {
    pub(super) const COPY: u64 = 0;
    pub(super) const DESCRIPTOR_FLAGS: u64 = 1;
    pub(super) const SET_DESCRIPTOR_FLAGS: u64 = 2;
    pub(super) const FLAGS: u64 = 3;
    pub(super) const SET_FLAGS: u64 = 4;
    pub(super) const SET_LOCK: u64 = 6;
    pub(super) const SET_LOCK_AND_WAIT: u64 = 7;
    pub(super) const LOCK: u64 = 14;
    pub(super) const OWNER_WITH_KIND: u64 = 16;
    pub(super) const OWNER: u64 = 23;
    pub(super) const SIGNAL: u64 = 11;
    pub(super) const LEASE: u64 = 1025;
    pub(super) const OPEN_LOCK: u64 = 36;
    pub(super) const SET_OPEN_LOCK: u64 = 37;
    pub(super) const SET_OPEN_LOCK_AND_WAIT: u64 = 38;
    pub(super) const COPY_CLOSED_ON_EXEC: u64 = 1030;
    pub(super) const PIPE_ROOM: u64 = 1032;
    pub(super) const NONE: u64 = 2;
}

impl Process {
    pub(super) fn open(&mut self, at: At, address: u64, flags: u64, mode: u64) -> Answer {
        let is_exclusive =
            flags & (flag::CREATE | flag::EXCLUSIVE) == flag::CREATE | flag::EXCLUSIVE;
        let is_followed = flags & flag::NO_FOLLOW == 0 && !is_exclusive;
        let target = self.target(at, address, is_followed)?;
        self.files.open_path(&target, flags, mode)
    }

    /// Answers `pipe`, which on MIPS returns the second descriptor in register 3.
    fn pipe(&mut self) -> Answer {
        let [reader, writer] = self.files.add_pipe(0)?;
        self.core.registers[3] = writer;
        Ok(reader)
    }

    /// Answers `pipe2`.
    fn pipe_at(&mut self, address: u64, flags: u64) -> Answer {
        if flags & !(flag::CLOSE_ON_EXEC | flag::WITHOUT_WAITING) != 0 {
            return Err(Errno::EINVAL);
        }
        let ends = self.files.add_pipe(flags)?;
        let bytes = ends.map(|end| (end as u32).to_be_bytes()).concat();
        if let Err(error) = self.core.memory.write(address, &bytes) {
            for end in ends {
                self.files.close(end)?;
            }
            return Err(error.into());
        }
        Ok(0)
    }

    /// Answers `fcntl`.
    fn descriptor_control(&mut self, descriptor: u64, command: u64, argument: u64) -> Answer {
        let description = self.files.get(descriptor)?;
        match command {
            command::COPY => self.files.duplicate_above(descriptor, argument, false),
            command::COPY_CLOSED_ON_EXEC => self.files.duplicate_above(descriptor, argument, true),
            command::DESCRIPTOR_FLAGS => self.files.is_closed_on_exec(descriptor).map(u64::from),
            command::SET_DESCRIPTOR_FLAGS => {
                self.files.close_on_exec(descriptor, argument & 1 != 0)
            }
            command::FLAGS => Ok(description.flags.get()),
            command::SET_FLAGS => {
                const SET: u64 = flag::APPEND | flag::WITHOUT_WAITING;
                if let Open::File(file) = &description.open {
                    let mut native = rustix::fs::fcntl_getfl(file)?;
                    native.set(OFlags::APPEND, argument & flag::APPEND != 0);
                    rustix::fs::fcntl_setfl(file, native)?;
                }
                description.flags.set(description.flags.get() & !SET | argument & SET);
                Ok(0)
            }
            command::SET_LOCK => self.set_lock(&description, argument, false, false),
            command::SET_LOCK_AND_WAIT => self.set_lock(&description, argument, false, true),
            command::SET_OPEN_LOCK => self.set_lock(&description, argument, true, false),
            command::SET_OPEN_LOCK_AND_WAIT => self.set_lock(&description, argument, true, true),
            command::LOCK => self.tell_lock(&description, argument, false),
            command::OPEN_LOCK => self.tell_lock(&description, argument, true),
            // No descriptor sends signals, and none has a lease.
            command::OWNER | command::SIGNAL => Ok(0),
            command::OWNER_WITH_KIND => {
                self.core.memory.write(argument, &[0; 8])?;
                Ok(0)
            }
            command::LEASE => Ok(command::NONE),
            command::PIPE_ROOM => match description.open {
                Open::Pipe(_) => Ok(crate::user::pipe::ROOM as u64),
                _ => Err(Errno::EBADF),
            },
            _ => Err(Errno::EINVAL),
        }
    }

    /// Answers `flock`. Locks are those of the native machine, whose other processes see them.
    fn lock_file(&mut self, descriptor: u64, operation: u64) -> Answer {
        const WITHOUT_WAITING: u64 = 4;
        let description = self.files.get(descriptor)?;
        let wanted = match operation & !WITHOUT_WAITING {
            1 => FlockOperation::NonBlockingLockShared,
            2 => FlockOperation::NonBlockingLockExclusive,
            8 => FlockOperation::NonBlockingUnlock,
            _ => return Err(Errno::EINVAL),
        };
        let answer = match &description.open {
            Open::File(file) => rustix::fs::flock(file, wanted),
            Open::Folder(folder) => rustix::fs::flock(&folder.borrow().opened, wanted),
            _ => Ok(()),
        };
        match answer {
            Err(rustix::io::Errno::AGAIN) if operation & WITHOUT_WAITING == 0 => {
                self.pause_to_restart()
            }
            answer => Ok(answer.map(|()| 0)?),
        }
    }

    /// Answers `ioctl`.
    fn device_control(&mut self, descriptor: u64, command: u64, address: u64) -> Answer {
        const BYTES_TO_READ: u64 = 0x467f;
        let description = self.files.get(descriptor)?;
        let bytes = match &description.open {
            _ if command != BYTES_TO_READ => return Err(Errno::ENOTTY),
            Open::Pipe(pipe) => pipe.waiting() as u64,
            Open::File(file) => {
                let at = rustix::fs::seek(file, SeekFrom::Current(0))?;
                file.metadata()?.len().wrapping_sub(at)
            }
            _ => return Err(Errno::ENOTTY),
        };
        self.core.memory.write(address, &(bytes as u32).to_be_bytes())?;
        Ok(0)
    }

    /// Has the native machine write a file to its disk.
    fn synchronize(&mut self, descriptor: u64) -> Answer {
        match &self.files.get(descriptor)?.open {
            Open::File(file) => rustix::fs::fdatasync(file)?,
            Open::Folder(folder) => rustix::fs::fsync(folder.borrow().place.reader()?)?,
            _ => return Err(Errno::EINVAL),
        }
        Ok(0)
    }

    /// Answers `fallocate`.
    fn allocate(&mut self, descriptor: u64, mode: u64, offset: u64, length: u64) -> Answer {
        let description = self.files.get(descriptor)?;
        if mode != 0 {
            return Err(Errno::EOPNOTSUPP);
        }
        let file = description.file()?;
        rustix::fs::fallocate(file, FallocateFlags::empty(), offset, length)?;
        Ok(0)
    }

    /// Answers `close_range`.
    fn close_range(&mut self, first: u64, last: u64, flags: u64) -> Answer {
        const MARK: u64 = 4;
        let (first, last) = (u64::from(first as u32), u64::from(last as u32));
        if first > last || flags & !MARK != 0 {
            return Err(Errno::EINVAL);
        }
        for number in first..=last.min(crate::user::files::LIMIT as u64) {
            // Those that are not open stay so.
            let _ = match flags {
                MARK => self.files.close_on_exec(number, true),
                _ => self.close(number),
            };
        }
        Ok(0)
    }
}
