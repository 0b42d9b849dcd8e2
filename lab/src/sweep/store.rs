//! The folder of a sweep. A process that runs a share of the points writes a journal, and makes a Parquet file of the
//! same name of it when it ends; one that was killed leaves the journal, and the next process of its share makes the
//! file. Rows are found by their addresses, so files of any share, of any number of shares, and of an earlier form of
//! the sweep count alike. What is done stands here and nowhere else.

use super::address::RowAddress;
use super::journal::{self, Journal, file_error};
use super::outcome::{PointOutcome, PointRow};
use super::shard::Shard;
use super::table;
use crate::inputs::LabError;
use std::collections::{BTreeMap, HashMap};
use std::fs::{self, File, TryLockError};
use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};

/// Extensions of the names of files with rows: journals and Parquet files.
const JOURNAL: &str = "journal";
const TABLE: &str = "parquet";
/// Name of the file with the text of the sweep that was run last.
const SPEC: &str = "sweep.toml";
/// Most bytes of a row in a journal and in the file that is made of it, and of a file without rows.
const ROW_BYTES: u64 = 512;
const FILE_BYTES: u64 = 65536;

/// Folder on disk that keeps the outcomes of the points of a sweep as rows, each under the address of its point (a hash
/// of all that the outcome depends on), and the text of the sweep.
#[derive(Debug)]
pub struct RowStore {
    folder: PathBuf,
}

/// Right to run a share, with the journal of its rows.
#[derive(Debug)]
pub(super) struct Lease {
    /// Journal to which rows are added.
    pub(super) journal: Journal,
    path: PathBuf,
    // Held while the process lives, however it ends.
    _lock: File,
}

/// Finished points, and the number of rows that were run more than once.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Done {
    pub(super) outcomes: HashMap<RowAddress, PointOutcome>,
    pub(super) repeated: u64,
    pub(super) files: u64,
}

/// Writes a file by another name first, so that it is whole or not there. The name is one that nobody else has: shares
/// that begin in the same moment write the same file.
fn write_whole(path: &Path, bytes: &[u8]) -> Result<(), LabError> {
    let folder = path.parent().unwrap_or(Path::new("."));
    let mut builder = tempfile::Builder::new();
    builder.suffix(".part");
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    let write = || {
        let mut part = builder.tempfile_in(folder)?;
        part.write_all(bytes)?;
        part.as_file().sync_all()?;
        part.persist(path).map(drop).map_err(|e| e.error)
    };
    write().map_err(|e| file_error(path, &e))
}

impl RowStore {
    /// Creates a store that keeps its rows in `folder`, which need not be there yet. Nothing is read or written.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self { folder: folder.into() }
    }

    /// Makes the folder and keeps the text of the sweep in it.
    ///
    /// # Errors
    /// The folder cannot be written, or there is no space for so many rows.
    pub(super) fn prepare(&self, spec: &str, rows: u64) -> Result<(), LabError> {
        let failed = |e: &std::io::Error| file_error(&self.folder, e);
        fs::create_dir_all(&self.folder).map_err(|e| failed(&e))?;
        let (needed, free) = (
            rows * ROW_BYTES + FILE_BYTES,
            fs4::available_space(&self.folder).map_err(|e| failed(&e))?,
        );
        if free < needed {
            return LabError::of(format!(
                "{}: not enough space: {rows} rows take up to {} MiB, and {} MiB are free",
                self.folder.display(),
                needed.div_ceil(1 << 20),
                free >> 20
            ));
        }
        let path = self.folder.join(SPEC);
        match fs::read_to_string(&path) {
            Ok(there) if there == spec => Ok(()),
            _ => write_whole(&path, spec.as_bytes()),
        }
    }

    /// Reads from the folder the text of the sweep that was run last, the content of its file.
    ///
    /// # Errors
    /// The folder has no such text: it is not the folder of a sweep.
    pub fn spec(&self) -> Result<String, LabError> {
        let path = self.folder.join(SPEC);
        fs::read_to_string(&path).map_err(|e| {
            LabError::new(format!("{}: {e}; is this a folder of `cp2 sweep`?", path.display()))
        })
    }

    /// Returns the names of files with rows, without their extensions, and whether each is a Parquet file already.
    fn names(&self) -> Result<BTreeMap<String, bool>, LabError> {
        let mut names = BTreeMap::new();
        for entry in fs::read_dir(&self.folder).map_err(|e| file_error(&self.folder, &e))? {
            let path = entry.map_err(|e| file_error(&self.folder, &e))?.path();
            let end = path.extension().and_then(|end| end.to_str());
            let Some(name) = path.file_stem().and_then(|name| name.to_str()) else { continue };
            match end {
                Some(TABLE) => names.insert(name.to_owned(), true),
                Some(JOURNAL) => Some(*names.entry(name.to_owned()).or_insert(false)),
                _ => None,
            };
        }
        Ok(names)
    }

    fn path(&self, name: &str, end: &str) -> PathBuf {
        self.folder.join(format!("{name}.{end}"))
    }

    /// Reads the rows of a file. A journal that is gone has become a Parquet file meanwhile.
    fn rows(&self, name: &str, is_table: bool) -> Result<Vec<PointRow>, LabError> {
        if !is_table {
            match fs::read(self.path(name, JOURNAL)) {
                Ok(bytes) => return Ok(journal::rows(&bytes)),
                Err(e) if e.kind() == ErrorKind::NotFound => {}
                Err(e) => return Err(file_error(&self.path(name, JOURNAL), &e)),
            }
        }
        let path = self.path(name, TABLE);
        let bytes = fs::read(&path).map_err(|e| file_error(&path, &e))?;
        table::rows(bytes).map_err(|e| file_error(&path, &e))
    }

    /// Reads all finished points from the files of the folder.
    ///
    /// # Errors
    /// A file cannot be read.
    pub(super) fn done(&self) -> Result<Done, LabError> {
        let mut done = Done::default();
        for (name, is_table) in self.names()? {
            done.files += 1;
            for PointRow { address, outcome } in self.rows(&name, is_table)? {
                done.repeated += u64::from(done.outcomes.insert(address, outcome).is_some());
            }
        }
        Ok(done)
    }

    /// Takes a share: nobody else runs it until this process ends. Journals that earlier processes of the share left
    /// behind become Parquet files.
    ///
    /// # Errors
    /// Another process runs the share, or the folder cannot be written.
    pub(super) fn lease(&self, shard: Shard) -> Result<Lease, LabError> {
        let share = format!("{}-of-{}", shard.number, shard.of);
        let path = self.path(&share, "lock");
        let lock = File::options().create(true).truncate(false).write(true).open(&path);
        let lock = lock.map_err(|e| file_error(&path, &e))?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return LabError::of(format!(
                    "{}: another process runs share {}/{} in this folder; wait for its end, or stop it",
                    self.folder.display(),
                    shard.number,
                    shard.of
                ));
            }
            Err(TryLockError::Error(e)) => return Err(file_error(&path, &e)),
        }
        let mut next = 1;
        for name in self.names()?.keys() {
            let Some(number) = name.strip_prefix(&format!("{share}-")) else { continue };
            next = next.max(number.parse().unwrap_or(0) + 1);
            self.finish_journal(name)?;
        }
        let path = self.path(&format!("{share}-{next:04}"), JOURNAL);
        Ok(Lease { journal: Journal::create(&path)?, path, _lock: lock })
    }

    /// Makes a Parquet file of a journal, if there is one.
    fn finish_journal(&self, name: &str) -> Result<(), LabError> {
        let (journal, path) = (self.path(name, JOURNAL), self.path(name, TABLE));
        let bytes = match fs::read(&journal) {
            Ok(bytes) => bytes,
            Err(e) if e.kind() == ErrorKind::NotFound => return Ok(()),
            Err(e) => return Err(file_error(&journal, &e)),
        };
        if !path.exists() {
            let mut rows = journal::rows(&bytes);
            if !rows.is_empty() {
                // The order in which threads finish is no part of the result.
                rows.sort_by_key(|row| row.address);
                let table = table::of_rows(&rows).map_err(|e| file_error(&path, &e))?;
                write_whole(&path, &table)?;
            }
        }
        fs::remove_file(&journal).map_err(|e| file_error(&journal, &e))
    }

    /// Ends a share: its journal becomes a Parquet file.
    ///
    /// # Errors
    /// The Parquet file cannot be written; the journal stays, and nothing is lost.
    pub(super) fn give_back(&self, lease: Lease) -> Result<(), LabError> {
        let Lease { journal, path, _lock } = lease;
        drop(journal);
        let name = path.file_stem().and_then(|name| name.to_str()).unwrap_or_default();
        self.finish_journal(name)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test's helpers may panic")]
    use super::*;

    fn row(n: u64) -> PointRow {
        let address = RowAddress::read(&format!("{n:032x}")).unwrap();
        PointRow { address, outcome: PointOutcome { cycles: Some(n), ..PointOutcome::default() } }
    }

    #[test]
    fn a_journal_that_was_left_behind_counts_and_is_settled_by_the_next() {
        let folder = tempfile::tempdir().unwrap();
        let store = RowStore::new(folder.path().join("new"));
        store.prepare("kernel = 'axpy'", 10).unwrap();
        assert_eq!(store.spec().unwrap(), "kernel = 'axpy'");
        let (one, two) = (Shard { number: 1, of: 2 }, Shard { number: 2, of: 2 });
        let mut lease = store.lease(one).unwrap();
        lease.journal.append(&row(1)).unwrap();
        lease.journal.append(&row(2)).unwrap();
        let busy = store.lease(one).unwrap_err().to_string();
        assert!(busy.contains("another process runs share 1/2"), "{busy}");
        let mut other = store.lease(two).unwrap();
        other.journal.append(&row(3)).unwrap();
        // As if it had been killed: nothing is given back.
        drop(lease);
        assert_eq!(store.done().unwrap().outcomes.len(), 3);
        let mut again = store.lease(one).unwrap();
        assert!(store.path("1-of-2-0001", TABLE).exists());
        again.journal.append(&row(4)).unwrap();
        store.give_back(again).unwrap();
        store.give_back(other).unwrap();
        let done = store.done().unwrap();
        assert_eq!((done.outcomes.len(), done.repeated, done.files), (4, 0, 3));
        let left: Vec<_> =
            fs::read_dir(&store.folder).unwrap().map(|e| e.unwrap().path()).collect();
        assert!(left.iter().all(|path| path.extension().unwrap() != JOURNAL), "{left:?}");
    }

    /// Several processes prepare a folder in the same moment, as tasks of an array of jobs do.
    #[test]
    fn a_folder_is_prepared_by_many_at_once() {
        for _ in 0..20 {
            let folder = tempfile::tempdir().unwrap();
            let store = RowStore::new(folder.path().join("new"));
            let start = std::sync::Barrier::new(8);
            std::thread::scope(|scope| {
                for _ in 0..8 {
                    scope.spawn(|| {
                        start.wait();
                        store.prepare("kernel = 'axpy'", 10).unwrap();
                        assert_eq!(store.spec().unwrap(), "kernel = 'axpy'");
                    });
                }
            });
            assert_eq!(fs::read_dir(&store.folder).unwrap().count(), 1);
        }
    }

    #[test]
    fn a_file_and_its_journal_are_the_same_rows() {
        let folder = tempfile::tempdir().unwrap();
        let store = RowStore::new(folder.path());
        store.prepare("", 1).unwrap();
        let mut lease = store.lease(Shard { number: 1, of: 1 }).unwrap();
        lease.journal.append(&row(1)).unwrap();
        let journal = fs::read(&lease.path).unwrap();
        store.give_back(lease).unwrap();
        // Killed between making the file and deleting the journal.
        fs::write(store.path("1-of-1-0001", JOURNAL), journal).unwrap();
        let done = store.done().unwrap();
        assert_eq!((done.outcomes.len(), done.repeated, done.files), (1, 0, 1));
    }

    #[test]
    fn too_many_rows_for_the_disk_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let told = RowStore::new(folder.path()).prepare("", 1 << 50).unwrap_err().to_string();
        assert!(told.contains("not enough space") && told.contains("MiB are free"), "{told}");
        let none = RowStore::new("/nowhere/at/all").spec().unwrap_err().to_string();
        assert!(none.contains("is this a folder of `cp2 sweep`?"), "{none}");
    }
}
