//! Trust in folders and files: whether they are this user's alone, so that nobody else can have put there what is in them.
//! Where users cannot be told from each other so, nothing is.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

/// Reason why a folder is not used.
#[derive(Debug)]
pub(crate) enum Distrust {
    /// The folder cannot be made or read, which nobody needs to be told.
    Absent,
    /// The folder can be changed by others: the path of the folder that lets them, and how.
    Shared(PathBuf, String),
}

/// Returns the real path of a folder in which nobody but this user can put, replace or rename anything. The folder is
/// made if it is not there, for this user alone.
///
/// The folders above are looked at from the root on: one that only this user or the administrator can change, and that lies in
/// such folders, stays where it is. In a folder with the sticky bit others rename only what is theirs.
#[cfg(unix)]
pub(crate) fn own_folder(path: &Path) -> Result<PathBuf, Distrust> {
    use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _};
    const OTHERS_WRITE: u32 = 0o022;
    const STICKY: u32 = 0o1000;
    const ADMINISTRATOR: u32 = 0;
    let absent = |_: io::Error| Distrust::Absent;
    std::fs::DirBuilder::new().recursive(true).mode(0o700).create(path).map_err(absent)?;
    let real = std::fs::canonicalize(path).map_err(absent)?;
    let user = rustix::process::geteuid().as_raw();
    let all: Vec<&Path> = real.ancestors().collect();
    for folder in all.into_iter().rev() {
        let data = std::fs::symlink_metadata(folder).map_err(absent)?;
        let shared = |how: String| Err(Distrust::Shared(folder.to_owned(), how));
        let (is_last, owner, mode) = (folder == real, data.uid(), data.mode() & 0o7777);
        if !data.is_dir() {
            return shared("is not a folder any more".to_owned());
        }
        if owner != user && (is_last || owner != ADMINISTRATOR) {
            return shared(format!("belongs to user {owner}, and this is user {user}"));
        }
        if mode & OTHERS_WRITE != 0 && (is_last || mode & STICKY == 0) {
            return shared(format!("can be written by other users, mode {mode:o}"));
        }
    }
    Ok(real)
}

/// Refuses every folder: none is the user's alone where files have no owners and modes.
#[cfg(not(unix))]
pub(crate) fn own_folder(_: &Path) -> Result<PathBuf, Distrust> {
    Err(Distrust::Absent)
}

/// Opens a regular file of this user that nobody else can write and that has at most so many bytes. A link is not followed,
/// nor is a pipe waited for.
///
/// # Errors
/// The file is none of these, or cannot be read.
#[cfg(unix)]
pub(crate) fn open_own(path: &Path, most: u64) -> io::Result<File> {
    use rustix::fs::OFlags;
    use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _};
    let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK;
    let file = File::options().read(true).custom_flags(flags.bits() as i32).open(path)?;
    // What was opened, whatever the path leads to by now.
    let data = file.metadata()?;
    let is_own = data.uid() == rustix::process::geteuid().as_raw() && data.mode() & 0o022 == 0;
    if data.is_file() && is_own && data.len() <= most {
        return Ok(file);
    }
    Err(io::ErrorKind::InvalidInput.into())
}

/// Refuses every file: none is the user's alone where files have no owners and modes.
#[cfg(not(unix))]
pub(crate) fn open_own(_: &Path, _: u64) -> io::Result<File> {
    Err(io::ErrorKind::Unsupported.into())
}

#[cfg(all(test, unix))]
#[allow(clippy::unwrap_used, reason = "a test's helpers may panic")]
mod tests {
    use super::*;
    use std::fs::Permissions;
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    fn set_mode(path: &Path, mode: u32) {
        std::fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
    }

    fn mode(path: &Path) -> u32 {
        std::fs::metadata(path).unwrap().permissions().mode() & 0o7777
    }

    #[test]
    fn a_folder_is_made_for_its_user_alone() {
        let parent = tempfile::tempdir().unwrap();
        let folder = parent.path().join("new/folder");
        let real = own_folder(&folder).unwrap();
        assert_eq!(real, std::fs::canonicalize(&folder).unwrap());
        assert_eq!((mode(&folder), mode(&parent.path().join("new"))), (0o700, 0o700));
        // Through a link of the user.
        symlink(&folder, parent.path().join("link")).unwrap();
        assert_eq!(own_folder(&parent.path().join("link")).unwrap(), real);
        std::fs::write(parent.path().join("file"), "").unwrap();
        assert!(matches!(own_folder(&parent.path().join("file")), Err(Distrust::Absent)));
    }

    #[test]
    fn a_folder_that_others_may_write_is_not_trusted() {
        let parent = tempfile::tempdir().unwrap();
        let folder = parent.path().join("folder");
        std::fs::create_dir(&folder).unwrap();
        let modes = [
            (0o700, true),
            (0o755, true),
            (0o775, false),
            (0o2775, false),
            (0o777, false),
            (0o1777, false),
        ];
        for (mode, is_own) in modes {
            set_mode(&folder, mode);
            assert_eq!(own_folder(&folder).is_ok(), is_own, "{mode:o}");
        }
    }

    #[test]
    fn nor_is_one_that_others_may_rename() {
        let parent = tempfile::tempdir().unwrap();
        let folder = parent.path().join("middle/folder");
        own_folder(&folder).unwrap();
        for (mode, is_own) in [(0o755, true), (0o775, false), (0o777, false), (0o1777, true)] {
            set_mode(&parent.path().join("middle"), mode);
            match own_folder(&folder) {
                Err(Distrust::Shared(which, _)) => {
                    assert!(!is_own && which.ends_with("middle"), "{mode:o}");
                }
                other => assert!(is_own && other.is_ok(), "{mode:o}"),
            }
        }
    }

    #[test]
    fn an_entry_is_a_file_of_its_user_alone() {
        let folder = tempfile::tempdir().unwrap();
        let entry = folder.path().join("entry");
        std::fs::write(&entry, "12345").unwrap();
        for (mode, is_own) in [(0o600, true), (0o644, true), (0o664, false), (0o606, false)] {
            set_mode(&entry, mode);
            assert_eq!(open_own(&entry, 5).is_ok(), is_own, "{mode:o}");
        }
        set_mode(&entry, 0o600);
        assert!(open_own(&entry, 4).is_err(), "too long");
        symlink(&entry, folder.path().join("link")).unwrap();
        assert!(open_own(&folder.path().join("link"), 5).is_err(), "a link");
        // Nobody writes into it, and nobody is waited for.
        let pipe = folder.path().join("pipe");
        let made = std::process::Command::new("mkfifo").arg(&pipe).status().unwrap();
        assert!(made.success() && open_own(&pipe, 5).is_err(), "a pipe");
        assert!(open_own(folder.path(), 1 << 20).is_err(), "a folder");
    }
}
