//! Memory: `brk`, `mmap` and its relatives.

use super::{Answer, Errno};
use crate::memory::{Allowed, PAGE};
use crate::user::Process;
use std::io::{Read, Seek, SeekFrom};

const FIXED: u64 = 0x10;
const ANONYMOUS: u64 = 0x800;
const MAY_MOVE: u64 = 1;
/// Nothing is mapped beyond.
const HIGHEST: u64 = 1 << 40;

fn allowed(protection: u64) -> Allowed {
    Allowed { read: protection & 5 != 0, write: protection & 2 != 0, execute: protection & 4 != 0 }
}

/// A range of whole pages; none if it lies beyond what a process has.
fn range(address: u64, length: u64) -> Result<(u64, u64), Errno> {
    let behind = address.checked_add(length).filter(|behind| *behind <= HIGHEST);
    if !address.is_multiple_of(PAGE) || length == 0 || behind.is_none() {
        return Err(Errno::EINVAL);
    }
    Ok((address, length.next_multiple_of(PAGE)))
}

impl Process {
    pub(super) fn set_break(&mut self, wanted: u64) -> u64 {
        let heap = &mut self.heap;
        if wanted < heap.start || wanted > crate::user::start::MAPPINGS {
            return heap.end;
        }
        let (old, new) = (heap.end.next_multiple_of(PAGE), wanted.next_multiple_of(PAGE));
        if new > old && !self.core.memory.map(old, new - old, Allowed::DATA) {
            return heap.end;
        }
        if new < old {
            self.core.memory.unmap(new, old - new);
        }
        heap.end = wanted;
        wanted
    }

    pub(super) fn map(
        &mut self,
        [address, length, protection, flags, file, offset]: [u64; 6],
    ) -> Answer {
        let (address, length) = if flags & FIXED != 0 {
            range(address, length)?
        } else {
            let (address, length) = range(self.heap.next_mapping, length)?;
            self.heap.next_mapping = address + length;
            (address, length)
        };
        let mut bytes = Vec::new();
        if flags & ANONYMOUS == 0 {
            let file = self.files.file(file)?;
            let mut copy = file.try_clone().map_err(|e| super::errno(&e))?;
            let old = copy.stream_position().map_err(|e| super::errno(&e))?;
            copy.seek(SeekFrom::Start(offset)).map_err(|e| super::errno(&e))?;
            copy.by_ref().take(length).read_to_end(&mut bytes).map_err(|e| super::errno(&e))?;
            copy.seek(SeekFrom::Start(old)).map_err(|e| super::errno(&e))?;
        }
        if !self.core.memory.map(address, length, Allowed::DATA) {
            return Err(Errno::ENOMEM);
        }
        self.core.memory.place(address, &bytes)?;
        self.core.memory.protect(address, length, allowed(protection));
        Ok(address)
    }

    pub(super) fn protect(&mut self, address: u64, length: u64, protection: u64) -> Answer {
        let (address, length) = range(address, length)?;
        if self.core.memory.protect(address, length, allowed(protection)) {
            Ok(0)
        } else {
            Err(Errno::ENOMEM)
        }
    }

    pub(super) fn unmap(&mut self, address: u64, length: u64) -> Answer {
        let (address, length) = range(address, length)?;
        self.core.memory.unmap(address, length);
        Ok(0)
    }

    pub(super) fn remap(&mut self, address: u64, old: u64, new: u64, flags: u64) -> Answer {
        let ((address, old), (_, new)) = (range(address, old)?, range(address, new)?);
        if new <= old {
            if new < old {
                self.core.memory.unmap(address + new, old - new);
            }
            return Ok(address);
        }
        if flags & MAY_MOVE == 0 {
            return Err(Errno::ENOMEM);
        }
        let bytes = self.core.memory.read(address, old)?;
        let place = self.map([0, new, 3, ANONYMOUS, 0, 0])?;
        self.core.memory.write(place, &bytes)?;
        self.core.memory.unmap(address, old);
        Ok(place)
    }
}
