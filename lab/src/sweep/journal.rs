//! Journal of a sweep, a file of rows as they are finished: each is appended with one call, its length and a sum before
//! it. A process that is killed while it writes leaves a part of one row behind, which is not read.

use super::outcome::PointRow;
use crate::inputs::LabError;
use std::fs::File;
use std::hash::Hasher as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use twox_hash::XxHash64;

/// Bytes with which a journal begins.
const HEAD: &[u8] = b"cp2 sweep journal 1\n";
/// Number of bytes before a row: its length and its sum.
const PREFIX: usize = 12;

fn sum(bytes: &[u8]) -> u64 {
    let mut hash = XxHash64::with_seed(0);
    hash.write(bytes);
    hash.finish()
}

/// Journal that is being written.
#[derive(Debug)]
pub(super) struct Journal {
    file: File,
    path: PathBuf,
}

impl Journal {
    /// Creates a journal file.
    ///
    /// # Errors
    /// The file cannot be written, or is there already.
    pub(super) fn create(path: &Path) -> Result<Self, LabError> {
        let file = File::options().write(true).create_new(true).open(path);
        let mut journal =
            Self { file: file.map_err(|e| file_error(path, &e))?, path: path.to_owned() };
        journal.write(HEAD)?;
        Ok(journal)
    }

    fn write(&mut self, bytes: &[u8]) -> Result<(), LabError> {
        self.file.write_all(bytes).map_err(|e| file_error(&self.path, &e))
    }

    /// Adds a row. When this comes back the row is in the hands of the operating system, and outlives the process.
    ///
    /// # Errors
    /// The file cannot be written: there is no space left, say.
    pub(super) fn append(&mut self, row: &PointRow) -> Result<(), LabError> {
        let content = postcard::to_stdvec(row).map_err(|e| file_error(&self.path, &e))?;
        let mut bytes = Vec::with_capacity(PREFIX + content.len());
        bytes.extend_from_slice(&(content.len() as u32).to_le_bytes());
        bytes.extend_from_slice(&sum(&content).to_le_bytes());
        bytes.extend_from_slice(&content);
        self.write(&bytes)
    }

    /// Makes sure that the rows that were added outlive the machine too.
    ///
    /// # Errors
    /// The file cannot be written.
    pub(super) fn sync(&self) -> Result<(), LabError> {
        self.file.sync_data().map_err(|e| file_error(&self.path, &e))
    }
}

/// Returns an error with the name of its file.
pub(super) fn file_error(path: &Path, e: &dyn std::fmt::Display) -> LabError {
    LabError::new(format!("{}: {e}", path.display()))
}

/// Reads the whole rows of a journal, up to the first that is not.
pub(super) fn rows(bytes: &[u8]) -> Vec<PointRow> {
    let Some(mut rest) = bytes.strip_prefix(HEAD) else { return Vec::new() };
    let mut rows = Vec::new();
    while let Some((prefix, behind)) = rest.split_first_chunk::<PREFIX>() {
        let (length, expected) = prefix.split_at(4);
        let length = length.iter().rev().fold(0, |n, &byte| n << 8 | usize::from(byte));
        let expected = expected.iter().rev().fold(0, |n, &byte| n << 8 | u64::from(byte));
        let Some((content, behind)) = behind.split_at_checked(length) else { break };
        let row = Some(content).filter(|content| sum(content) == expected);
        let Some(row) = row.and_then(|content| postcard::from_bytes(content).ok()) else { break };
        rows.push(row);
        rest = behind;
    }
    rows
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test's helpers may panic")]
    use super::super::address::RowAddress;
    use super::super::outcome::PointOutcome;
    use super::*;

    fn row(n: u64) -> PointRow {
        let address = RowAddress::read(&format!("{n:032x}")).unwrap();
        let problem = n.is_multiple_of(2).then(|| "none".to_owned());
        let outcome = PointOutcome {
            cycles: Some(n),
            us: Some(n as f64 / 3.0),
            problem,
            ..PointOutcome::default()
        };
        PointRow { address, outcome }
    }

    #[test]
    fn a_journal_that_ends_anywhere_has_all_rows_before() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.journal");
        let mut journal = Journal::create(&path).unwrap();
        let mut lengths = vec![];
        for n in 0..3 {
            lengths.push(std::fs::metadata(&path).unwrap().len() as usize);
            journal.append(&row(n)).unwrap();
        }
        let bytes = std::fs::read(&path).unwrap();
        assert_eq!(rows(&bytes), [row(0), row(1), row(2)]);
        for end in 0..bytes.len() {
            let whole = lengths.iter().skip(1).filter(|&&length| end >= length).count();
            assert_eq!(rows(&bytes[..end]).len(), whole, "{end} bytes");
            let mut damaged = bytes.clone();
            damaged[end] ^= 0x10;
            assert!(rows(&damaged).len() < 3, "byte {end}");
        }
        assert!(Journal::create(&path).unwrap_err().to_string().contains("x.journal"));
    }

    /// `/dev/full` answers every write with "no space left".
    #[test]
    fn a_full_disk_is_told() {
        // A native machine without it has no disk that is always full.
        let Ok(file) = File::options().write(true).open("/dev/full") else { return };
        let mut journal = Journal { file, path: "/dev/full".into() };
        let told = journal.append(&row(1)).unwrap_err().to_string();
        assert!(told.starts_with("/dev/full: No space left"), "{told}");
    }
}
