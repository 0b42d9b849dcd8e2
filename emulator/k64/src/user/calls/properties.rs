//! Properties of files: status, rights, times and length.

use super::names::At;
use crate::user::directory::{Directory, is_folder};
use crate::user::errno::{Answer, Errno};
use crate::user::files::{CURRENT, Open, flag};
use crate::user::row::Row;
use crate::user::{Process, start};
use rustix::fs::{AtFlags, FileType, Mode, Stat, Timespec, Timestamps};
use std::rc::Rc;

/// Rows of the table of system calls.
pub(super) const ROWS: &[Row] = &[
    Row::part(5004, "stat", OWNERS, |p, [a, b, ..]| p.stat_at(At::CURRENT, a, b, 0)),
    Row::part(5005, "fstat", OWNERS, |p, [a, b, ..]| {
        let status = p.descriptor_status(a)?;
        p.put_bytes(b, &status.plain())
    }),
    Row::part(5006, "lstat", OWNERS, |p, [a, b, ..]| p.stat_at(At::CURRENT, a, b, NO_FOLLOW)),
    Row::whole(5020, "access", |p, [a, b, ..]| p.access(At::CURRENT, a, b, 0)),
    Row::whole(5074, "truncate", |p, [a, b, ..]| p.truncate_path(a, b)),
    Row::whole(5075, "ftruncate", |p, [a, b, ..]| p.truncate(a, b)),
    Row::part(5088, "chmod", RIGHTS, |p, [a, b, ..]| p.set_mode(At::CURRENT, a, b)),
    Row::part(5089, "fchmod", RIGHTS, |p, [a, b, ..]| p.set_mode_of(a, b)),
    Row::part(5090, "chown", OWN, |p, [a, b, c, ..]| p.keep_owner(At::CURRENT, a, [b, c], 0)),
    Row::part(5091, "fchown", OWN, |p, [a, b, c, ..]| {
        p.files.get(a)?;
        same_owner([b, c])
    }),
    Row::part(5092, "lchown", OWN, |p, [a, b, c, ..]| {
        p.keep_owner(At::CURRENT, a, [b, c], NO_FOLLOW)
    }),
    Row::whole(5093, "umask", |p, [a, ..]| {
        Ok(std::mem::replace(&mut p.files.mask, a as u32 & 0o777).into())
    }),
    Row::whole(5130, "utime", |p, [a, b, ..]| {
        let times = p.times_at(b, |p, b| p.pair(b).map(|[a, m]| [(a, 0), (m, 0)]))?;
        p.set_times(At::CURRENT, a, &times, 0)
    }),
    Row::whole(5226, "utimes", |p, [a, b, ..]| {
        let times = p.times_at(b, Process::two_micros)?;
        p.set_times(At::CURRENT, a, &times, 0)
    }),
    Row::part(5250, "fchownat", OWN, |p, [a, b, c, d, e, _]| p.keep_owner(At(a), b, [c, d], e)),
    Row::whole(5251, "futimesat", |p, [a, b, c, ..]| {
        let times = p.times_at(c, Process::two_micros)?;
        p.set_times(At(a), b, &times, 0)
    }),
    Row::part(5252, "newfstatat", OWNERS, |p, [a, b, c, d, ..]| p.stat_at(At(a), b, c, d)),
    Row::part(5258, "fchmodat", RIGHTS, |p, [a, b, c, ..]| p.set_mode(At(a), b, c)),
    Row::whole(5259, "faccessat", |p, [a, b, c, ..]| p.access(At(a), b, c, 0)),
    Row::whole(5275, "utimensat", |p, [a, b, c, d, ..]| {
        let times = p.times_at(c, Process::two_nanos)?;
        let stays = |time: Timespec| time.tv_nsec as u64 == OMIT;
        match stays(times.last_access) && stays(times.last_modification) {
            true => Ok(0),
            false => p.set_times(At(a), b, &times, d),
        }
    }),
    Row::part(5326, "statx", OWNERS, |p, [a, b, c, d, e, _]| {
        const RESERVED: u64 = 1 << 31;
        if d & RESERVED != 0 || c & SYNCHRONIZATION == SYNCHRONIZATION {
            return Err(Errno::EINVAL);
        }
        let status = p.path_status(At(a), b, c)?;
        p.put_bytes(e, &status.extended())
    }),
    Row::whole(5439, "faccessat2", |p, [a, b, c, d, ..]| p.access(At(a), b, c, d)),
];

const OWNERS: &str = "everything belongs to the user of the process";
const OWN: &str =
    "everything belongs to the user of the process, and to give it to another is EPERM";
const RIGHTS: &str =
    "to set the bits of set-user-ID or set-group-ID is EPERM; the rights of a pipe stay";

/// Bytes that are best read at once.
const BLOCK: u32 = 4096;

const NO_FOLLOW: u64 = 0x100;
const EFFECTIVE: u64 = 0x200;
const NO_AUTOMOUNT: u64 = 0x800;
const EMPTY_PATH: u64 = 0x1000;
/// Flags of `statx` about files that are stored elsewhere.
const SYNCHRONIZATION: u64 = 0x6000;
/// Nanoseconds that stand for the time of the call, and for a time that stays.
const NOW: u64 = 0x3fff_ffff;
const OMIT: u64 = 0x3fff_fffe;

/// Answers a change of the owner, to whom everything belongs.
fn same_owner(owners: [u64; 2]) -> Answer {
    let stays = |id: u64| id as u32 == u32::MAX || u64::from(id as u32) == start::USER;
    if owners.into_iter().all(stays) { Ok(0) } else { Err(Errno::EPERM) }
}

/// Whether this user may access a file of the native machine: a sum of 4 to read, 2 to write, 1 to execute.
fn may(status: &Stat, wanted: u32) -> bool {
    let (user, group) = (rustix::process::geteuid(), rustix::process::getegid());
    if user.is_root() {
        return wanted & 1 == 0 || is_folder(status) || status.st_mode & 0o111 != 0;
    }
    let groups = rustix::process::getgroups().unwrap_or_default();
    let is_group = |id: u32| id == group.as_raw() || groups.iter().any(|g| g.as_raw() == id);
    let shift = match status {
        _ if status.st_uid == user.as_raw() => 6,
        _ if is_group(status.st_gid) => 3,
        _ => 0,
    };
    status.st_mode >> shift & wanted == wanted
}

impl Process {
    fn put_bytes(&mut self, address: u64, bytes: &[u8]) -> Answer {
        self.core.memory.write(address, bytes)?;
        Ok(0)
    }

    fn access(&mut self, at: At, address: u64, mode: u64, flags: u64) -> Answer {
        if mode > 7 || flags & !(NO_FOLLOW | EFFECTIVE | EMPTY_PATH) != 0 {
            return Err(Errno::EINVAL);
        }
        let status = match self.of_descriptor(at, address, flags)? {
            Some(CURRENT) => self.current()?.status()?,
            Some(description) => match &self.files.get(description)?.open {
                Open::File(file) => rustix::fs::fstat(file)?,
                Open::Folder(folder) => folder.borrow().place.status()?,
                _ => return Ok(0),
            },
            None => self.target(at, address, flags & NO_FOLLOW == 0)?.status()?,
        };
        if may(&status, mode as u32) { Ok(0) } else { Err(Errno::EACCES) }
    }

    /// Returns the descriptor that a call is about instead of a path, if its flags and an empty path say so; it may be that
    /// of the current folder.
    fn of_descriptor(&self, at: At, address: u64, flags: u64) -> Result<Option<u64>, Errno> {
        let is_empty = flags & EMPTY_PATH != 0 && self.core.memory.read_text(address)?.is_empty();
        Ok(is_empty.then_some(at.0))
    }

    /// Returns the current folder.
    fn current(&self) -> Result<Rc<Directory>, Errno> {
        self.files.current().cloned().ok_or(Errno::EACCES)
    }

    fn truncate(&mut self, descriptor: u64, length: u64) -> Answer {
        let description = self.files.get(descriptor)?;
        let Open::File(file) = &description.open else { return Err(Errno::EINVAL) };
        if length > i64::MAX as u64 || description.flags.get() & flag::ACCESS == 0 {
            return Err(Errno::EINVAL);
        }
        rustix::fs::ftruncate(file, length)?;
        Ok(0)
    }

    fn truncate_path(&mut self, address: u64, length: u64) -> Answer {
        if length > i64::MAX as u64 {
            return Err(Errno::EINVAL);
        }
        let status = self.target(At::CURRENT, address, true)?.status()?;
        if !is_folder(&status) && !FileType::from_raw_mode(status.st_mode).is_file() {
            return Err(Errno::EINVAL);
        }
        let file = self.open(At::CURRENT, address, flag::WRITE_ONLY, 0)?;
        let answer = self.truncate(file, length);
        self.files.close(file)?;
        answer
    }

    fn set_mode(&mut self, at: At, address: u64, mode: u64) -> Answer {
        let target = self.target(at, address, true)?;
        target.set_mode(settable(mode)?)?;
        Ok(0)
    }

    fn set_mode_of(&mut self, descriptor: u64, mode: u64) -> Answer {
        let description = self.files.get(descriptor)?;
        let mode = Mode::from_raw_mode(settable(mode)?);
        match &description.open {
            Open::File(file) => rustix::fs::fchmod(file, mode)?,
            Open::Folder(folder) => rustix::fs::fchmod(folder.borrow().place.reader()?, mode)?,
            _ => {}
        }
        Ok(0)
    }

    fn keep_owner(&mut self, at: At, address: u64, owners: [u64; 2], flags: u64) -> Answer {
        match self.of_descriptor(at, address, flags)? {
            None => {
                self.target(at, address, flags & NO_FOLLOW == 0)?.status()?;
            }
            Some(CURRENT) => {}
            Some(descriptor) => {
                self.files.get(descriptor)?;
            }
        }
        same_owner(owners)
    }

    /// Reads times of access and of change; those of the call, where there is no address.
    fn times_at(
        &mut self,
        address: u64,
        read: impl Fn(&Self, u64) -> Result<[(u64, u64); 2], Errno>,
    ) -> Result<Timestamps, Errno> {
        let times = if address == 0 { [(0, NOW); 2] } else { read(self, address)? };
        let [last_access, last_modification] = times.map(|(seconds, nanoseconds)| Timespec {
            tv_sec: seconds as i64,
            tv_nsec: nanoseconds as i64,
        });
        Ok(Timestamps { last_access, last_modification })
    }

    fn two_micros(&self, address: u64) -> Result<[(u64, u64); 2], Errno> {
        let times = [self.pair(address)?, self.pair(address.wrapping_add(16))?];
        if times.iter().any(|[_, micros]| *micros >= 1_000_000) {
            return Err(Errno::EINVAL);
        }
        Ok(times.map(|[seconds, micros]| (seconds, micros * 1000)))
    }

    fn two_nanos(&self, address: u64) -> Result<[(u64, u64); 2], Errno> {
        let times = [self.pair(address)?, self.pair(address.wrapping_add(16))?];
        let is_valid = |nanos: u64| nanos < super::time::SECOND || nanos == NOW || nanos == OMIT;
        if times.iter().any(|[_, nanos]| !is_valid(*nanos)) {
            return Err(Errno::EINVAL);
        }
        Ok(times.map(|[seconds, nanos]| (seconds, nanos)))
    }

    /// Sets the times of a path, or of a descriptor where there is none. Times of the call are those of the native machine,
    /// as are all times of files.
    fn set_times(&mut self, at: At, address: u64, times: &Timestamps, flags: u64) -> Answer {
        if flags & !(NO_FOLLOW | EMPTY_PATH) != 0 {
            return Err(Errno::EINVAL);
        }
        let is_of_descriptor = address == 0 && at.0 != CURRENT;
        if is_of_descriptor && flags != 0 {
            return Err(Errno::EINVAL);
        }
        if is_of_descriptor || self.of_descriptor(at, address, flags)?.is_some() {
            if at.0 == CURRENT {
                rustix::fs::utimensat(&*self.current()?, ".", times, AtFlags::empty())?;
                return Ok(0);
            }
            match &self.files.get(at.0)?.open {
                Open::File(file) => rustix::fs::futimens(file, times)?,
                Open::Folder(folder) => {
                    rustix::fs::utimensat(&*folder.borrow().place, ".", times, AtFlags::empty())?;
                }
                _ => return Err(Errno::EINVAL),
            }
            return Ok(0);
        }
        let target = self.target(at, address, flags & NO_FOLLOW == 0)?;
        target.status()?;
        let name = target.name().unwrap_or(b".");
        rustix::fs::utimensat(&target.folder, name, times, AtFlags::SYMLINK_NOFOLLOW)?;
        Ok(0)
    }

    fn descriptor_status(&mut self, descriptor: u64) -> Result<Status, Errno> {
        match &self.files.get(descriptor)?.open {
            Open::File(file) => Ok(Status::of(&rustix::fs::fstat(file)?)),
            Open::Folder(folder) => {
                folder.borrow().place.status().map(|status| Status::of(&status))
            }
            Open::Input | Open::Output | Open::Error | Open::Pipe(_) => Ok(Status::PIPE),
        }
    }

    fn path_status(&mut self, at: At, address: u64, flags: u64) -> Result<Status, Errno> {
        if flags & !(NO_FOLLOW | NO_AUTOMOUNT | EMPTY_PATH | SYNCHRONIZATION) != 0 {
            return Err(Errno::EINVAL);
        }
        match self.of_descriptor(at, address, flags)? {
            Some(CURRENT) => self.current()?.status().map(|status| Status::of(&status)),
            Some(descriptor) => self.descriptor_status(descriptor),
            None => {
                let target = self.target(at, address, flags & NO_FOLLOW == 0)?;
                target.status().map(|status| Status::of(&status))
            }
        }
    }

    fn stat_at(&mut self, at: At, path: u64, address: u64, flags: u64) -> Answer {
        let status = self.path_status(at, path, flags)?;
        self.put_bytes(address, &status.plain())
    }
}

/// Returns a mode that a file may be given.
fn settable(mode: u64) -> Result<u32, Errno> {
    const SET_IDS: u64 = 0o6000;
    if mode & SET_IDS == 0 { Ok(mode as u32 & 0o1777) } else { Err(Errno::EPERM) }
}

/// Status of a file of the native machine; the owner is the user of the process.
struct Status {
    /// Numbers of the device, the major one and the minor one.
    device: [u32; 2],
    inode: u64,
    mode: u32,
    links: u32,
    size: u64,
    blocks: u64,
    /// Times of access, of the bytes, and of the status, in seconds and nanoseconds.
    times: [(i64, u32); 3],
}

impl Status {
    /// Status of a stream that is no file.
    const PIPE: Self = Self {
        device: [0; 2],
        inode: 1,
        mode: 0o10600,
        links: 1,
        size: 0,
        blocks: 0,
        times: [(0, 0); 3],
    };

    fn of(status: &Stat) -> Self {
        Self {
            device: [rustix::fs::major(status.st_dev), rustix::fs::minor(status.st_dev)],
            inode: status.st_ino,
            mode: status.st_mode,
            links: status.st_nlink as u32,
            size: status.st_size as u64,
            blocks: status.st_blocks as u64,
            times: [
                (status.st_atime, status.st_atime_nsec as u32),
                (status.st_mtime, status.st_mtime_nsec as u32),
                (status.st_ctime, status.st_ctime_nsec as u32),
            ],
        }
    }

    /// Returns `struct stat` of the n64 ABI, 104 bytes.
    fn plain(&self) -> Vec<u8> {
        let mut bytes = vec![0; 104];
        let [major, minor] = self.device;
        let device = minor & 0xff | major << 8 | (minor & !0xff) << 12;
        put(&mut bytes, 0, &device.to_be_bytes());
        put(&mut bytes, 16, &self.inode.to_be_bytes());
        put(&mut bytes, 24, &self.mode.to_be_bytes());
        put(&mut bytes, 28, &self.links.to_be_bytes());
        put(&mut bytes, 32, &(start::USER as u32).to_be_bytes());
        put(&mut bytes, 36, &(start::USER as u32).to_be_bytes());
        put(&mut bytes, 56, &self.size.to_be_bytes());
        for (i, (seconds, nanoseconds)) in self.times.into_iter().enumerate() {
            put(&mut bytes, 64 + 8 * i, &(seconds as u32).to_be_bytes());
            put(&mut bytes, 68 + 8 * i, &nanoseconds.to_be_bytes());
        }
        put(&mut bytes, 88, &BLOCK.to_be_bytes());
        put(&mut bytes, 96, &self.blocks.to_be_bytes());
        bytes
    }

    /// Returns `struct statx`, 256 bytes.
    fn extended(&self) -> Vec<u8> {
        let mut bytes = vec![0; 256];
        put(&mut bytes, 0, &0x7ffu32.to_be_bytes());
        put(&mut bytes, 4, &BLOCK.to_be_bytes());
        put(&mut bytes, 16, &self.links.to_be_bytes());
        put(&mut bytes, 20, &(start::USER as u32).to_be_bytes());
        put(&mut bytes, 24, &(start::USER as u32).to_be_bytes());
        put(&mut bytes, 28, &(self.mode as u16).to_be_bytes());
        put(&mut bytes, 32, &self.inode.to_be_bytes());
        put(&mut bytes, 40, &self.size.to_be_bytes());
        put(&mut bytes, 48, &self.blocks.to_be_bytes());
        for (at, (seconds, nanoseconds)) in [64, 112, 96].into_iter().zip(self.times) {
            put(&mut bytes, at, &seconds.to_be_bytes());
            put(&mut bytes, at + 8, &nanoseconds.to_be_bytes());
        }
        put(&mut bytes, 136, &self.device[0].to_be_bytes());
        put(&mut bytes, 140, &self.device[1].to_be_bytes());
        bytes
    }
}

fn put(bytes: &mut [u8], at: usize, value: &[u8]) {
    bytes[at..at + value.len()].copy_from_slice(value);
}
