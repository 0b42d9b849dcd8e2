//! A folder that a process reads: its entries in the order of their names, as they were when it began to read.

use super::directory::Directory;
use super::errno::Errno;
use rustix::fs::{Dir, FileType};
use std::os::fd::OwnedFd;
use std::rc::Rc;

struct Entry {
    inode: u64,
    kind: u8,
    name: Vec<u8>,
}

/// An open folder.
pub(super) struct Folder {
    /// Folder as it was opened, which has its locks.
    pub(super) opened: OwnedFd,
    /// The folder for walks from it.
    pub(super) place: Rc<Directory>,
    entries: Vec<Entry>,
    /// Number of the entry that is read next.
    at: usize,
}

impl Folder {
    /// Opens a folder; an error if it may not be read.
    pub(super) fn new(place: Rc<Directory>) -> Result<Self, Errno> {
        let opened = place.reader()?;
        Ok(Self { opened, place, entries: Vec::new(), at: 0 })
    }

    /// Returns `struct linux_dirent64` of the next entries, as many as fit into `most` bytes; none at the end.
    pub(super) fn read(&mut self, most: usize) -> Result<Vec<u8>, Errno> {
        if self.at == 0 {
            self.entries = entries(&self.place)?;
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

    /// Returns the number of the entry that is read next.
    pub(super) fn position(&self) -> u64 {
        self.at as u64
    }

    /// Goes to an entry by its number, as it was told with the entry before.
    pub(super) fn seek(&mut self, at: u64) {
        self.at = usize::try_from(at).unwrap_or(usize::MAX);
    }
}

/// Reads the entries of a folder, the folder itself and the one above it first.
fn entries(place: &Directory) -> Result<Vec<Entry>, Errno> {
    let mut entries = Vec::new();
    for entry in Dir::new(place.reader()?)? {
        let entry = entry?;
        let name = entry.file_name().to_bytes().to_vec();
        if name != b"." && name != b".." {
            entries.push(Entry { inode: entry.ino(), kind: kind_of(entry.file_type()), name });
        }
    }
    entries.sort_by(|a, b| a.name.cmp(&b.name));
    let kind = kind_of(FileType::Directory);
    let (own, above) = (place.status()?.st_ino, place.status_above()?.st_ino);
    let dots = [(own, "."), (above, "..")];
    let dots = dots.map(|(inode, name)| Entry { inode, kind, name: name.into() });
    entries.splice(0..0, dots);
    Ok(entries)
}

/// Returns the kind of an entry in `struct linux_dirent64`.
fn kind_of(kind: FileType) -> u8 {
    match kind {
        FileType::Fifo => 1,
        FileType::CharacterDevice => 2,
        FileType::Directory => 4,
        FileType::BlockDevice => 6,
        FileType::RegularFile => 8,
        FileType::Symlink => 10,
        FileType::Socket => 12,
        FileType::Unknown => 0,
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
    bytes.extend(&entry.name);
    bytes.resize(length, 0);
    bytes
}
