//! Files that a process has mapped to share them. The bytes in memory and those of the file are made the same around each
//! call, and at the end of the process. Between two calls a store is seen only through the mapping that it went through.

use super::Process;
use super::errno::Errno;
use super::files::{Description, flag};
use crate::memory::{Memory, PAGE, PageBytes};
use rustix::fs::OFlags;
use std::fs::File;
use std::io;
use std::os::unix::fs::{FileExt, MetadataExt};
use std::rc::Rc;
use std::time::{Duration, SystemTime};

const PAGE_BYTES: usize = PAGE as usize;
/// Bytes of a file that are read at once.
const CHUNK: usize = 64 * PAGE_BYTES;
/// Bytes of shared mappings, at most: there is a copy of all of them.
const MOST: u64 = 256 << 20;

/// A range of pages that is mapped to a file.
pub(super) struct Shared {
    address: u64,
    offset: u64,
    description: Rc<Description>,
    /// Bytes of the pages when memory and file were last the same.
    copy: Vec<u8>,
    /// State of the file when it was last read; none if it may have changed since without another state.
    seen: Option<FileState>,
}

/// Marks of a file that change with its bytes: its length, and the times of its bytes and of its status, in nanoseconds.
#[derive(Clone, Copy, PartialEq, Eq)]
struct FileState {
    length: u64,
    times: [i128; 2],
}

impl FileState {
    fn of(file: &File) -> io::Result<Self> {
        const SECOND: i128 = 1_000_000_000;
        let status = file.metadata()?;
        let times = [(status.mtime(), status.mtime_nsec()), (status.ctime(), status.ctime_nsec())];
        let times = times.map(|(s, n)| i128::from(s) * SECOND + i128::from(n));
        Ok(Self { length: status.len(), times })
    }

    /// Whether a later change of the file gets another time: those of files are in steps, of two seconds at most, and of
    /// less where there are parts of a second.
    fn is_settled(&self) -> bool {
        const SECOND: i128 = 1_000_000_000;
        // Nobody can set the time of the status.
        let last = self.times[1];
        let has_parts = last % SECOND != 0;
        let step = Duration::from_millis(if has_parts { 50 } else { 2100 });
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        last + (step.as_nanos() as i128) < now.as_nanos() as i128
    }
}

impl Shared {
    fn end(&self) -> u64 {
        self.address + self.copy.len() as u64
    }

    /// Whether the process may write to the file.
    fn is_writable(&self) -> bool {
        self.description.flags.get() & flag::ACCESS != flag::READ_ONLY
    }

    /// Writes what the process has changed in a page of memory to the file, as far as the file goes. A page elsewhere is
    /// passed over.
    fn store(&mut self, address: u64, new: &PageBytes) -> Result<(), Errno> {
        if address < self.address || self.end() <= address || !self.is_writable() {
            return Ok(());
        }
        let place = address - self.address;
        let old = &mut self.copy[place as usize..place as usize + PAGE_BYTES];
        if old == new {
            return Ok(());
        }
        // Bytes that the process has not changed may be others in the file by now.
        let file = self.description.file()?;
        let mut bytes = part_of(file, self.offset + place, PAGE)?;
        let changed = |at: &usize| old[*at] != new[*at];
        let first = (0..bytes.len()).find(changed).unwrap_or(bytes.len());
        let behind = (0..bytes.len()).rev().find(changed).map_or(first, |last| last + 1);
        for at in (first..behind).filter(changed) {
            bytes[at] = new[at];
        }
        old.copy_from_slice(new);
        if first < behind {
            write_at_place(file, &bytes[first..behind], self.offset + place + first as u64)?;
        }
        Ok(())
    }

    /// Takes what has changed in the file to memory.
    fn load(&mut self, memory: &mut Memory) -> Result<(), Errno> {
        let file = self.description.file()?;
        let state = FileState::of(file)?;
        if self.seen == Some(state) {
            return Ok(());
        }
        self.seen = state.is_settled().then_some(state);
        let mut bytes = vec![0; CHUNK.min(self.copy.len())];
        for (i, copy) in self.copy.chunks_mut(CHUNK).enumerate() {
            let place = (i * CHUNK) as u64;
            let new = &mut bytes[..copy.len()];
            let n = read_to_end(file, new, self.offset + place)?;
            new[n..].fill(0);
            if copy == new {
                continue;
            }
            let (old, new) = (copy.as_chunks_mut::<PAGE_BYTES>().0, new.as_chunks().0);
            for (j, (old, new)) in old.iter_mut().zip(new).enumerate() {
                if old != new {
                    *old = *new;
                    memory.set_page(self.address + place + (j * PAGE_BYTES) as u64, new);
                }
            }
        }
        Ok(())
    }
}

/// Writes bytes at a place of a file. Where the file has O_APPEND it is off meanwhile: with it, the native machine writes
/// at the end whatever the place.
fn write_at_place(file: &File, bytes: &[u8], offset: u64) -> io::Result<()> {
    let flags = rustix::fs::fcntl_getfl(file)?;
    if !flags.contains(OFlags::APPEND) {
        return file.write_all_at(bytes, offset);
    }
    rustix::fs::fcntl_setfl(file, flags - OFlags::APPEND)?;
    let written = file.write_all_at(bytes, offset);
    rustix::fs::fcntl_setfl(file, flags)?;
    written
}

/// Reads bytes of a file, fewer at its end. The position of the file stays.
pub(super) fn part_of(file: &File, offset: u64, length: u64) -> io::Result<Vec<u8>> {
    let rest = file.metadata()?.len().saturating_sub(offset);
    let mut bytes = vec![0; rest.min(length) as usize];
    let n = read_to_end(file, &mut bytes, offset)?;
    bytes.truncate(n);
    Ok(bytes)
}

/// Reads bytes at a place of a file as far as it goes, and returns how many.
fn read_to_end(file: &File, bytes: &mut [u8], offset: u64) -> io::Result<usize> {
    let mut done = 0;
    while done < bytes.len() {
        match file.read_at(&mut bytes[done..], offset + done as u64)? {
            0 => break,
            n => done += n,
        }
    }
    Ok(done)
}

impl Process {
    /// Whether a file is shared with memory.
    pub(super) fn has_shared(&self) -> bool {
        !self.heap.shared.is_empty()
    }

    /// Writes what the process has changed in shared memory to the files.
    pub(super) fn store_shared(&mut self) -> Result<(), Errno> {
        let shared = &mut self.heap.shared;
        if shared.is_empty() {
            return Ok(());
        }
        let mut answer = Ok(());
        self.core.memory.take_written(|address, page| {
            for shared in shared.iter_mut() {
                answer = answer.and(shared.store(address, page));
            }
        });
        answer
    }

    /// Takes what has changed in shared files to memory.
    pub(super) fn load_shared(&mut self) -> Result<(), Errno> {
        let memory = &mut self.core.memory;
        self.heap.shared.iter_mut().try_for_each(|shared| shared.load(memory))
    }

    /// Whether a mapping of so many bytes may be shared.
    pub(super) fn may_share(&self, length: u64) -> bool {
        let all: u64 = self.heap.shared.iter().map(|shared| shared.copy.len() as u64).sum();
        all.saturating_add(length) <= MOST
    }

    /// Shares pages, which are zeros, with a file from now on.
    pub(super) fn share(
        &mut self,
        address: u64,
        length: u64,
        description: Rc<Description>,
        offset: u64,
    ) -> Result<(), Errno> {
        let copy = vec![0; length as usize];
        let mut shared = Shared { address, offset, description, copy, seen: None };
        shared.load(&mut self.core.memory)?;
        self.heap.shared.push(shared);
        Ok(())
    }

    /// Whether a range has a shared page.
    pub(super) fn is_shared(&self, address: u64, length: u64) -> bool {
        let end = address.saturating_add(length);
        self.heap.shared.iter().any(|shared| shared.address < end && address < shared.end())
    }

    /// Whether a range has a shared page of a file that the process may not write to.
    pub(super) fn is_shared_to_read(&self, address: u64, length: u64) -> bool {
        let end = address.saturating_add(length);
        let mut shared = self.heap.shared.iter();
        shared.any(|s| s.address < end && address < s.end() && !s.is_writable())
    }

    /// Shares the pages of a range no longer. What the process has changed there is in the file already.
    pub(super) fn stop_sharing(&mut self, address: u64, length: u64) {
        let end = address.saturating_add(length);
        for mut shared in std::mem::take(&mut self.heap.shared) {
            if shared.end() > end && end > shared.address {
                let rest = (end - shared.address) as usize;
                self.heap.shared.push(Shared {
                    address: end,
                    offset: shared.offset + rest as u64,
                    description: shared.description.clone(),
                    copy: shared.copy.split_off(rest),
                    seen: shared.seen,
                });
            }
            if address < shared.end() && shared.address < end {
                shared.copy.truncate(address.saturating_sub(shared.address) as usize);
            }
            if !shared.copy.is_empty() {
                self.heap.shared.push(shared);
            }
        }
    }
}
