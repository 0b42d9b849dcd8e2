//! Files that are being written: whole or not at all, wherever their names lead.

use crate::process::exit::Outcome;
use crate::storage::paths::{self, cannot_write};
use crate::storage::unfinished::{self, Listed};
use std::fs::File;
use std::io::{ErrorKind, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// File that is being written.
///
/// A regular file appears whole or not at all: it is written under a temporary name in its folder, brought to the disk,
/// and renamed. Devices and pipes cannot be replaced like that and are written directly; a link
/// stays, and what it points to is written, which need not be there yet.
pub(crate) enum Output {
    /// Temporary file, its place in the list of those, and the path that it will have.
    Whole(tempfile::NamedTempFile, Listed, PathBuf),
    /// Device or pipe, which is written directly.
    Direct(File),
}

impl Output {
    /// Opens `path` for writing.
    pub(crate) fn open(path: &Path) -> Outcome<Self> {
        let target = paths::target(path).map_err(|e| cannot_write(path, e))?;
        match std::fs::metadata(&target) {
            Ok(data) if data.is_dir() => Err(cannot_write(path, "it is a folder")),
            Ok(data) if !data.is_file() => {
                let file = File::options().write(true).open(&target);
                file.map(Self::Direct).map_err(|e| cannot_write(path, e))
            }
            found => {
                let (file, listed) = temporary(path, &target, found.ok().as_ref())?;
                Ok(Self::Whole(file, listed, target))
            }
        }
    }

    /// Gives a finished file its name. The bytes are on the disk before: after a loss of power there is the old file or the
    /// whole new one.
    pub(crate) fn commit(self, path: &Path) -> Outcome<()> {
        let Self::Whole(file, _listed, target) = self else { return Ok(()) };
        file.as_file().sync_all().map_err(|e| cannot_write(path, e))?;
        file.persist(&target).map_err(|e| cannot_write(path, e.error))?;
        sync_names(paths::folder(&target));
        Ok(())
    }
}

/// Brings the names of a folder to the disk. Where that cannot be asked for, the file system does it when it likes.
fn sync_names(folder: &Path) {
    if cfg!(unix) {
        let _ = File::open(folder).and_then(|folder| folder.sync_all());
    }
}

/// Creates a temporary file in the folder of `target`, with the permissions of an existing one.
fn temporary(
    path: &Path,
    target: &Path,
    existing: Option<&std::fs::Metadata>,
) -> Outcome<(tempfile::NamedTempFile, Listed)> {
    let folder = paths::folder(target);
    // The error's own text names the temporary file.
    unfinished::create(folder, permissions(existing)).map_err(|e| match e.raw_os_error() {
        Some(code) => cannot_write(path, std::io::Error::from_raw_os_error(code)),
        None if e.kind() == ErrorKind::NotFound => {
            cannot_write(path, format!("there is no folder {}", folder.display()))
        }
        None => cannot_write(path, e.kind()),
    })
}

/// Returns the permissions of an existing file, else those of a new one, of which the process's umask takes its share.
#[cfg(unix)]
fn permissions(existing: Option<&std::fs::Metadata>) -> Option<std::fs::Permissions> {
    use std::os::unix::fs::PermissionsExt as _;
    let mode = existing.map_or(0o666, |data| data.permissions().mode());
    Some(std::fs::Permissions::from_mode(mode))
}

/// Returns nothing: the system chooses the permissions of a new file.
#[cfg(not(unix))]
fn permissions(_: Option<&std::fs::Metadata>) -> Option<std::fs::Permissions> {
    None
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        match self {
            Self::Whole(file, ..) => file.write(bytes),
            Self::Direct(file) => file.write(bytes),
        }
    }

    fn flush(&mut self) -> std::io::Result<()> {
        match self {
            Self::Whole(file, ..) => file.flush(),
            Self::Direct(file) => file.flush(),
        }
    }
}

impl Seek for Output {
    fn seek(&mut self, to: SeekFrom) -> std::io::Result<u64> {
        match self {
            Self::Whole(file, ..) => file.seek(to),
            Self::Direct(file) => file.seek(to),
        }
    }
}
