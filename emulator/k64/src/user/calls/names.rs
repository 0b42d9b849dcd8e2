//! Names in folders: to make, link, rename, remove and list them, and the current folder.

use crate::user::Process;
use crate::user::directory::{Last, Target, is_folder};
use crate::user::errno::{Answer, Errno};
use crate::user::files::{CURRENT, Open, flag};
use crate::user::row::Row;
use rustix::fs::{AtFlags, Mode, OFlags, RenameFlags};

/// Descriptor of the folder that a path is relative to.
#[derive(Clone, Copy)]
pub(super) struct At(pub(super) u64);

impl At {
    pub(super) const CURRENT: Self = Self(CURRENT);
}

/// Rows of the table of system calls.
pub(super) const ROWS: &[Row] = &[
    Row::part(5077, "getcwd", MOVED, |p, [a, b, ..]| p.current_folder(a, b)),
    Row::whole(5078, "chdir", |p, [a, ..]| p.change_folder(a)),
    Row::whole(5079, "fchdir", |p, [a, ..]| p.change_to(a)),
    Row::whole(5080, "rename", |p, [a, b, ..]| p.rename((At::CURRENT, a), (At::CURRENT, b), 0)),
    Row::whole(5081, "mkdir", |p, [a, b, ..]| p.make_folder(At::CURRENT, a, b)),
    Row::whole(5082, "rmdir", |p, [a, ..]| p.remove_folder(At::CURRENT, a)),
    Row::whole(5084, "link", |p, [a, b, ..]| p.link((At::CURRENT, a), (At::CURRENT, b), 0)),
    Row::whole(5085, "unlink", |p, [a, ..]| p.remove(At::CURRENT, a)),
    Row::whole(5086, "symlink", |p, [a, b, ..]| p.make_link(a, At::CURRENT, b)),
    Row::whole(5087, "readlink", |p, [a, b, c, ..]| p.read_link(At::CURRENT, a, b, c)),
    Row::part(5131, "mknod", FILES, |p, [a, b, ..]| p.make_node(At::CURRENT, a, b)),
    Row::whole(5248, "mkdirat", |p, [a, b, c, ..]| p.make_folder(At(a), b, c)),
    Row::part(5249, "mknodat", FILES, |p, [a, b, c, ..]| p.make_node(At(a), b, c)),
    Row::whole(5253, "unlinkat", |p, [a, b, c, ..]| match c {
        0 => p.remove(At(a), b),
        REMOVE_FOLDER => p.remove_folder(At(a), b),
        _ => Err(Errno::EINVAL),
    }),
    Row::whole(5254, "renameat", |p, [a, b, c, d, ..]| p.rename((At(a), b), (At(c), d), 0)),
    Row::part(5255, "linkat", "AT_EMPTY_PATH is EINVAL", |p, [a, b, c, d, e, _]| {
        p.link((At(a), b), (At(c), d), e)
    }),
    Row::whole(5256, "symlinkat", |p, [a, b, c, ..]| p.make_link(a, At(b), c)),
    Row::whole(5257, "readlinkat", |p, [a, b, c, d, ..]| p.read_link(At(a), b, c, d)),
    Row::whole(5308, "getdents64", |p, [a, b, c, ..]| p.read_folder(a, b, c)),
    Row::part(5311, "renameat2", "RENAME_WHITEOUT is EINVAL", |p, [a, b, c, d, e, _]| {
        p.rename((At(a), b), (At(c), d), e)
    }),
];

const FILES: &str = "files only, the rest is EPERM";
const MOVED: &str = "a current folder that was renamed keeps its old path, by which `..` leads too";
const REMOVE_FOLDER: u64 = 0x200;
/// Bytes of a link at most, with the zero at its end.
const LONGEST_LINK: usize = 4096;

/// Returns the name that a path ends with, for a call that makes or removes it.
fn named(target: &Target, error: Errno) -> Result<&[u8], Errno> {
    target.name().ok_or(error)
}

impl Process {
    /// Walks along the path at an address. A slash at its end has a link there followed.
    pub(super) fn target(
        &mut self,
        at: At,
        address: u64,
        is_followed: bool,
    ) -> Result<Target, Errno> {
        let path = self.core.memory.read_text(address)?;
        self.files.walk(at.0, &path, is_followed || path.ends_with(b"/"))
    }

    /// Walks along the path at an address to a name that is to be made or removed, which is a link's own.
    fn parent(&mut self, at: At, address: u64) -> Result<Target, Errno> {
        let path = self.core.memory.read_text(address)?;
        self.files.walk(at.0, &path, false)
    }

    /// Walks along the path at an address to a name that is to be made, and not that of a folder.
    fn new_name(&mut self, at: At, address: u64) -> Result<Target, Errno> {
        let target = self.parent(at, address)?;
        named(&target, Errno::EEXIST)?;
        if target.has_slash {
            return match target.status() {
                Err(Errno::ENOENT) => Err(Errno::ENOENT),
                _ => Err(Errno::EEXIST),
            };
        }
        Ok(target)
    }

    fn rename(&mut self, from: (At, u64), to: (At, u64), flags: u64) -> Answer {
        let flags = match flags {
            0 => RenameFlags::empty(),
            1 => RenameFlags::NOREPLACE,
            2 => RenameFlags::EXCHANGE,
            _ => return Err(Errno::EINVAL),
        };
        let (from, to) = (self.parent(from.0, from.1)?, self.parent(to.0, to.1)?);
        let names = (named(&from, Errno::EBUSY)?, named(&to, Errno::EBUSY)?);
        // A path with a slash at its end is that of a folder.
        let status = from.status()?;
        if to.has_slash && !is_folder(&status) {
            return Err(Errno::ENOTDIR);
        }
        if flags.is_empty() {
            rustix::fs::renameat(&from.folder, names.0, &to.folder, names.1)?;
        } else {
            rustix::fs::renameat_with(&from.folder, names.0, &to.folder, names.1, flags)?;
        }
        Ok(0)
    }

    /// Answers `link` and `linkat`.
    fn link(&mut self, from: (At, u64), to: (At, u64), flags: u64) -> Answer {
        const FOLLOW: u64 = 0x400;
        if flags & !FOLLOW != 0 {
            return Err(Errno::EINVAL);
        }
        let from = self.target(from.0, from.1, flags & FOLLOW != 0)?;
        let status = from.status()?;
        let to = self.new_name(to.0, to.1)?;
        if is_folder(&status) {
            return Err(if to.status().is_ok() { Errno::EEXIST } else { Errno::EPERM });
        }
        let names = (named(&from, Errno::EPERM)?, named(&to, Errno::EEXIST)?);
        rustix::fs::linkat(&from.folder, names.0, &to.folder, names.1, AtFlags::empty())?;
        Ok(0)
    }

    /// Answers `symlink` and `symlinkat`. The target may be any text: a walk takes it as a path of the process.
    fn make_link(&mut self, text: u64, at: At, address: u64) -> Answer {
        let text = self.core.memory.read_text(text)?;
        if text.is_empty() {
            return Err(Errno::ENOENT);
        }
        if text.len() >= LONGEST_LINK {
            return Err(Errno::ENAMETOOLONG);
        }
        let target = self.new_name(at, address)?;
        rustix::fs::symlinkat(&text[..], &target.folder, named(&target, Errno::EEXIST)?)?;
        Ok(0)
    }

    fn read_link(&mut self, at: At, path: u64, address: u64, length: u64) -> Answer {
        if length as i64 <= 0 {
            return Err(Errno::EINVAL);
        }
        let text = self.target(at, path, false)?.link()?;
        let bytes = &text[..text.len().min(length as usize)];
        self.core.memory.write(address, bytes)?;
        Ok(bytes.len() as u64)
    }

    fn make_folder(&mut self, at: At, address: u64, mode: u64) -> Answer {
        let target = self.parent(at, address)?;
        let name = named(&target, Errno::EEXIST)?;
        rustix::fs::mkdirat(&target.folder, name, Mode::RWXU)?;
        // The mask of the native machine is not that of the process.
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let made = rustix::fs::openat(&target.folder, name, flags, Mode::empty())?;
        let mode = mode as u32 & 0o1777 & !self.files.mask;
        rustix::fs::fchmod(made, Mode::from_raw_mode(mode))?;
        Ok(0)
    }

    /// Answers `mknod` and `mknodat`.
    fn make_node(&mut self, at: At, address: u64, mode: u64) -> Answer {
        if !matches!(mode & 0o170_000, 0 | 0o100_000) {
            return Err(Errno::EPERM);
        }
        let flags = flag::CREATE | flag::EXCLUSIVE | flag::WRITE_ONLY;
        let file = self.open(at, address, flags, mode)?;
        self.files.close(file)
    }

    fn remove(&mut self, at: At, address: u64) -> Answer {
        let target = self.parent(at, address)?;
        let name = named(&target, Errno::EISDIR)?;
        if target.has_slash {
            target.status()?;
            return Err(Errno::EISDIR);
        }
        rustix::fs::unlinkat(&target.folder, name, AtFlags::empty())?;
        Ok(0)
    }

    fn remove_folder(&mut self, at: At, address: u64) -> Answer {
        let target = self.parent(at, address)?;
        let error = match target.last {
            Last::Above => Errno::ENOTEMPTY,
            Last::Root => Errno::EBUSY,
            _ => Errno::EINVAL,
        };
        rustix::fs::unlinkat(&target.folder, named(&target, error)?, AtFlags::REMOVEDIR)?;
        Ok(0)
    }

    /// Answers `getdents64`: writes the next entries of a folder to memory, as many as fit into `length` bytes, at most
    /// 1 MiB.
    fn read_folder(&mut self, descriptor: u64, address: u64, length: u64) -> Answer {
        let most = length.min(1 << 20) as usize;
        let description = self.files.get(descriptor)?;
        let Open::Folder(folder) = &description.open else { return Err(Errno::ENOTDIR) };
        let bytes = folder.borrow_mut().read(most)?;
        self.core.memory.write(address, &bytes)?;
        Ok(bytes.len() as u64)
    }

    fn current_folder(&mut self, address: u64, length: u64) -> Answer {
        let mut path = match self.files.current() {
            Some(folder) if folder.status()?.st_nlink == 0 => return Err(Errno::ENOENT),
            Some(folder) => folder.path(),
            None => b"/".to_vec(),
        };
        path.push(0);
        if path.len() as u64 > length {
            return Err(Errno::ERANGE);
        }
        self.core.memory.write(address, &path)?;
        Ok(path.len() as u64)
    }

    fn change_folder(&mut self, address: u64) -> Answer {
        let target = self.target(At::CURRENT, address, true)?;
        if !is_folder(&target.status()?) {
            return Err(Errno::ENOTDIR);
        }
        let folder = target.enter()?;
        self.files.change_to(folder);
        Ok(0)
    }

    /// Answers `fchdir`.
    fn change_to(&mut self, descriptor: u64) -> Answer {
        match &self.files.get(descriptor)?.open {
            Open::Folder(folder) => {
                let folder = folder.borrow().place.clone();
                self.files.change_to(folder);
                Ok(0)
            }
            _ => Err(Errno::ENOTDIR),
        }
    }
}
