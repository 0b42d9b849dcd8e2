//! A folder that a process reads: its entries in the order of their names, as they were when it began to read.

use super::errno::{Errno, errno};
use cap_std::fs::{Dir, FileType, MetadataExt};
use std::path::PathBuf;

/// Kinds of entries in `struct linux_dirent64`.
mod kind {
    pub(super) const UNKNOWN: u8 = 0;
    pub(super) const FOLDER: u8 = 4;
    pub(super) const FILE: u8 = 8;
    pub(super) const LINK: u8 = 10;
}

#[derive(Clone)]
struct Entry {
    inode: u64,
    kind: u8,
    name: String,
}

/// An open folder.
#[derive(Clone)]
pub(super) struct Folder {
    /// Path of the folder, relative to the folder of the user.
    pub(super) path: PathBuf,
    entries: Vec<Entry>,
    /// Number of the entry that is read next.
    at: usize,
}

impl Folder {
    pub(super) fn new(path: PathBuf) -> Self {
        Self { path, entries: Vec::new(), at: 0 }
    }

    /// Returns `struct linux_dirent64` of the next entries, as many as fit into `most` bytes; none at the end.
    pub(super) fn read(&mut self, folder: &Dir, most: usize) -> Result<Vec<u8>, Errno> {
        if self.at == 0 {
            self.entries = entries(folder, &self.path)?;
        }
        let mut bytes = Vec::new();
        while let Some(entry) = self.entries.get(self.at) {
            let record = record(entry, self.at as u64 + 1);
            if bytes.len() + record.len() > most {
                break;
            }
            bytes.extend(record);
            self.at += 1;
        }
        if bytes.is_empty() && self.at < self.entries.len() {
            Err(Errno::EINVAL)
        } else {
            Ok(bytes)
        }
    }

    /// Goes to an entry by its number, as it was told with the entry before.
    pub(super) fn seek(&mut self, at: u64) {
        self.at = usize::try_from(at).unwrap_or(usize::MAX);
    }
}

/// Reads the entries of a folder, the folder itself and the one above it first. Names that are no text cannot be
/// opened.
fn entries(folder: &Dir, path: &PathBuf) -> Result<Vec<Entry>, Errno> {
    let mut entries = Vec::new();
    for entry in folder.read_dir(path).map_err(|e| errno(&e))? {
        let entry = entry.map_err(|e| errno(&e))?;
        let Ok(name) = entry.file_name().into_string() else { continue };
        // What is gone meanwhile is none.
        let Ok(metadata) = entry.metadata() else { continue };
        entries.push(Entry { inode: metadata.ino(), kind: kind_of(metadata.file_type()), name });
    }
    entries.sort_by(|a, b| a.name.cmp(&b.name));
    let inode = folder.metadata(path).map_err(|e| errno(&e))?.ino();
    let dots = [".", ".."].map(|name| Entry { inode, kind: kind::FOLDER, name: name.to_owned() });
    entries.splice(0..0, dots);
    Ok(entries)
}

fn kind_of(kind: FileType) -> u8 {
    match kind {
        _ if kind.is_dir() => kind::FOLDER,
        _ if kind.is_file() => kind::FILE,
        _ if kind.is_symlink() => kind::LINK,
        _ => kind::UNKNOWN,
    }
}

/// Returns `struct linux_dirent64` of an entry, with the number of the next one.
fn record(entry: &Entry, next: u64) -> Vec<u8> {
    const HEAD: usize = 19;
    let length = (HEAD + entry.name.len() + 1).next_multiple_of(8);
    let mut bytes = Vec::with_capacity(length);
    bytes.extend(entry.inode.to_be_bytes());
    bytes.extend(next.to_be_bytes());
    bytes.extend((length as u16).to_be_bytes());
    bytes.push(entry.kind);
    bytes.extend(entry.name.as_bytes());
    bytes.resize(length, 0);
    bytes
}
