//! Memory: pages of bytes, and which address is which of them. The addresses of a Linux program are those of its
//! pages; those of a machine go through an [`Mmu`] first. Two small tables keep what was found last, one for loads
//! and one for stores, so that an access is a comparison and an index.

use crate::exception::{AccessKind, Exception};
use crate::mmu::Mmu;
use std::collections::HashMap;

/// Bytes of a page of memory: the unit in which it is got and allowed.
pub const PAGE: u64 = 4096;
const PAGE_BYTES: usize = 4096;
/// The bytes of a page of memory, in the order of their addresses.
pub type PageBytes = [u8; PAGE_BYTES];
const ENTRIES: usize = 1024;

/// Accesses that a page of a program allows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Allowed {
    /// Whether loads are allowed.
    pub read: bool,
    /// Whether stores are allowed.
    pub write: bool,
    /// Whether instructions may be fetched.
    pub execute: bool,
}

impl Allowed {
    /// Every access: loads, stores and fetches of instructions.
    pub const ALL: Self = Self { read: true, write: true, execute: true };
    /// Loads and stores, but no fetches of instructions.
    pub const DATA: Self = Self { read: true, write: true, execute: false };

    const fn permits(self, access: AccessKind) -> bool {
        match access {
            AccessKind::Fetch => self.execute,
            AccessKind::Load => self.read,
            AccessKind::Store => self.write,
        }
    }
}

/// Translation of the addresses of a page that was found: no address has the tag of an empty translation.
#[derive(Clone, Copy)]
struct Entry {
    tag: u64,
    page: usize,
}

const EMPTY: Entry = Entry { tag: u64::MAX, page: 0 };

#[derive(Clone, Copy)]
struct Mapping {
    page: usize,
    allowed: Allowed,
    has_code: bool,
    /// Whether the page was written since [`Memory::take_written`] was called last.
    is_dirty: bool,
}

/// Memory of a Linux program or of a machine: pages of bytes, found by their addresses.
#[derive(Clone)]
pub struct Memory {
    /// MMU that translates addresses; `None` for a Linux program, whose addresses are not translated.
    mmu: Option<Box<Mmu>>,
    pages: Vec<PageBytes>,
    limit: usize,
    free: Vec<usize>,
    map: HashMap<u64, Mapping>,
    loads: Box<[Entry; ENTRIES]>,
    stores: Box<[Entry; ENTRIES]>,
    /// Whether a page that had code was changed: blocks decoded from it are old.
    pub is_code_old: bool,
    /// Physical addresses of the pages that were removed, if they are to be reported.
    removed: Option<Vec<u64>>,
}

impl Memory {
    /// Creates a memory of so many bytes, none of it mapped. Bytes that are never mapped cost the native machine
    /// nothing.
    #[must_use]
    pub fn new(bytes: u64) -> Self {
        let pages = usize::try_from(bytes / PAGE).unwrap_or(usize::MAX / PAGE_BYTES);
        Self {
            mmu: None,
            pages: Vec::new(),
            limit: pages,
            free: Vec::new(),
            map: HashMap::new(),
            loads: Box::new([EMPTY; ENTRIES]),
            stores: Box::new([EMPTY; ENTRIES]),
            is_code_old: false,
            removed: None,
        }
    }

    /// Creates the memory of a machine: addresses are translated, and pages come from outside when they are first used.
    #[must_use]
    pub fn of_machine() -> Self {
        Self { mmu: Some(Box::default()), ..Self::new(u64::MAX) }
    }

    /// Returns the number of bytes of all pages that memory has got so far.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.pages.len() as u64 * PAGE
    }

    /// Returns the MMU that translates addresses; `None` for a Linux program.
    #[must_use]
    pub fn mmu(&self) -> Option<&Mmu> {
        self.mmu.as_deref()
    }

    /// Changes the MMU. A caller that changes entries of the TLB, and not only mode or address space, sets `is_code_old`:
    /// code is then decoded anew.
    pub fn change_mmu(&mut self, is_code_old: bool, change: impl FnOnce(&mut Mmu)) {
        if let Some(mmu) = &mut self.mmu {
            let before = (mmu.mode, mmu.is_error_level, mmu.wide, mmu.space);
            change(mmu);
            let is_same = before == (mmu.mode, mmu.is_error_level, mmu.wide, mmu.space);
            if is_code_old || !is_same {
                self.is_code_old = true;
                self.forget_translations();
            }
        }
    }

    /// Returns the physical address of a virtual one.
    ///
    /// # Errors
    /// If there is no physical address that allows the access.
    pub fn physical(&self, address: u64, access: AccessKind) -> Result<u64, Exception> {
        self.mmu.as_ref().map_or(Ok(address), |mmu| mmu.translate(address, access))
    }

    /// Returns the bytes of an aligned access whose translation is known.
    #[inline(always)]
    fn known<const N: usize>(&self, address: u64) -> Option<[u8; N]> {
        let entry = &self.loads[(address / PAGE) as usize % ENTRIES];
        if entry.tag != address & !(PAGE - N as u64) {
            return None;
        }
        let page = self.pages.get(entry.page)?;
        let offset = address as usize & (PAGE_BYTES - N);
        let mut bytes = [0; N];
        bytes.copy_from_slice(&page[offset..offset + N]);
        Some(bytes)
    }

    /// Loads an aligned value.
    ///
    /// # Errors
    /// If the address is not aligned, or nothing that can be read is there.
    #[inline(always)]
    pub fn load<const N: usize>(&mut self, address: u64) -> Result<[u8; N], Exception> {
        match self.known(address) {
            Some(bytes) => Ok(bytes),
            None => self.load_slowly(address, AccessKind::Load),
        }
    }

    #[cold]
    #[inline(never)]
    fn load_slowly<const N: usize>(
        &mut self,
        address: u64,
        access: AccessKind,
    ) -> Result<[u8; N], Exception> {
        if !address.is_multiple_of(N as u64) {
            return Err(Exception::Unaligned { address, access });
        }
        let mapping = self.mapping(address, access)?;
        if access == AccessKind::Load {
            let tag = address & !(PAGE - 1);
            self.loads[(address / PAGE) as usize % ENTRIES] = Entry { tag, page: mapping.page };
        }
        let offset = address as usize % PAGE_BYTES;
        let mut bytes = [0; N];
        bytes.copy_from_slice(&self.pages[mapping.page][offset..offset + N]);
        Ok(bytes)
    }

    /// Stores an aligned value.
    ///
    /// # Errors
    /// If the address is not aligned, or nothing that can be written is there.
    #[inline(always)]
    pub fn store<const N: usize>(&mut self, address: u64, bytes: [u8; N]) -> Result<(), Exception> {
        let entry = &self.stores[(address / PAGE) as usize % ENTRIES];
        if entry.tag == address & !(PAGE - N as u64)
            && let Some(page) = self.pages.get_mut(entry.page)
        {
            let offset = address as usize & (PAGE_BYTES - N);
            page[offset..offset + N].copy_from_slice(&bytes);
            return Ok(());
        }
        self.store_slowly(address, &bytes)
    }

    #[cold]
    #[inline(never)]
    fn store_slowly(&mut self, address: u64, bytes: &[u8]) -> Result<(), Exception> {
        if !address.is_multiple_of(bytes.len() as u64) {
            return Err(Exception::Unaligned { address, access: AccessKind::Store });
        }
        let mapping = self.written(address, AccessKind::Store)?;
        let tag = address & !(PAGE - 1);
        self.stores[(address / PAGE) as usize % ENTRIES] = Entry { tag, page: mapping.page };
        let offset = address as usize % PAGE_BYTES;
        self.pages[mapping.page][offset..offset + bytes.len()].copy_from_slice(bytes);
        Ok(())
    }

    /// Returns the mapping of an address that is about to be written; code of its page is old from now on.
    fn written(&mut self, address: u64, access: AccessKind) -> Result<Mapping, Exception> {
        let found = self.mapping(address, access)?;
        let number = self.physical(address, access)? / PAGE;
        if let Some(mapping) = self.map.get_mut(&number) {
            mapping.is_dirty = true;
            self.is_code_old |= std::mem::take(&mut mapping.has_code);
        }
        Ok(found)
    }

    fn mapping(&self, address: u64, access: AccessKind) -> Result<Mapping, Exception> {
        let physical = self.physical(address, access)?;
        let Some(mapping) = self.map.get(&(physical / PAGE)).copied() else {
            let is_machine = self.mmu.is_some();
            return Err(if is_machine {
                Exception::Outside
            } else {
                Exception::Unmapped { address, access }
            });
        };
        if mapping.allowed.permits(access) {
            Ok(mapping)
        } else {
            Err(Exception::Protected { address, access })
        }
    }

    /// Returns the instruction at an address. Stores to its page are noticed from now on.
    ///
    /// # Errors
    /// If the address is not aligned, or no instruction can be there.
    pub fn fetch(&mut self, address: u64) -> Result<u32, Exception> {
        let word = self.load_slowly(address, AccessKind::Fetch).map(u32::from_be_bytes)?;
        let number = self.physical(address, AccessKind::Fetch)? / PAGE;
        if let Some(mapping) = self.map.get_mut(&number)
            && !std::mem::replace(&mut mapping.has_code, true)
        {
            // By whatever address it is stored to.
            let page = mapping.page;
            self.stores.iter_mut().filter(|entry| entry.page == page).for_each(|e| *e = EMPTY);
        }
        Ok(word)
    }

    /// Inserts a page of a machine at a physical address.
    pub fn insert(&mut self, address: u64, bytes: &PageBytes, allowed: Allowed) {
        self.remove(address);
        let page = self.free.pop().unwrap_or_else(|| {
            self.pages.push([0; PAGE_BYTES]);
            self.pages.len() - 1
        });
        self.pages[page] = *bytes;
        let mapping = Mapping { page, allowed, has_code: false, is_dirty: false };
        self.map.insert(address / PAGE, mapping);
    }

    /// Removes a page of a machine, because its bytes outside of the core have changed.
    pub fn remove(&mut self, address: u64) {
        if let Some(mapping) = self.map.remove(&(address / PAGE)) {
            self.free.push(mapping.page);
            self.is_code_old |= mapping.has_code;
            self.removed.iter_mut().for_each(|removed| removed.push(address));
            let tables = self.loads.iter_mut().chain(self.stores.iter_mut());
            tables.filter(|entry| entry.page == mapping.page).for_each(|entry| *entry = EMPTY);
        }
    }

    /// Begins to keep the addresses of the pages of a machine that are removed.
    pub(crate) fn keep_removed(&mut self) {
        self.removed.get_or_insert_default();
    }

    /// Calls `each` with the physical addresses of the pages that were removed since the last call.
    pub(crate) fn take_removed(&mut self, each: impl FnMut(u64)) {
        if let Some(removed) = &mut self.removed {
            removed.drain(..).for_each(each);
        }
    }

    /// Calls `each` with the physical address and bytes of every page that was written since the last call, in the
    /// order of their addresses.
    pub fn take_written(&mut self, mut each: impl FnMut(u64, &PageBytes)) {
        let dirty = self.map.iter().filter(|(_, mapping)| mapping.is_dirty);
        let mut numbers: Vec<u64> = dirty.map(|(number, _)| *number).collect();
        numbers.sort_unstable();
        for number in &numbers {
            if let Some(mapping) = self.map.get_mut(number) {
                mapping.is_dirty = false;
                each(number * PAGE, &self.pages[mapping.page]);
            }
        }
        if !numbers.is_empty() {
            self.stores.fill(EMPTY);
        }
    }

    fn forget_translations(&mut self) {
        self.loads.fill(EMPTY);
        self.stores.fill(EMPTY);
    }

    /// Maps fresh pages of zeros; pages that were there are lost. False if there is not enough memory.
    pub fn map(&mut self, address: u64, bytes: u64, allowed: Allowed) -> bool {
        let pages = address / PAGE..(address + bytes).div_ceil(PAGE);
        let there = self.free.len() as u64 + (self.limit - self.pages.len()) as u64;
        if pages.end - pages.start > there {
            return false;
        }
        self.unmap(address, bytes);
        for number in pages {
            let page = self.free.pop().unwrap_or_else(|| {
                self.pages.push([0; PAGE_BYTES]);
                self.pages.len() - 1
            });
            self.map.insert(number, Mapping { page, allowed, has_code: false, is_dirty: false });
        }
        true
    }

    /// Takes away the pages that have any of so many bytes from an address on; those that are not mapped are passed over.
    pub fn unmap(&mut self, address: u64, bytes: u64) {
        for number in address / PAGE..(address + bytes).div_ceil(PAGE) {
            if let Some(mapping) = self.map.remove(&number) {
                self.pages[mapping.page].fill(0);
                self.free.push(mapping.page);
                self.is_code_old |= mapping.has_code;
            }
        }
        self.forget_translations();
    }

    /// Changes what pages allow; false if one of them is not mapped.
    pub fn protect(&mut self, address: u64, bytes: u64, allowed: Allowed) -> bool {
        let pages = address / PAGE..(address + bytes).div_ceil(PAGE);
        if pages.clone().any(|number| !self.map.contains_key(&number)) {
            return false;
        }
        for number in pages {
            if let Some(mapping) = self.map.get_mut(&number) {
                mapping.allowed = allowed;
                self.is_code_old |= mapping.has_code;
                mapping.has_code = false;
            }
        }
        self.forget_translations();
        true
    }

    /// Whether any page is mapped that has one of so many bytes from an address on.
    #[must_use]
    pub fn is_any_mapped(&self, address: u64, bytes: u64) -> bool {
        (address / PAGE..(address + bytes).div_ceil(PAGE)).any(|n| self.map.contains_key(&n))
    }

    /// Returns address and number of bytes of the parts of a range, page by page, if all of them are mapped.
    fn parts(
        &self,
        address: u64,
        length: u64,
        access: AccessKind,
    ) -> Result<impl Iterator<Item = (u64, usize)> + use<>, Exception> {
        // Nothing is mapped where addresses end.
        let unmapped = Exception::Unmapped { address, access };
        let end = address.checked_add(length).ok_or(unmapped)?;
        let parts = move || {
            let mut at = address;
            std::iter::from_fn(move || {
                let size = (PAGE - at % PAGE).min(end - at);
                let part = (at, size as usize);
                at += size;
                (size > 0).then_some(part)
            })
        };
        parts().try_for_each(|(at, _)| self.mapping(at, access).map(|_| ()))?;
        Ok(parts())
    }

    /// Copies bytes out, whatever their alignment.
    ///
    /// # Errors
    /// If some of them cannot be read.
    pub fn read(&self, address: u64, length: u64) -> Result<Vec<u8>, Exception> {
        let mut bytes = Vec::new();
        for (at, size) in self.parts(address, length, AccessKind::Load)? {
            let page = &self.pages[self.mapping(at, AccessKind::Load)?.page];
            let offset = at as usize % PAGE_BYTES;
            bytes.extend_from_slice(&page[offset..offset + size]);
        }
        Ok(bytes)
    }

    /// Copies bytes in, whatever their alignment.
    ///
    /// # Errors
    /// If some of them cannot be written.
    pub fn write(&mut self, address: u64, bytes: &[u8]) -> Result<(), Exception> {
        self.copy_in(address, bytes, AccessKind::Store)
    }

    /// Copies bytes in, as a loader does: to pages that programs cannot write too.
    ///
    /// # Errors
    /// If some of them are not mapped.
    pub fn place(&mut self, address: u64, bytes: &[u8]) -> Result<(), Exception> {
        self.copy_in(address, bytes, AccessKind::Load)
    }

    fn copy_in(&mut self, address: u64, bytes: &[u8], access: AccessKind) -> Result<(), Exception> {
        let mut rest = bytes;
        for (at, size) in self.parts(address, bytes.len() as u64, access)? {
            let mapping = self.written(at, access)?;
            let (part, behind) = rest.split_at(size);
            let offset = at as usize % PAGE_BYTES;
            self.pages[mapping.page][offset..offset + size].copy_from_slice(part);
            rest = behind;
        }
        Ok(())
    }

    /// Reads bytes up to a zero, without it.
    ///
    /// # Errors
    /// If some of them cannot be read.
    pub fn read_text(&self, address: u64) -> Result<Vec<u8>, Exception> {
        let mut text = Vec::new();
        loop {
            let at = address + text.len() as u64;
            let part = self.read(at, PAGE - at % PAGE)?;
            match part.iter().position(|b| *b == 0) {
                Some(end) => {
                    text.extend_from_slice(&part[..end]);
                    return Ok(text);
                }
                None => text.extend_from_slice(&part),
            }
        }
    }
}

#[cfg(test)]
mod tests;
