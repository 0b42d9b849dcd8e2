//! Folders as a process names them, and the walk along a path. Each call of the native machine gets an open folder and
//! one name in it, never a path, never `..`, and never follows a link: the walk reads links itself, and takes their targets
//! as paths of the process. What is walked to therefore lies below the folder of the user, whatever links say, and
//! whatever other programs change there meanwhile.

use super::errno::Errno;
use cap_std::ambient_authority;
use cap_std::fs::{Dir, Permissions, PermissionsExt};
use rustix::fs::{AtFlags, Mode, OFlags, Stat};
use std::ffi::OsStr;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::rc::Rc;

/// Bytes of a path with the zero at its end, at most.
const LONGEST_PATH: usize = 4096;
/// Links in a path, at most.
const MOST_LINKS: usize = 40;

/// A folder that is open for walks only, with the folder that it was found in; the root of a process has none.
pub(super) struct Directory {
    dir: Dir,
    name: Vec<u8>,
    parent: Option<Rc<Self>>,
}

/// Last part of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Last {
    /// A name in the folder, which need not exist.
    Name(Vec<u8>),
    /// The folder itself, as `/`.
    Root,
    /// The folder itself, as `.`.
    Dot,
    /// The folder itself, as `..`.
    Above,
}

/// End of a walk: a folder, and a name in it or the folder itself.
pub(super) struct Target {
    pub(super) folder: Rc<Directory>,
    pub(super) last: Last,
    /// Whether the path ends with a slash, so that it can only name a folder.
    pub(super) has_slash: bool,
}

impl AsFd for Directory {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.dir.as_fd()
    }
}

impl Directory {
    /// Opens the folder of the user.
    pub(super) fn open(path: &Path) -> io::Result<Rc<Self>> {
        let dir = Dir::open_ambient_dir(path, ambient_authority())?;
        Ok(Rc::new(Self { dir, name: Vec::new(), parent: None }))
    }

    fn root(self: &Rc<Self>) -> Rc<Self> {
        let mut at = self;
        while let Some(parent) = &at.parent {
            at = parent;
        }
        at.clone()
    }

    fn above(self: &Rc<Self>) -> Rc<Self> {
        self.parent.as_ref().unwrap_or(self).clone()
    }

    /// Returns the path by which the folder was found, from the root of the process on.
    pub(super) fn path(&self) -> Vec<u8> {
        let Some(parent) = &self.parent else { return b"/".to_vec() };
        let mut path = parent.path();
        if !path.ends_with(b"/") {
            path.push(b'/');
        }
        path.extend(&self.name);
        path
    }

    pub(super) fn status(&self) -> Result<Stat, Errno> {
        Ok(rustix::fs::fstat(self)?)
    }

    /// Returns the status of the folder above, which for the root is the root.
    pub(super) fn status_above(&self) -> Result<Stat, Errno> {
        self.parent.as_deref().unwrap_or(self).status()
    }

    /// Opens the folder for reading its entries.
    pub(super) fn reader(&self) -> Result<OwnedFd, Errno> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        Ok(rustix::fs::openat(self, ".", flags, Mode::empty())?)
    }

    /// Opens a folder in the folder; ENOTDIR if the name is that of a link.
    fn enter(self: &Rc<Self>, name: &[u8]) -> Result<Rc<Self>, Errno> {
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let opened = rustix::fs::openat(self, name, flags, Mode::empty())?;
        let dir = Dir::from_std_file(opened.into());
        Ok(Rc::new(Self { dir, name: name.to_vec(), parent: Some(self.clone()) }))
    }

    /// Returns the target of a link in the folder; none if the name is not that of a link.
    fn link(&self, name: &[u8]) -> Result<Option<Vec<u8>>, Errno> {
        match rustix::fs::readlinkat(self, name, Vec::new()) {
            Ok(target) => Ok(Some(target.into_bytes())),
            Err(rustix::io::Errno::INVAL | rustix::io::Errno::NOENT) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Walks along a path from the folder on. `..` at the root stays there, and a link to an absolute path leads there
    /// from the root. A link at the end is followed if `is_followed` says so.
    pub(super) fn walk(self: &Rc<Self>, path: &[u8], is_followed: bool) -> Result<Target, Errno> {
        if path.is_empty() {
            return Err(Errno::ENOENT);
        }
        if path.len() >= LONGEST_PATH {
            return Err(Errno::ENAMETOOLONG);
        }
        let (folder, last) = (self.clone(), Last::Dot);
        let mut walk = Walk { folder, last, left: Vec::new(), has_slash: false, n_links: 0 };
        walk.take(path);
        while let Some(part) = walk.left.pop() {
            walk.step(part, is_followed)?;
        }
        Ok(Target { folder: walk.folder, last: walk.last, has_slash: walk.has_slash })
    }
}

/// A walk that is under way.
struct Walk {
    folder: Rc<Directory>,
    last: Last,
    /// Parts of the path that are to come, the next one at the end.
    left: Vec<Vec<u8>>,
    has_slash: bool,
    n_links: usize,
}

impl Walk {
    /// Puts a path before the parts that are to come.
    fn take(&mut self, path: &[u8]) {
        if path.starts_with(b"/") {
            (self.folder, self.last) = (self.folder.root(), Last::Root);
        }
        self.has_slash |= self.left.is_empty() && path.ends_with(b"/");
        let parts = path.split(|byte| *byte == b'/').filter(|part| !part.is_empty());
        self.left.extend(parts.rev().map(<[u8]>::to_vec));
    }

    fn step(&mut self, part: Vec<u8>, is_followed: bool) -> Result<(), Errno> {
        let is_last = self.left.is_empty();
        let target = match &part[..] {
            b"." => {
                self.last = Last::Dot;
                return Ok(());
            }
            b".." => {
                (self.folder, self.last) = (self.folder.above(), Last::Above);
                return Ok(());
            }
            name if is_last => {
                let target = if is_followed { self.folder.link(name)? } else { None };
                let Some(target) = target else {
                    self.last = Last::Name(part);
                    return Ok(());
                };
                target
            }
            name => match self.folder.enter(name) {
                Ok(entered) => {
                    self.folder = entered;
                    return Ok(());
                }
                Err(error @ (Errno::ENOTDIR | Errno::ELOOP)) => {
                    self.folder.link(name)?.ok_or(error)?
                }
                Err(error) => return Err(error),
            },
        };
        self.n_links += 1;
        if self.n_links > MOST_LINKS {
            return Err(Errno::ELOOP);
        }
        self.take(&target);
        Ok(())
    }
}

impl Target {
    /// Returns the name in the folder; none if the path ends with the folder itself.
    pub(super) fn name(&self) -> Option<&[u8]> {
        match &self.last {
            Last::Name(name) => Some(name),
            _ => None,
        }
    }

    /// Returns the status of what the path names; of a link, if it is one.
    pub(super) fn status(&self) -> Result<Stat, Errno> {
        let Some(name) = self.name() else { return self.folder.status() };
        let status = rustix::fs::statat(&self.folder, name, AtFlags::SYMLINK_NOFOLLOW)?;
        if self.has_slash && !is_folder(&status) { Err(Errno::ENOTDIR) } else { Ok(status) }
    }

    /// Opens the folder that the path names, for walks.
    pub(super) fn enter(&self) -> Result<Rc<Directory>, Errno> {
        match self.name() {
            Some(name) => self.folder.enter(name),
            None => Ok(self.folder.clone()),
        }
    }

    /// Returns the target of the link that the path names; EINVAL if it names something else.
    pub(super) fn link(&self) -> Result<Vec<u8>, Errno> {
        self.status()?;
        let name = self.name().ok_or(Errno::EINVAL)?;
        self.folder.link(name)?.ok_or(Errno::EINVAL)
    }

    /// Sets the mode of what the path names. A link that comes there meanwhile leads nowhere outside of the folder.
    pub(super) fn set_mode(&self, mode: u32) -> Result<(), Errno> {
        self.status()?;
        let name = self.name().unwrap_or(b".");
        let permissions = Permissions::from_mode(mode);
        Ok(self.folder.dir.set_permissions(OsStr::from_bytes(name), permissions)?)
    }
}

/// Whether a status is that of a folder.
pub(super) fn is_folder(status: &Stat) -> bool {
    rustix::fs::FileType::from_raw_mode(status.st_mode).is_dir()
}
