//! Accesses whose translation is not in the tables: pages are looked for, and watchpoints looked at.

use super::{MAY_BOTH, MAY_LOAD, MAY_STORE, Mapping, Memory, PAGE_BYTES};
use crate::exception::{AccessKind, Exception};

impl Memory {
    /// Loads the bytes of an access as [`Memory::load`] does.
    #[cold]
    #[inline(never)]
    pub(super) fn load_slowly<const N: usize>(
        &mut self,
        address: u64,
        access: AccessKind,
    ) -> Result<[u8; N], Exception> {
        if !address.is_multiple_of(N as u64) {
            return Err(Exception::Unaligned { address, access });
        }
        let is_load = access == AccessKind::Load;
        let first = match self.loads.watched(address).filter(|_| is_load) {
            Some(first) => first,
            None => {
                let page = self.mapping(address, access)?.page;
                if is_load && self.watches.is_page_watched(address, access) {
                    self.loads.keep_watched(address, page * PAGE_BYTES);
                } else if is_load {
                    self.loads.keep(address, page * PAGE_BYTES);
                    self.arena.change_rights(page, MAY_LOAD, 0);
                }
                page * PAGE_BYTES
            }
        };
        self.check_watchpoints(address, N as u64, access)?;
        // All bytes of an aligned access are on its page.
        Ok(self.arena.bytes(first + address as usize % PAGE_BYTES).unwrap_or([0; N]))
    }

    /// Stores the bytes of an access as [`Memory::store`] does.
    #[cold]
    #[inline(never)]
    pub(super) fn store_slowly(&mut self, address: u64, bytes: &[u8]) -> Result<(), Exception> {
        if !address.is_multiple_of(bytes.len() as u64) {
            return Err(Exception::Unaligned { address, access: AccessKind::Store });
        }
        let known = self.stores.watched(address);
        if known.is_none() {
            self.mapping(address, AccessKind::Store)?;
        }
        self.check_watchpoints(address, bytes.len() as u64, AccessKind::Store)?;
        let first = match known {
            Some(first) => first,
            None => {
                let Mapping { page, allowed, .. } = self.written(address, AccessKind::Store)?;
                if self.watches.is_page_watched(address, AccessKind::Store) {
                    self.stores.keep_watched(address, page * PAGE_BYTES);
                } else {
                    self.stores.keep(address, page * PAGE_BYTES);
                    let is_open = allowed.read && !self.watches.has_page(address);
                    let right = if is_open { MAY_STORE | MAY_BOTH } else { MAY_STORE };
                    self.arena.change_rights(page, right, 0);
                }
                page * PAGE_BYTES
            }
        };
        let offset = address as usize % PAGE_BYTES;
        self.arena.page_mut(first / PAGE_BYTES)[offset..offset + bytes.len()]
            .copy_from_slice(bytes);
        Ok(())
    }
}
