//! The files of a process: standard streams, and what lies below one folder of the native machine. Paths are
//! resolved by `cap-std`, which lets no link and no `..` lead out of the folder. Only files and folders can be opened.

use super::errno::{Errno, errno};
use super::folder::Folder;
use cap_std::ambient_authority;
use cap_std::fs::{Dir, File, FileType, Metadata, OpenOptions, OpenOptionsExt};
use std::io;
use std::path::{Component, Path, PathBuf};

/// Flags of `open` on MIPS.
pub(super) mod flag {
    pub(in crate::user) const WRITE_ONLY: u64 = 1;
    pub(in crate::user) const APPEND: u64 = 0x8;
    pub(in crate::user) const CREATE: u64 = 0x100;
    pub(in crate::user) const TRUNCATE: u64 = 0x200;
    pub(in crate::user) const EXCLUSIVE: u64 = 0x400;
    pub(in crate::user) const DIRECTORY: u64 = 0x10000;
}

/// The native machine's flag by which opening does not wait.
const NATIVE_NONBLOCK: i32 = 0o4000;

/// File, folder or standard stream that a descriptor stands for.
pub(super) enum Open {
    Input,
    Output,
    Error,
    File(File),
    Folder(Folder),
}

/// Descriptors of a process.
pub(super) struct Files {
    folder: Option<Dir>,
    open: Vec<Option<Open>>,
    /// Current folder, relative to the folder of the user.
    pub(super) current: PathBuf,
}

impl Files {
    pub(super) fn open(folder: Option<&Path>) -> io::Result<Self> {
        let folder = folder.map(|f| Dir::open_ambient_dir(f, ambient_authority())).transpose()?;
        let open = vec![Some(Open::Input), Some(Open::Output), Some(Open::Error)];
        Ok(Self { folder, open, current: PathBuf::new() })
    }

    pub(super) fn folder(&self) -> Result<&Dir, Errno> {
        self.folder.as_ref().ok_or(Errno::EACCES)
    }

    /// Returns the file, folder or stream of a descriptor.
    pub(super) fn get(&mut self, descriptor: u64) -> Result<&mut Open, Errno> {
        let index = usize::try_from(descriptor).map_err(|_| Errno::EBADF)?;
        self.open.get_mut(index).and_then(Option::as_mut).ok_or(Errno::EBADF)
    }

    pub(super) fn file(&mut self, descriptor: u64) -> Result<&mut File, Errno> {
        match self.get(descriptor)? {
            Open::File(file) => Ok(file),
            Open::Folder(_) => Err(Errno::EISDIR),
            _ => Err(Errno::ESPIPE),
        }
    }

    pub(super) fn close(&mut self, descriptor: u64) -> Result<u64, Errno> {
        self.get(descriptor)?;
        self.open[descriptor as usize] = None;
        Ok(0)
    }

    fn copy(&mut self, descriptor: u64) -> Result<Open, Errno> {
        Ok(match self.get(descriptor)? {
            Open::Input => Open::Input,
            Open::Output => Open::Output,
            Open::Error => Open::Error,
            Open::File(file) => Open::File(file.try_clone().map_err(|e| errno(&e))?),
            Open::Folder(folder) => Open::Folder(folder.clone()),
        })
    }

    /// Adds a second descriptor for a file, the first free one that is not below `least`.
    pub(super) fn duplicate_above(&mut self, descriptor: u64, least: u64) -> Result<u64, Errno> {
        let copy = self.copy(descriptor)?;
        let least = usize::try_from(least).ok().filter(|least| *least < LIMIT);
        self.add(copy, least.ok_or(Errno::EINVAL)?)
    }

    /// Makes `wanted` a second descriptor for a file.
    pub(super) fn duplicate_to(&mut self, descriptor: u64, wanted: u64) -> Result<u64, Errno> {
        let copy = self.copy(descriptor)?;
        let index = usize::try_from(wanted).ok().filter(|index| *index < LIMIT);
        *self.place(index.ok_or(Errno::EBADF)?) = Some(copy);
        Ok(wanted)
    }

    /// Returns the place of a descriptor in the table, which grows if it is too short.
    fn place(&mut self, index: usize) -> &mut Option<Open> {
        if self.open.len() <= index {
            self.open.resize_with(index + 1, || None);
        }
        &mut self.open[index]
    }

    fn add(&mut self, open: Open, least: usize) -> Result<u64, Errno> {
        let is_free = |index: &usize| self.open.get(*index).is_none_or(Option::is_none);
        let free = (least..LIMIT).find(is_free).ok_or(Errno::EMFILE)?;
        *self.place(free) = Some(open);
        Ok(free as u64)
    }

    /// Reads entries of a folder that is open, as many as fit into `most` bytes.
    pub(super) fn read_folder(&mut self, descriptor: u64, most: usize) -> Result<Vec<u8>, Errno> {
        let below = self.folder.as_ref().ok_or(Errno::EACCES)?;
        let index = usize::try_from(descriptor).map_err(|_| Errno::EBADF)?;
        match self.open.get_mut(index).and_then(Option::as_mut).ok_or(Errno::EBADF)? {
            Open::Folder(folder) => folder.read(below, most),
            _ => Err(Errno::ENOTDIR),
        }
    }

    /// Returns a path of the process as a path below the folder of the user. `..` at the root stays there, as in Linux.
    pub(super) fn path(&mut self, base: u64, path: &[u8]) -> Result<PathBuf, Errno> {
        const CURRENT: u64 = -100i64 as u64;
        let path = std::str::from_utf8(path).map_err(|_| Errno::ENOENT)?;
        if path.is_empty() {
            return Err(Errno::ENOENT);
        }
        let path = Path::new(path);
        let mut whole = match base {
            _ if path.is_absolute() => PathBuf::new(),
            CURRENT => self.current.clone(),
            descriptor => match self.get(descriptor)? {
                Open::Folder(folder) => folder.path.clone(),
                _ => return Err(Errno::ENOTDIR),
            },
        };
        for part in path.components() {
            match part {
                Component::Normal(name) => whole.push(name),
                Component::ParentDir => _ = whole.pop(),
                Component::RootDir | Component::CurDir | Component::Prefix(_) => {}
            }
        }
        Ok(if whole.as_os_str().is_empty() { PathBuf::from(".") } else { whole })
    }

    /// Returns the metadata of a path; links are followed.
    pub(super) fn metadata(&self, path: &Path) -> Result<Metadata, Errno> {
        self.folder()?.metadata(path).map_err(|e| errno(&e))
    }

    /// Returns the metadata of a path; links are not followed.
    pub(super) fn link_metadata(&self, path: &Path) -> Result<Metadata, Errno> {
        self.folder()?.symlink_metadata(path).map_err(|e| errno(&e))
    }

    /// Opens a file or folder.
    pub(super) fn open_path(&mut self, path: &Path, flags: u64, mode: u64) -> Result<u64, Errno> {
        let folder = self.folder()?;
        let is_folder = match folder.metadata(path) {
            Ok(metadata) if is_allowed(metadata.file_type()) => metadata.is_dir(),
            Ok(_) => return Err(Errno::EACCES),
            Err(error) if flags & flag::DIRECTORY != 0 => return Err(errno(&error)),
            Err(_) => false,
        };
        let is_writing = flags & 3 != 0;
        if is_folder {
            if is_writing {
                return Err(Errno::EISDIR);
            }
            return self.add(Open::Folder(Folder::new(path.to_owned())), 0);
        }
        if flags & flag::DIRECTORY != 0 {
            return Err(Errno::ENOTDIR);
        }
        let mut options = OpenOptions::new();
        options.read(flags & 3 != 1).write(is_writing).append(flags & flag::APPEND != 0);
        options.truncate(is_writing && flags & flag::TRUNCATE != 0);
        options.mode(mode as u32 & 0o777).custom_flags(NATIVE_NONBLOCK);
        if flags & flag::CREATE != 0 {
            let is_exclusive = flags & flag::EXCLUSIVE != 0;
            if is_writing {
                options.create(true).create_new(is_exclusive);
            } else {
                // The native machine creates files for writers only.
                let mut creating = options.clone();
                creating.write(true).create(true).create_new(is_exclusive);
                folder.open_with(path, &creating).map_err(|e| errno(&e))?;
            }
        }
        let file = folder.open_with(path, &options).map_err(|e| errno(&e))?;
        let metadata = file.metadata().map_err(|e| errno(&e))?;
        if !metadata.is_file() {
            return Err(Errno::EACCES);
        }
        self.add(Open::File(file), 0)
    }
}

/// Descriptors that a process may have.
const LIMIT: usize = 1024;

fn is_allowed(kind: FileType) -> bool {
    kind.is_file() || kind.is_dir()
}
