//! Files: to open, read, write, find out about, rename and remove.

use crate::user::Process;
use crate::user::errno::{Answer, Errno, errno};
use crate::user::files::{Open, flag};
use crate::user::signals;
use cap_std::fs::{Metadata, MetadataExt};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::PathBuf;

/// The folder that a path is relative to: a descriptor, or the current one.
#[derive(Clone, Copy)]
struct At(u64);

impl At {
    const CURRENT: Self = Self(-100i64 as u64);
}

/// Commands of `fcntl` on locks, and the kind of a lock that is none.
mod lock {
    pub(super) const SET: u64 = 6;
    pub(super) const SET_AND_WAIT: u64 = 7;
    pub(super) const GET: u64 = 14;
    pub(super) const OPEN_GET: u64 = 36;
    pub(super) const OPEN_SET: u64 = 37;
    pub(super) const OPEN_SET_AND_WAIT: u64 = 38;
    pub(super) const NONE: u16 = 2;
}

const EMPTY_PATH: u64 = 0x1000;
const NO_FOLLOW: u64 = 0x100;
/// Largest number of bytes of a single transfer; Linux has such a limit too.
const LONGEST: u64 = 0x7fff_f000;

impl Process {
    /// Answers a call on files; of any other call, that it does not exist.
    pub(super) fn answer_of_files(&mut self, number: u64, [a, b, c, d, e, _]: [u64; 6]) -> Answer {
        match number {
            5000 => self.read(a, b, c),
            5001 => self.write(a, b, c),
            5002 => self.open(At::CURRENT, a, b, c),
            5003 => self.files.close(a),
            5004 => self.stat_path(a, b),
            5006 => self.stat_link(a, b),
            5005 => self.stat_descriptor(a, b),
            5008 => self.seek(a, b as i64, c),
            5015 => self.control(a),
            5016 => self.read_at(a, b, c, d),
            5017 => self.write_at(a, b, c, d),
            5018 => self.read_parts(a, b, c),
            5019 => self.write_parts(a, b, c),
            5020 => self.access(At::CURRENT, a),
            5031 => self.files.duplicate_above(a, 0),
            5032 | 5286 => self.files.duplicate_to(a, b),
            5070 => self.descriptor_control(a, b, c),
            5071 => self.lock_file(a, b),
            5074 => self.truncate_path(a, b),
            5075 => self.truncate(a, b),
            5077 => self.current_folder(a, b),
            5078 => self.change_folder(a),
            5079 => self.change_to(a),
            5080 => self.rename((At::CURRENT, a), (At::CURRENT, b)),
            5081 => self.make_folder(At::CURRENT, a),
            5082 => self.remove(At::CURRENT, a, true),
            5085 => self.remove(At::CURRENT, a, false),
            5087 => self.read_link(At::CURRENT, a, b, c),
            5247 => self.open(At(a), b, c, d),
            5248 => self.make_folder(At(a), b),
            5252 => self.stat_at(At(a), b, c, d),
            5253 => self.remove(At(a), b, c & 0x200 != 0),
            // What the flags of the later call ask for is not done.
            5311 if e != 0 => Err(Errno::EINVAL),
            5254 | 5311 => self.rename((At(a), b), (At(c), d)),
            5257 => self.read_link(At(a), b, c, d),
            5259 => self.access(At(a), b),
            5308 => self.read_folder(a, b, c),
            5326 => self.stat_extended(At(a), b, c, e),
            _ => Err(Errno::ENOSYS),
        }
    }

    fn path(&mut self, at: At, address: u64) -> Result<PathBuf, Errno> {
        let text = self.core.memory.read_text(address)?;
        self.files.path(at.0, &text)
    }

    fn open(&mut self, at: At, address: u64, flags: u64, mode: u64) -> Answer {
        let path = self.path(at, address)?;
        self.files.open_path(&path, flags, mode)
    }

    fn read(&mut self, descriptor: u64, address: u64, length: u64) -> Answer {
        let mut buffer = vec![0; length.min(1 << 20) as usize];
        let read = match self.files.get(descriptor)? {
            Open::Input => self.streams.input.read(&mut buffer),
            Open::File(file) => file.read(&mut buffer),
            Open::Folder(_) => return Err(Errno::EISDIR),
            Open::Output | Open::Error => return Err(Errno::EBADF),
        };
        let read = read.map_err(|e| errno(&e))?;
        self.core.memory.write(address, &buffer[..read])?;
        Ok(read as u64)
    }

    fn write(&mut self, descriptor: u64, address: u64, length: u64) -> Answer {
        let bytes = self.core.memory.read(address, length.min(LONGEST))?;
        let written = match self.files.get(descriptor)? {
            Open::Output => self.streams.output.write_all(&bytes).map(|()| bytes.len()),
            Open::Error => self.streams.error.write_all(&bytes).map(|()| bytes.len()),
            Open::File(file) => file.write(&bytes),
            Open::Input | Open::Folder(_) => return Err(Errno::EBADF),
        };
        let answer = written.map(|n| n as u64).map_err(|e| errno(&e));
        if answer == Err(Errno::EPIPE) {
            self.signals.raise(signals::PIPE);
        }
        answer
    }

    fn elsewhere(
        &mut self,
        descriptor: u64,
        offset: u64,
        then: impl FnOnce(&mut Self) -> Answer,
    ) -> Answer {
        let old = self.seek(descriptor, 0, 1)?;
        self.seek(descriptor, offset as i64, 0)?;
        let answer = then(self);
        self.seek(descriptor, old as i64, 0)?;
        answer
    }

    fn read_at(&mut self, descriptor: u64, address: u64, length: u64, offset: u64) -> Answer {
        self.elsewhere(descriptor, offset, |process| process.read(descriptor, address, length))
    }

    fn write_at(&mut self, descriptor: u64, address: u64, length: u64, offset: u64) -> Answer {
        self.elsewhere(descriptor, offset, |process| process.write(descriptor, address, length))
    }

    /// Does something with each part of a vector of buffers, until one is not done whole.
    fn parts(
        &mut self,
        address: u64,
        count: u64,
        each: impl Fn(&mut Self, u64, u64) -> Answer,
    ) -> Answer {
        let mut done = 0;
        for i in 0..count.min(1024) {
            let [base, length] = self.pair(address.wrapping_add(16 * i))?;
            if length == 0 {
                continue;
            }
            match each(self, base, length) {
                Ok(n) if n < length => return Ok(done + n),
                Ok(n) => done += n,
                Err(_) if done > 0 => break,
                Err(error) => return Err(error),
            }
        }
        Ok(done)
    }

    fn read_parts(&mut self, descriptor: u64, address: u64, count: u64) -> Answer {
        self.parts(address, count, |process, base, length| process.read(descriptor, base, length))
    }

    fn write_parts(&mut self, descriptor: u64, address: u64, count: u64) -> Answer {
        self.parts(address, count, |process, base, length| process.write(descriptor, base, length))
    }

    /// Answers `getdents64`: writes the next entries of a folder to memory, as many as fit into `length` bytes, at most
    /// 1 MiB.
    fn read_folder(&mut self, descriptor: u64, address: u64, length: u64) -> Answer {
        let most = length.min(1 << 20) as usize;
        let bytes = self.files.read_folder(descriptor, most)?;
        self.core.memory.write(address, &bytes)?;
        Ok(bytes.len() as u64)
    }

    fn seek(&mut self, descriptor: u64, offset: i64, whence: u64) -> Answer {
        if let (Open::Folder(folder), 0) = (self.files.get(descriptor)?, whence) {
            let offset = u64::try_from(offset).map_err(|_| Errno::EINVAL)?;
            folder.seek(offset);
            return Ok(offset);
        }
        let file = self.files.file(descriptor)?;
        let to = match whence {
            0 => SeekFrom::Start(u64::try_from(offset).map_err(|_| Errno::EINVAL)?),
            1 => SeekFrom::Current(offset),
            2 => SeekFrom::End(offset),
            _ => return Err(Errno::EINVAL),
        };
        file.seek(to).map_err(|e| errno(&e))
    }

    fn truncate(&mut self, descriptor: u64, length: u64) -> Answer {
        self.files.file(descriptor)?.set_len(length).map(|()| 0).map_err(|e| errno(&e))
    }

    fn truncate_path(&mut self, address: u64, length: u64) -> Answer {
        let file = self.open(At::CURRENT, address, flag::WRITE_ONLY, 0)?;
        let answer = self.truncate(file, length);
        self.files.close(file)?;
        answer
    }

    /// Answers `ioctl` with an error: no descriptor is a terminal.
    fn control(&mut self, descriptor: u64) -> Answer {
        self.files.get(descriptor)?;
        Err(Errno::ENOTTY)
    }

    /// Answers `fcntl`: copies descriptors, locks for the only process there is; flags are accepted and have no effect.
    fn descriptor_control(&mut self, descriptor: u64, command: u64, argument: u64) -> Answer {
        match command {
            0 | 1030 => self.files.duplicate_above(descriptor, argument),
            1..=4 => match self.files.get(descriptor)? {
                Open::Output | Open::Error if command == 3 => Ok(1),
                Open::File(_) if command == 3 => Ok(2),
                _ => Ok(0),
            },
            lock::SET | lock::SET_AND_WAIT | lock::OPEN_SET | lock::OPEN_SET_AND_WAIT => {
                self.lock(descriptor, argument).map(|_| 0)
            }
            lock::GET | lock::OPEN_GET => {
                let mut told = self.lock(descriptor, argument)?;
                told[..2].copy_from_slice(&lock::NONE.to_be_bytes());
                self.core.memory.write(argument, &told)?;
                Ok(0)
            }
            _ => Err(Errno::EINVAL),
        }
    }

    /// Reads `struct flock`, 32 bytes, of a lock on a file; nobody else has one.
    fn lock(&mut self, descriptor: u64, address: u64) -> Result<Vec<u8>, Errno> {
        if !matches!(self.files.get(descriptor)?, Open::File(_)) {
            return Err(Errno::EBADF);
        }
        let told = self.core.memory.read(address, 32)?;
        let kind = u16::from_be_bytes([told[0], told[1]]);
        if kind > lock::NONE { Err(Errno::EINVAL) } else { Ok(told) }
    }

    /// Answers `flock`.
    fn lock_file(&mut self, descriptor: u64, operation: u64) -> Answer {
        const WITHOUT_WAITING: u64 = 4;
        self.files.get(descriptor)?;
        if matches!(operation & !WITHOUT_WAITING, 1 | 2 | 8) { Ok(0) } else { Err(Errno::EINVAL) }
    }

    fn access(&mut self, at: At, address: u64) -> Answer {
        let path = self.path(at, address)?;
        self.files.metadata(&path).map(|_| 0)
    }

    fn rename(&mut self, (from_at, from): (At, u64), (to_at, to): (At, u64)) -> Answer {
        let (from, to) = (self.path(from_at, from)?, self.path(to_at, to)?);
        let folder = self.files.folder()?;
        folder.rename(from, folder, to).map(|()| 0).map_err(|e| errno(&e))
    }

    fn make_folder(&mut self, at: At, address: u64) -> Answer {
        let path = self.path(at, address)?;
        self.files.folder()?.create_dir(path).map(|()| 0).map_err(|e| errno(&e))
    }

    fn remove(&mut self, at: At, address: u64, is_folder: bool) -> Answer {
        let path = self.path(at, address)?;
        let folder = self.files.folder()?;
        let removed = if is_folder { folder.remove_dir(path) } else { folder.remove_file(path) };
        removed.map(|()| 0).map_err(|e| errno(&e))
    }

    fn read_link(&mut self, at: At, path: u64, address: u64, length: u64) -> Answer {
        let path = self.path(at, path)?;
        let target = self.files.folder()?.read_link(path).map_err(|e| errno(&e))?;
        let text = target.to_string_lossy();
        let bytes = &text.as_bytes()[..text.len().min(length as usize)];
        self.core.memory.write(address, bytes)?;
        Ok(bytes.len() as u64)
    }

    fn current_folder(&mut self, address: u64, length: u64) -> Answer {
        let text = format!("/{}\0", self.files.current.display());
        if text.len() as u64 > length {
            return Err(Errno::ERANGE);
        }
        self.core.memory.write(address, text.as_bytes())?;
        Ok(text.len() as u64)
    }

    fn change_folder(&mut self, address: u64) -> Answer {
        let path = self.path(At::CURRENT, address)?;
        if !self.files.metadata(&path)?.is_dir() {
            return Err(Errno::ENOTDIR);
        }
        self.enter(path)
    }

    /// Answers `fchdir`.
    fn change_to(&mut self, descriptor: u64) -> Answer {
        match self.files.get(descriptor)? {
            Open::Folder(folder) => {
                let path = folder.path.clone();
                self.enter(path)
            }
            _ => Err(Errno::ENOTDIR),
        }
    }

    fn enter(&mut self, path: PathBuf) -> Answer {
        self.files.current = if path.as_os_str() == "." { PathBuf::new() } else { path };
        Ok(0)
    }

    fn descriptor_status(&mut self, descriptor: u64) -> Result<Status, Errno> {
        match self.files.get(descriptor)? {
            Open::File(file) => Ok(Status::of(&file.metadata().map_err(|e| errno(&e))?)),
            Open::Folder(folder) => {
                let path = folder.path.clone();
                Ok(Status::of(&self.files.metadata(&path)?))
            }
            Open::Input | Open::Output | Open::Error => Ok(Status::PIPE),
        }
    }

    fn path_status(&mut self, at: At, address: u64, flags: u64) -> Result<Status, Errno> {
        if flags & EMPTY_PATH != 0 && self.core.memory.read_text(address)?.is_empty() {
            return self.descriptor_status(at.0);
        }
        let path = self.path(at, address)?;
        let is_followed = flags & NO_FOLLOW == 0;
        let metadata =
            if is_followed { self.files.metadata(&path) } else { self.files.link_metadata(&path) };
        metadata.map(|metadata| Status::of(&metadata))
    }

    fn stat_path(&mut self, path: u64, address: u64) -> Answer {
        self.stat_at(At::CURRENT, path, address, 0)
    }

    /// Answers `lstat`.
    fn stat_link(&mut self, path: u64, address: u64) -> Answer {
        self.stat_at(At::CURRENT, path, address, NO_FOLLOW)
    }

    fn stat_at(&mut self, at: At, path: u64, address: u64, flags: u64) -> Answer {
        let status = self.path_status(at, path, flags)?;
        self.core.memory.write(address, &status.plain())?;
        Ok(0)
    }

    fn stat_descriptor(&mut self, descriptor: u64, address: u64) -> Answer {
        let status = self.descriptor_status(descriptor)?;
        self.core.memory.write(address, &status.plain())?;
        Ok(0)
    }

    fn stat_extended(&mut self, at: At, path: u64, flags: u64, address: u64) -> Answer {
        let status = self.path_status(at, path, flags)?;
        self.core.memory.write(address, &status.extended())?;
        Ok(0)
    }
}

/// Metadata of a file of the native machine that `stat` tells; owners and times are not told.
struct Status {
    inode: u64,
    mode: u32,
    links: u32,
    size: u64,
}

impl Status {
    const PIPE: Self = Self { inode: 1, mode: 0o10600, links: 1, size: 0 };

    fn of(metadata: &Metadata) -> Self {
        Self {
            inode: metadata.ino(),
            mode: metadata.mode(),
            links: metadata.nlink() as u32,
            size: metadata.size(),
        }
    }

    /// Returns `struct stat` of the n64 ABI, 104 bytes.
    fn plain(&self) -> Vec<u8> {
        let mut bytes = vec![0; 104];
        put(&mut bytes, 16, &self.inode.to_be_bytes());
        put(&mut bytes, 24, &self.mode.to_be_bytes());
        put(&mut bytes, 28, &self.links.to_be_bytes());
        put(&mut bytes, 32, &1000u32.to_be_bytes());
        put(&mut bytes, 36, &1000u32.to_be_bytes());
        put(&mut bytes, 56, &self.size.to_be_bytes());
        put(&mut bytes, 88, &4096u32.to_be_bytes());
        put(&mut bytes, 96, &self.size.div_ceil(512).to_be_bytes());
        bytes
    }

    /// Returns `struct statx`, 256 bytes.
    fn extended(&self) -> Vec<u8> {
        let mut bytes = vec![0; 256];
        put(&mut bytes, 0, &0x7ffu32.to_be_bytes());
        put(&mut bytes, 4, &4096u32.to_be_bytes());
        put(&mut bytes, 16, &self.links.to_be_bytes());
        put(&mut bytes, 20, &1000u32.to_be_bytes());
        put(&mut bytes, 24, &1000u32.to_be_bytes());
        put(&mut bytes, 28, &(self.mode as u16).to_be_bytes());
        put(&mut bytes, 32, &self.inode.to_be_bytes());
        put(&mut bytes, 40, &self.size.to_be_bytes());
        put(&mut bytes, 48, &self.size.div_ceil(512).to_be_bytes());
        bytes
    }
}

fn put(bytes: &mut [u8], at: usize, value: &[u8]) {
    bytes[at..at + value.len()].copy_from_slice(value);
}
