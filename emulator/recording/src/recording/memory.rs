//! System memory in a cycle of a recorded run: pages that are kept, and pages that are computed anew.

use super::Recording;
use crate::error::RecordingError;
use crate::file::format::Version;
use crate::file::page::{self, PageId, Space};
use cp2_emu::memory::{PAGE, SystemMemory};
use cp2_isa::{Bytes, MemoryAddress};

/// Number of stretches between checkpoints of which computed pages are kept at hand.
const AT_HAND: usize = 4;

impl Recording {
    /// Returns the size of the recorded machine's system memory, in bytes; 0 if CP2 ran alone.
    pub fn memory_size(&self) -> Bytes {
        self.blank.memory.size()
    }

    /// Copies bytes of system memory as they are in the current cycle, from `address` on, to `to`.
    ///
    /// # Errors
    /// The bytes do not lie in system memory, or a part of the recording is damaged.
    pub fn memory(&mut self, address: MemoryAddress, to: &mut [u8]) -> Result<(), RecordingError> {
        self.here.machine.memory.check(address, to.len()).map_err(RecordingError::Memory)?;
        let mut done = 0;
        while done < to.len() {
            let at = address + Bytes(done as u64);
            let (page, from) = ((at.index() / PAGE) as u32, at.index() % PAGE);
            let n = (PAGE - from).min(to.len() - done);
            let part = &mut to[done..done + n];
            if self.interval.used.binary_search(&page).is_ok() {
                self.here.machine.memory.read(at, part).map_err(RecordingError::Memory)?;
            } else {
                part.copy_from_slice(&self.page(page, self.number)?[from..from + n]);
            }
            done += n;
        }
        Ok(())
    }

    /// Returns the bytes of a page at a checkpoint, if they are kept; a page that is 0 still is not.
    pub(crate) fn stored(
        &mut self,
        page: PageId,
        number: usize,
    ) -> Result<Option<Vec<u8>>, RecordingError> {
        let version = self.content.index.version(page, number);
        let Some(stored) = version.and_then(|version| version.stored) else { return Ok(None) };
        let (mut bytes, mut room) = (Vec::new(), [0; PAGE]);
        self.input.stored(&mut [(page, stored)], |_, packed| {
            bytes = page::unpack(packed, &mut room)?.to_vec();
            Ok(())
        })?;
        Ok(Some(bytes))
    }

    /// Returns a page of system memory at a checkpoint, computed if it is not kept.
    fn page(&mut self, page: u32, number: usize) -> Result<Vec<u8>, RecordingError> {
        let id = PageId { space: Space::System, number: page };
        match self.content.index.version(id, number) {
            Some(&Version { stored: None, since, .. }) if since > 0 => {
                let memory = self.computed(since as usize)?;
                let mut bytes = vec![0; PAGE];
                let address = page::address(page);
                let there = memory.available(address, PAGE);
                memory.read(address, &mut bytes[..there]).map_err(RecordingError::Memory)?;
                Ok(bytes)
            }
            _ => Ok(self.stored(id, number)?.unwrap_or_else(|| vec![0; PAGE])),
        }
    }

    /// Returns system memory at a checkpoint, as far as it was used since the one before.
    fn computed(&mut self, number: usize) -> Result<&SystemMemory, RecordingError> {
        if let Some(at) = self.computed.iter().position(|&(k, _)| k == number) {
            self.computed.swap(at, 0);
        } else {
            let memory = self.aside(|recording| recording.run_to(number))?;
            self.computed.truncate(AT_HAND - 1);
            self.computed.insert(0, (number, memory));
        }
        Ok(&self.computed[0].1)
    }

    /// Computes system memory at a checkpoint by a run from the one before.
    fn run_to(&mut self, number: usize) -> Result<SystemMemory, RecordingError> {
        let Some(entry) = self.content.index.entries.get(number) else {
            return Err(RecordingError::Damaged("its index"));
        };
        let cycle = entry.cycle;
        self.restore(number - 1)?;
        self.here.finish(cycle, &self.interval.acts, &mut *self.engine)?;
        Ok(self.here.machine.memory.clone())
    }
}
