//! Temporary files, which have no name of their own yet. Whoever writes one holds a lock on it, which ends with the process
//! however that ends: so a file that nobody holds is left from a process that was killed, and the next one that writes in the
//! same folder removes it.

use std::collections::BTreeSet;
use std::fs::{File, Permissions};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use tempfile::NamedTempFile;

/// Begin and end of the names of temporary files.
const PREFIX: &str = ".cp2-";
const SUFFIX: &str = ".unfinished";
/// Number of random characters between begin and end of a name.
const RANDOM: usize = 8;
/// Most times that a file is made anew because another process has taken it for one that was left.
const TRIES: usize = 16;

/// Temporary files and folders that this process knows of.
struct Known {
    /// Temporary files of this process.
    files: BTreeSet<PathBuf>,
    /// Folders in which this process has removed the files that were left.
    swept: BTreeSet<PathBuf>,
}

/// Temporary files that this process knows of; whoever holds the lock may make or remove some.
static UNFINISHED: Mutex<Known> =
    Mutex::new(Known { files: BTreeSet::new(), swept: BTreeSet::new() });

fn known() -> MutexGuard<'static, Known> {
    UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Removes the temporary files of a process that ends now. None can be made from then on.
pub(crate) fn remove_all() {
    let mut known = known();
    for path in std::mem::take(&mut known.files) {
        // One that is gone already is as it should be.
        let _ = std::fs::remove_file(path);
    }
    std::mem::forget(known);
}

/// Path of a temporary file in the list of those; the path is taken off the list when this is dropped.
pub(crate) struct Listed(PathBuf);

impl Drop for Listed {
    fn drop(&mut self) {
        known().files.remove(&self.0);
    }
}

/// Creates a temporary file in a folder, of the user alone if no permissions are given; the first time it removes what killed
/// processes have left there.
///
/// # Errors
/// The folder cannot be written.
pub(crate) fn create(
    folder: &Path,
    permissions: Option<Permissions>,
) -> io::Result<(NamedTempFile, Listed)> {
    let mut known = known();
    if known.swept.insert(folder.to_owned()) {
        sweep(folder);
    }
    let mut builder = tempfile::Builder::new();
    builder.prefix(PREFIX).suffix(SUFFIX).rand_bytes(RANDOM);
    if let Some(permissions) = permissions {
        builder.permissions(permissions);
    }
    let mut file = builder.tempfile_in(folder)?;
    // Another process may have looked before there was a lock. Where there are no locks, nobody removes anything.
    for _ in 0..TRIES {
        let is_taken = matches!(file.as_file().try_lock(), Err(std::fs::TryLockError::WouldBlock));
        if !is_taken && file.path().exists() {
            break;
        }
        file = builder.tempfile_in(folder)?;
    }
    known.files.insert(file.path().to_owned());
    let listed = Listed(file.path().to_owned());
    Ok((file, listed))
}

/// Removes the temporary files of a folder that no process holds. What cannot be read or removed is left alone.
fn sweep(folder: &Path) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let is_file = entry.file_type().is_ok_and(|kind| kind.is_file());
        if !is_file || !entry.file_name().to_str().is_some_and(is_temporary) {
            continue;
        }
        let file = File::open(entry.path());
        if file.is_ok_and(|file| file.try_lock().is_ok()) {
            let _ = std::fs::remove_file(entry.path());
        }
    }
}

/// Whether a name is one of a temporary file.
fn is_temporary(name: &str) -> bool {
    let middle = name.strip_prefix(PREFIX).and_then(|rest| rest.strip_suffix(SUFFIX));
    middle.is_some_and(|middle| {
        middle.len() == RANDOM && middle.chars().all(|c| c.is_ascii_alphanumeric())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_nobody_holds_is_removed_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let (held, _listed) = create(folder.path(), None).unwrap();
        let others = [".cp2-notes.unfinished", ".cp2-abcdefgh", "a.unfinished"];
        for name in others.iter().chain([&".cp2-abcdEF12.unfinished"]) {
            std::fs::write(folder.path().join(name), "x").unwrap();
        }
        sweep(folder.path());
        let mut left: Vec<_> =
            std::fs::read_dir(folder.path()).unwrap().map(|e| e.unwrap().path()).collect();
        left.sort();
        let mut expected: Vec<_> = others.iter().map(|name| folder.path().join(name)).collect();
        expected.push(held.path().to_owned());
        expected.sort();
        assert_eq!(left, expected);
    }
}
