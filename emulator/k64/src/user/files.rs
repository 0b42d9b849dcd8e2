//! The descriptors of a process: standard streams, pipes, and what lies below one folder of the native machine, where only
//! files and folders can be opened.

use super::directory::{Directory, Target, is_folder};
use super::errno::{Answer, Errno};
use super::folder::Folder;
use super::pipe::{self, PipeEnd};
use rustix::fs::{FileType, Mode, OFlags};
use std::cell::{Cell, RefCell};
use std::fs::File;
use std::io;
use std::path::Path;
use std::rc::Rc;

/// Flags of `open` on MIPS.
pub(super) mod flag {
    pub(in crate::user) const ACCESS: u64 = 3;
    pub(in crate::user) const READ_ONLY: u64 = 0;
    pub(in crate::user) const WRITE_ONLY: u64 = 1;
    pub(in crate::user) const APPEND: u64 = 0x8;
    pub(in crate::user) const DATA_SYNC: u64 = 0x10;
    pub(in crate::user) const WITHOUT_WAITING: u64 = 0x80;
    pub(in crate::user) const CREATE: u64 = 0x100;
    pub(in crate::user) const TRUNCATE: u64 = 0x200;
    pub(in crate::user) const EXCLUSIVE: u64 = 0x400;
    pub(in crate::user) const SYNC: u64 = 0x4000;
    pub(in crate::user) const DIRECTORY: u64 = 0x10000;
    pub(in crate::user) const NO_FOLLOW: u64 = 0x20000;
    pub(in crate::user) const CLOSE_ON_EXEC: u64 = 0x80000;
    pub(in crate::user) const NAMELESS: u64 = 0x40_0000;
    /// Flags that a descriptor keeps.
    pub(in crate::user) const KEPT: u64 =
        ACCESS | APPEND | DATA_SYNC | SYNC | WITHOUT_WAITING | DIRECTORY | NO_FOLLOW;
}

/// File, folder, end of a pipe or standard stream that descriptors stand for.
pub(super) enum Open {
    Input,
    Output,
    Error,
    File(File),
    Folder(RefCell<Folder>),
    Pipe(PipeEnd),
}

/// An open file, to which several descriptors may belong.
pub(super) struct Description {
    pub(super) open: Open,
    /// Flags of `open` that are kept, and that `fcntl` tells and sets.
    pub(super) flags: Cell<u64>,
}

impl Description {
    pub(super) fn new(open: Open, flags: u64) -> Rc<Self> {
        Rc::new(Self { open, flags: Cell::new(flags & flag::KEPT) })
    }

    /// Whether reads and writes fail where they would wait.
    pub(super) fn is_without_waiting(&self) -> bool {
        self.flags.get() & flag::WITHOUT_WAITING != 0
    }

    /// Returns the file; an error for anything else.
    pub(super) fn file(&self) -> Result<&File, Errno> {
        match &self.open {
            Open::File(file) => Ok(file),
            Open::Folder(_) => Err(Errno::EISDIR),
            _ => Err(Errno::ESPIPE),
        }
    }
}

/// A descriptor.
struct Descriptor {
    open: Rc<Description>,
    is_closed_on_exec: bool,
}

/// Descriptors of a process.
pub(super) struct Files {
    open: Vec<Option<Descriptor>>,
    /// Folder of the user and current folder, if there are files.
    root: Option<Rc<Directory>>,
    current: Option<Rc<Directory>>,
    /// Rights that new files and folders do not get.
    pub(super) mask: u32,
}

/// Descriptors that a process may have.
pub(super) const LIMIT: usize = 1024;
/// Descriptor that stands for the current folder.
pub(super) const CURRENT: u64 = -100i64 as u64;

impl Files {
    pub(super) fn open(folder: Option<&Path>) -> io::Result<Self> {
        let root = folder.map(Directory::open).transpose()?;
        let streams = [(Open::Input, 0), (Open::Output, 1), (Open::Error, 1)];
        let open = streams.map(|(open, flags)| {
            Some(Descriptor { open: Description::new(open, flags), is_closed_on_exec: false })
        });
        Ok(Self { open: open.into(), current: root.clone(), root, mask: native_mask() })
    }

    fn descriptor(&mut self, number: u64) -> Result<&mut Descriptor, Errno> {
        // The kernel takes the lower 32 bits as an int.
        let index = usize::try_from(number as u32).map_err(|_| Errno::EBADF)?;
        self.open.get_mut(index).and_then(Option::as_mut).ok_or(Errno::EBADF)
    }

    /// Returns what a descriptor stands for.
    pub(super) fn get(&mut self, number: u64) -> Result<Rc<Description>, Errno> {
        Ok(self.descriptor(number)?.open.clone())
    }

    pub(super) fn close(&mut self, number: u64) -> Answer {
        self.descriptor(number)?;
        self.open[number as u32 as usize] = None;
        Ok(0)
    }

    /// Returns whether a descriptor would be closed by `execve`.
    pub(super) fn is_closed_on_exec(&mut self, number: u64) -> Result<bool, Errno> {
        Ok(self.descriptor(number)?.is_closed_on_exec)
    }

    pub(super) fn close_on_exec(&mut self, number: u64, is_closed: bool) -> Answer {
        self.descriptor(number)?.is_closed_on_exec = is_closed;
        Ok(0)
    }

    /// Adds a second descriptor for an open file, the first free one that is not below `least`.
    pub(super) fn duplicate_above(
        &mut self,
        number: u64,
        least: u64,
        is_closed_on_exec: bool,
    ) -> Answer {
        let open = self.get(number)?;
        let least = usize::try_from(least).ok().filter(|least| *least < LIMIT);
        self.add_above(open, least.ok_or(Errno::EINVAL)?, is_closed_on_exec)
    }

    /// Makes `wanted` a second descriptor for an open file.
    pub(super) fn duplicate_to(
        &mut self,
        number: u64,
        wanted: u64,
        is_closed_on_exec: bool,
    ) -> Answer {
        let open = self.get(number)?;
        let index = usize::try_from(wanted).ok().filter(|index| *index < LIMIT);
        *self.place(index.ok_or(Errno::EBADF)?) = Some(Descriptor { open, is_closed_on_exec });
        Ok(wanted)
    }

    /// Returns the place of a descriptor in the table, which grows if it is too short.
    fn place(&mut self, index: usize) -> &mut Option<Descriptor> {
        if self.open.len() <= index {
            self.open.resize_with(index + 1, || None);
        }
        &mut self.open[index]
    }

    fn add_above(
        &mut self,
        open: Rc<Description>,
        least: usize,
        is_closed_on_exec: bool,
    ) -> Answer {
        let is_free = |index: &usize| self.open.get(*index).is_none_or(Option::is_none);
        let free = (least..LIMIT).find(is_free).ok_or(Errno::EMFILE)?;
        *self.place(free) = Some(Descriptor { open, is_closed_on_exec });
        Ok(free as u64)
    }

    /// Adds a descriptor for something that was opened with these flags of `open`.
    pub(super) fn add(&mut self, open: Open, flags: u64) -> Answer {
        self.add_above(Description::new(open, flags), 0, flags & flag::CLOSE_ON_EXEC != 0)
    }

    /// Creates a pipe; returns the descriptors of the end to read from and of the end to write to.
    pub(super) fn add_pipe(&mut self, flags: u64) -> Result<[u64; 2], Errno> {
        let (reader, writer) = pipe::pair();
        let reader = self.add(Open::Pipe(reader), flags)?;
        match self.add(Open::Pipe(writer), flags | flag::WRITE_ONLY) {
            Ok(writer) => Ok([reader, writer]),
            Err(error) => {
                self.close(reader)?;
                Err(error)
            }
        }
    }

    /// Returns the current folder; none for a process without files.
    pub(super) fn current(&self) -> Option<&Rc<Directory>> {
        self.current.as_ref()
    }

    pub(super) fn change_to(&mut self, folder: Rc<Directory>) {
        self.current = Some(folder);
    }

    /// Walks along a path, from a folder that is open or from the current one.
    pub(super) fn walk(
        &mut self,
        base: u64,
        path: &[u8],
        is_followed: bool,
    ) -> Result<Target, Errno> {
        let root = self.root.as_ref().ok_or(Errno::EACCES)?;
        let base = match base {
            _ if path.starts_with(b"/") => root.clone(),
            CURRENT => self.current.as_ref().ok_or(Errno::EACCES)?.clone(),
            _ if path.is_empty() => return Err(Errno::ENOENT),
            number => match &self.get(number)?.open {
                Open::Folder(folder) => folder.borrow().place.clone(),
                _ => return Err(Errno::ENOTDIR),
            },
        };
        base.walk(path, is_followed)
    }

    /// Opens a file or folder.
    pub(super) fn open_path(&mut self, target: &Target, flags: u64, mode: u64) -> Answer {
        let is_creating = flags & flag::CREATE != 0;
        if is_creating && flags & flag::DIRECTORY != 0 {
            return Err(Errno::EINVAL);
        }
        if is_creating && target.has_slash {
            return Err(Errno::EISDIR);
        }
        if flags & flag::NAMELESS != 0 {
            return Err(Errno::EOPNOTSUPP);
        }
        match target.status() {
            Ok(_) if is_creating && flags & flag::EXCLUSIVE != 0 => return Err(Errno::EEXIST),
            Ok(status) if is_folder(&status) => {
                if is_creating || flags & (flag::ACCESS | flag::TRUNCATE) != 0 {
                    return Err(Errno::EISDIR);
                }
                let folder = Folder::new(target.enter()?)?;
                return self.add(Open::Folder(RefCell::new(folder)), flags);
            }
            Ok(_) if flags & flag::DIRECTORY != 0 => return Err(Errno::ENOTDIR),
            Ok(status) => match FileType::from_raw_mode(status.st_mode) {
                FileType::RegularFile => {}
                FileType::Symlink => return Err(Errno::ELOOP),
                _ => return Err(Errno::EACCES),
            },
            Err(Errno::ENOENT) if is_creating => {}
            Err(error) => return Err(error),
        }
        let file = self.open_file(target, flags, mode as u32 & 0o777 & !self.mask)?;
        self.add(Open::File(file), flags)
    }

    /// Opens a file, and creates it if it is not there and the flags say so. The mode is that of a new file.
    fn open_file(&self, target: &Target, flags: u64, mode: u32) -> Result<File, Errno> {
        let name = target.name().ok_or(Errno::EISDIR)?;
        let open = |native| rustix::fs::openat(&target.folder, name, native, Mode::RWXU);
        let native = native_flags(flags);
        if flags & flag::CREATE != 0 {
            match open(native | OFlags::CREATE | OFlags::EXCL) {
                Ok(file) => {
                    rustix::fs::fchmod(&file, Mode::from_raw_mode(mode))?;
                    return Ok(file.into());
                }
                Err(rustix::io::Errno::EXIST) if flags & flag::EXCLUSIVE == 0 => {}
                Err(error) => return Err(error.into()),
            }
        }
        let file: File = open(native)?.into();
        // Something else may stand there by now.
        if file.metadata()?.is_file() { Ok(file) } else { Err(Errno::EACCES) }
    }
}

/// Returns the rights that new files do not get by the native machine, 022 where it does not tell them.
fn native_mask() -> u32 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("Umask:"));
    mask.and_then(|mask| u32::from_str_radix(mask.trim(), 8).ok()).unwrap_or(0o022)
}

/// Returns the flags of the native machine with which a file is opened: no link is followed, and nothing waits.
fn native_flags(flags: u64) -> OFlags {
    let access = match flags & flag::ACCESS {
        flag::READ_ONLY => OFlags::RDONLY,
        flag::WRITE_ONLY => OFlags::WRONLY,
        _ => OFlags::RDWR,
    };
    let mut native =
        access | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC | OFlags::NOCTTY;
    native.set(OFlags::APPEND, flags & flag::APPEND != 0);
    native.set(OFlags::TRUNC, flags & flag::TRUNCATE != 0);
    native.set(OFlags::DSYNC, flags & flag::DATA_SYNC != 0);
    native.set(OFlags::SYNC, flags & flag::SYNC != 0);
    native
}
