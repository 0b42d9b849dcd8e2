//! Locks of `fcntl` on ranges of files: those of the process, and those of open files, which the process and other open
//! files respect. Other processes of the native machine do not see them.

use super::Process;
use super::errno::{Answer, Errno};
use super::files::{Description, Open, flag};
use rustix::fs::SeekFrom;
use std::rc::{Rc, Weak};

/// Kinds of locks in `struct flock`.
mod kind {
    pub(super) const TO_READ: u16 = 0;
    pub(super) const TO_WRITE: u16 = 1;
    pub(super) const NONE: u16 = 2;
}

/// Bytes of `struct flock`.
const BYTES: u64 = 32;
/// Last place in a file.
const LAST: u64 = i64::MAX as u64;

/// Owner of a lock.
#[derive(Clone)]
enum Owner {
    Process,
    Open(Weak<Description>),
}

impl Owner {
    fn is(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Process, Self::Process) => true,
            (Self::Open(one), Self::Open(two)) => Weak::ptr_eq(one, two),
            _ => false,
        }
    }
}

/// A lock on the bytes of a file from the first to the last one.
#[derive(Clone)]
struct Lock {
    /// Numbers of the device and of the inode.
    file: [u64; 2],
    owner: Owner,
    kind: u16,
    first: u64,
    last: u64,
}

impl Lock {
    fn is_beside(&self, other: &Self) -> bool {
        self.file != other.file || self.last < other.first || other.last < self.first
    }

    fn hinders(&self, other: &Self) -> bool {
        let is_any_to_write = [self.kind, other.kind].contains(&kind::TO_WRITE);
        is_any_to_write && !self.owner.is(&other.owner) && !self.is_beside(other)
    }

    /// Returns the parts before and behind another lock.
    fn without(self, other: &Self) -> Vec<Self> {
        if self.is_beside(other) {
            return vec![self];
        }
        let mut parts = Vec::new();
        if self.first < other.first {
            parts.push(Self { last: other.first - 1, ..self.clone() });
        }
        if other.last < self.last {
            parts.push(Self { first: other.last + 1, ..self });
        }
        parts
    }
}

/// Locks of a process and of its open files.
#[derive(Default)]
pub(super) struct Locks {
    held: Vec<Lock>,
}

impl Locks {
    /// Forgets the locks of open files that are closed.
    fn tidy(&mut self) {
        self.held.retain(|lock| match &lock.owner {
            Owner::Process => true,
            Owner::Open(open) => open.strong_count() > 0,
        });
    }

    fn in_the_way(&self, wanted: &Lock) -> Option<&Lock> {
        self.held.iter().find(|lock| lock.hinders(wanted))
    }

    /// Takes a lock, or gives back the range if it is of no kind. Locks of an owner that touch become one.
    fn take(&mut self, mut wanted: Lock) {
        let (first, last) = (wanted.first, wanted.last);
        for lock in &self.held {
            let touches =
                lock.first <= last.saturating_add(1) && first <= lock.last.saturating_add(1);
            let is_alike = lock.file == wanted.file && lock.kind == wanted.kind;
            if is_alike && touches && lock.owner.is(&wanted.owner) {
                wanted.first = wanted.first.min(lock.first);
                wanted.last = wanted.last.max(lock.last);
            }
        }
        let held = std::mem::take(&mut self.held).into_iter();
        self.held = held
            .flat_map(|lock| match lock.owner.is(&wanted.owner) {
                true => lock.without(&wanted),
                false => vec![lock],
            })
            .collect();
        if wanted.kind != kind::NONE {
            self.held.push(wanted);
        }
    }

    /// Gives back the locks of the process on a file, of which it has closed a descriptor.
    fn close(&mut self, file: [u64; 2]) {
        self.held.retain(|lock| lock.file != file || !matches!(lock.owner, Owner::Process));
    }
}

/// Returns the numbers of the device and of the inode of a file.
fn identity(description: &Description) -> Result<[u64; 2], Errno> {
    let Open::File(file) = &description.open else { return Err(Errno::EBADF) };
    let status = rustix::fs::fstat(file)?;
    Ok([status.st_dev, status.st_ino])
}

/// Reads `struct flock` of a file: kind, base of the place, place, number of bytes, process.
fn lock_of(description: &Description, told: &[u8], owner: Owner) -> Result<Lock, Errno> {
    let word = |at: usize| {
        let mut word = [0; 8];
        word.copy_from_slice(&told[at..at + 8]);
        i64::from_be_bytes(word)
    };
    let half = |at: usize| u16::from_be_bytes([told[at], told[at + 1]]);
    let (kind, start, length) = (half(0), word(8), word(16));
    let file = identity(description)?;
    let base = match half(2) {
        0 => 0,
        1 => rustix::fs::seek(description.file()?, SeekFrom::Current(0))? as i64,
        2 => description.file()?.metadata()?.len() as i64,
        _ => return Err(Errno::EINVAL),
    };
    let start = base.checked_add(start).ok_or(Errno::EOVERFLOW)?;
    let (first, last) = match length {
        0 => (start, LAST as i64),
        1.. => (start, start.checked_add(length - 1).ok_or(Errno::EOVERFLOW)?),
        _ => (start.checked_add(length).ok_or(Errno::EINVAL)?, start.wrapping_sub(1)),
    };
    if kind > kind::NONE || start < 0 || first < 0 {
        return Err(Errno::EINVAL);
    }
    let is_of_open = matches!(owner, Owner::Open(_));
    if is_of_open && told[24..28] != [0; 4] {
        return Err(Errno::EINVAL);
    }
    Ok(Lock { file, owner, kind, first: first as u64, last: last as u64 })
}

impl Process {
    /// Reads the lock at an address, for the process or for an open file.
    fn lock_at(
        &self,
        description: &Rc<Description>,
        address: u64,
        is_of_open: bool,
    ) -> Result<Lock, Errno> {
        let told = self.core.memory.read(address, BYTES)?;
        let owner = match is_of_open {
            true => Owner::Open(Rc::downgrade(description)),
            false => Owner::Process,
        };
        lock_of(description, &told, owner)
    }

    /// Answers `fcntl` with F_SETLK and its relatives.
    pub(super) fn set_lock(
        &mut self,
        description: &Rc<Description>,
        address: u64,
        is_of_open: bool,
        is_waiting: bool,
    ) -> Answer {
        let wanted = self.lock_at(description, address, is_of_open)?;
        match (wanted.kind, description.flags.get() & flag::ACCESS) {
            (kind::TO_READ, flag::WRITE_ONLY) | (kind::TO_WRITE, flag::READ_ONLY) => {
                return Err(Errno::EBADF);
            }
            _ => {}
        }
        self.locks.tidy();
        if wanted.kind != kind::NONE && self.locks.in_the_way(&wanted).is_some() {
            return if is_waiting { self.pause_to_restart() } else { Err(Errno::EAGAIN) };
        }
        self.locks.take(wanted);
        Ok(0)
    }

    /// Answers `fcntl` with F_GETLK and F_OFD_GETLK: tells a lock that is in the way of another.
    pub(super) fn tell_lock(
        &mut self,
        description: &Rc<Description>,
        address: u64,
        is_of_open: bool,
    ) -> Answer {
        let wanted = self.lock_at(description, address, is_of_open)?;
        if wanted.kind == kind::NONE {
            return Err(Errno::EINVAL);
        }
        self.locks.tidy();
        let Some(lock) = self.locks.in_the_way(&wanted) else {
            self.core.memory.write(address, &kind::NONE.to_be_bytes())?;
            return Ok(0);
        };
        let length = if lock.last == LAST { 0 } else { lock.last - lock.first + 1 };
        let process: i32 = if matches!(lock.owner, Owner::Process) { 1 } else { -1 };
        let mut told = [0; BYTES as usize - 4];
        told[..2].copy_from_slice(&lock.kind.to_be_bytes());
        told[8..16].copy_from_slice(&lock.first.to_be_bytes());
        told[16..24].copy_from_slice(&length.to_be_bytes());
        told[24..28].copy_from_slice(&process.to_be_bytes());
        self.core.memory.write(address, &told)?;
        Ok(0)
    }

    /// Answers `close`.
    pub(super) fn close(&mut self, descriptor: u64) -> Answer {
        let closed = self.files.get(descriptor)?;
        self.files.close(descriptor)?;
        self.leave_locks(&closed);
        Ok(0)
    }

    /// Answers `dup2` and `dup3`: makes `wanted` a second descriptor for an open file.
    pub(super) fn duplicate_to(
        &mut self,
        descriptor: u64,
        wanted: u64,
        is_closed_on_exec: bool,
    ) -> Answer {
        let closed = self.files.get(wanted);
        let answer = self.files.duplicate_to(descriptor, wanted, is_closed_on_exec)?;
        if let Ok(closed) = closed {
            self.leave_locks(&closed);
        }
        Ok(answer)
    }

    /// Gives back the locks that the process has on a file, because it has closed a descriptor of it.
    fn leave_locks(&mut self, description: &Description) {
        if !self.locks.held.is_empty()
            && let Ok(file) = identity(description)
        {
            self.locks.close(file);
        }
    }
}
