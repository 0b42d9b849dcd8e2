//! Files that a process has mapped to share them. The bytes in memory and those of the file are made the same around each
//! call that is about files or memory, and at the end of the process: nobody in the process sees a difference.

use super::Process;
use super::errno::Errno;
use super::files::{Description, flag};
use crate::memory::{Memory, PAGE, PageBytes};
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::rc::Rc;

const PAGE_BYTES: usize = PAGE as usize;
/// Bytes of shared mappings, at most: all of them are compared around each call.
const MOST: u64 = 256 << 20;

/// A range of pages that is mapped to a file.
pub(super) struct Shared {
    address: u64,
    offset: u64,
    description: Rc<Description>,
    /// Bytes of the pages when memory and file were last the same.
    copy: Vec<u8>,
}

impl Shared {
    fn end(&self) -> u64 {
        self.address + self.copy.len() as u64
    }

    /// Whether the process may write to the file.
    fn is_writable(&self) -> bool {
        self.description.flags.get() & flag::ACCESS != flag::READ_ONLY
    }

    /// Writes what the process has changed in memory to the file, as far as the file goes.
    fn store(&mut self, memory: &Memory) -> Result<(), Errno> {
        if !self.is_writable() {
            return Ok(());
        }
        let file = self.description.file()?;
        let end = file.metadata()?.len();
        for (i, old) in self.copy.chunks_exact_mut(PAGE_BYTES).enumerate() {
            let place = (i * PAGE_BYTES) as u64;
            let Some(new) = memory.page(self.address + place) else { continue };
            let Some(first) = old.iter().zip(new).position(|(old, new)| old != new) else {
                continue;
            };
            let behind =
                old.iter().zip(new).rposition(|(old, new)| old != new).map_or(0, |n| n + 1);
            old.copy_from_slice(new);
            let in_file = end.saturating_sub(self.offset + place).min(behind as u64) as usize;
            if first < in_file {
                file.write_all_at(&new[first..in_file], self.offset + place + first as u64)?;
            }
        }
        Ok(())
    }

    /// Takes what has changed in the file to memory.
    fn load(&mut self, memory: &mut Memory) -> Result<(), Errno> {
        let new = part_of(self.description.file()?, self.offset, self.copy.len() as u64)?;
        for (i, old) in self.copy.chunks_exact_mut(PAGE_BYTES).enumerate() {
            let mut page: PageBytes = [0; PAGE_BYTES];
            let rest = new.get(i * PAGE_BYTES..).unwrap_or_default();
            let n = rest.len().min(PAGE_BYTES);
            page[..n].copy_from_slice(&rest[..n]);
            if old != page {
                old.copy_from_slice(&page);
                memory.set_page(self.address + (i * PAGE_BYTES) as u64, &page);
            }
        }
        Ok(())
    }
}

/// Reads bytes of a file, fewer at its end. The position of the file stays.
pub(super) fn part_of(file: &File, offset: u64, length: u64) -> io::Result<Vec<u8>> {
    let rest = file.metadata()?.len().saturating_sub(offset);
    let mut bytes = vec![0; rest.min(length) as usize];
    let mut done = 0;
    while done < bytes.len() {
        match file.read_at(&mut bytes[done..], offset + done as u64)? {
            // Somebody has cut the file meanwhile.
            0 => break,
            n => done += n,
        }
    }
    bytes.truncate(done);
    Ok(bytes)
}

impl Process {
    /// Writes what the process has changed in shared memory to the files.
    pub(super) fn store_shared(&mut self) -> Result<(), Errno> {
        let memory = &self.core.memory;
        self.heap.shared.iter_mut().try_for_each(|shared| shared.store(memory))
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
        let mut shared = Shared { address, offset, description, copy };
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
