//! Memory: `brk`, `mmap` and its relatives.

use crate::memory::{Allowed, PAGE};
use crate::user::Process;
use crate::user::errno::{Answer, Errno, errno};
use crate::user::start::STACK_BOTTOM;
use cap_std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};

const FIXED: u64 = 0x10;
const ANONYMOUS: u64 = 0x800;
const MAY_MOVE: u64 = 1;
/// End of the addresses that can be mapped.
const HIGHEST: u64 = 1 << 40;

fn allowed(protection: u64) -> Allowed {
    Allowed { read: protection & 5 != 0, write: protection & 2 != 0, execute: protection & 4 != 0 }
}

/// Returns a range of whole pages; an error if it lies beyond the addresses that can be mapped.
fn range(address: u64, length: u64) -> Result<(u64, u64), Errno> {
    let behind = address.checked_add(length).filter(|behind| *behind <= HIGHEST);
    if !address.is_multiple_of(PAGE) || length == 0 || behind.is_none() {
        return Err(Errno::EINVAL);
    }
    Ok((address, length.next_multiple_of(PAGE)))
}

/// Reads bytes of a file, fewer at its end. The position of the file stays.
fn part_of(mut file: File, offset: u64, length: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let old = file.stream_position()?;
    file.seek(SeekFrom::Start(offset))?;
    file.by_ref().take(length).read_to_end(&mut bytes)?;
    file.seek(SeekFrom::Start(old))?;
    Ok(bytes)
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
        let is_fixed = flags & FIXED != 0;
        let (address, length) =
            range(if is_fixed { address } else { self.heap.next_mapping }, length)?;
        // What the process chooses may replace its stack; what is chosen for it does not.
        if !is_fixed && address + length > STACK_BOTTOM {
            return Err(Errno::ENOMEM);
        }
        let file = if flags & ANONYMOUS == 0 { Some(self.files.file(file)?) } else { None };
        let file = file.map(|f| f.try_clone()).transpose().map_err(|e| errno(&e))?;
        // Before anything is read: what does not fit into the memory of the process is not asked of the
        // native machine.
        if !self.core.memory.map(address, length, Allowed::DATA) {
            return Err(Errno::ENOMEM);
        }
        if !is_fixed {
            self.heap.next_mapping = address + length;
        }
        if let Some(file) = file {
            let bytes = part_of(file, offset, length).map_err(|e| errno(&e))?;
            self.core.memory.place(address, &bytes)?;
        }
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
