//! Memory: pages of bytes, and which address is which of them. The addresses of a Linux program are those of its
//! pages; those of a machine go through an [`Mmu`] first. Two small tables keep what was found last, one for loads
//! and one for stores, so that an access is a comparison and an index.

mod arena;
mod copy;
mod found;
mod process;
mod slow;
mod watch;

use crate::exception::{AccessKind, Exception};
use crate::mmu::{Mmu, PHYSICAL_END};
use arena::{Arena, FLAT_END};
pub(crate) use arena::{FLAT_PAGES, MAY_BOTH, MAY_LOAD, MAY_STORE};
pub(crate) use found::ENTRIES;
use found::FoundPages;
use std::alloc::{Layout, handle_alloc_error};
use std::collections::HashMap;
use std::ops::Range;
use watch::Watches;
pub use watch::Watchpoint;

/// Number of bytes of a page of memory: the unit in which memory is provided and accesses are allowed.
pub const PAGE: u64 = 4096;
const PAGE_BYTES: usize = 4096;
/// Bytes of a page of memory, 4096, in the order of their addresses.
pub type PageBytes = [u8; PAGE_BYTES];
/// Number of tables of translations that were found: for loads, and for stores.
pub(crate) const TABLES: usize = 2;

/// The kinds of accesses that a page of memory allows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Allowed {
    /// Whether the page allows loads.
    pub read: bool,
    /// Whether the page allows stores.
    pub write: bool,
    /// Whether the page allows fetches of instructions.
    pub execute: bool,
}

impl Allowed {
    /// Rights of a page that allows every access: loads, stores and fetches of instructions.
    pub const ALL: Self = Self { read: true, write: true, execute: true };
    /// Rights of a page of data, which allows loads and stores, but no fetches of instructions.
    pub const DATA: Self = Self { read: true, write: true, execute: false };

    const fn permits(self, access: AccessKind) -> bool {
        match access {
            AccessKind::Fetch => self.execute,
            AccessKind::Load => self.read,
            AccessKind::Store => self.write,
        }
    }
}

#[derive(Clone, Copy)]
struct Mapping {
    page: usize,
    allowed: Allowed,
    has_code: bool,
    /// Whether the page was written since [`Memory::take_written`] was called last.
    is_dirty: bool,
}

/// Memory of a core of the control processor: pages of bytes, found by their addresses. In a Linux program they are
/// mapped at virtual addresses. In a machine addresses go through an [`Mmu`] first, and the pages are those that came
/// from outside of the core so far.
pub struct Memory {
    /// MMU that translates addresses; `None` for a Linux program, whose addresses are not translated.
    mmu: Option<Box<Mmu>>,
    arena: Arena,
    /// Largest number of pages.
    limit: usize,
    /// Number of pages of the arena that were given to somebody, and those of them that are free again; not for a flat
    /// arena, in which every page has its place.
    n_given: usize,
    free: Vec<usize>,
    map: HashMap<u64, Mapping>,
    loads: FoundPages,
    /// Pages that were written since [`Memory::take_written`] was called last, as those of `dirty`.
    stores: FoundPages,
    /// Numbers of pages that were written since then; some may have been removed, or stand twice.
    dirty: Vec<u64>,
    /// Whether a page from which instructions were fetched was changed or mapped anew, so that what an engine has
    /// translated from it is out of date. The engine clears the mark when it forgets its translations.
    pub is_code_old: bool,
    /// Physical addresses of the pages that were removed, if they are to be reported.
    removed: Option<Vec<u64>>,
    watches: Watches,
}

/// Returns the numbers of the pages that have one of `bytes` bytes from `address` on; none beyond the end of addresses.
fn pages_of(address: u64, bytes: u64) -> Range<u64> {
    let first = address / PAGE;
    match bytes.checked_sub(1) {
        None => first..first,
        Some(more) => first..address.saturating_add(more) / PAGE + 1,
    }
}

impl Memory {
    /// Creates the memory of a Linux program that can have up to `bytes` bytes, rounded down to pages; none is mapped.
    /// Pages that are never written cost the native machine nothing.
    #[must_use]
    pub fn new(bytes: u64) -> Self {
        let limit = usize::try_from(bytes / PAGE).unwrap_or(usize::MAX / PAGE_BYTES);
        Self::of(None, Arena::flat().unwrap_or_else(|| Arena::of_pages(limit)), limit)
    }

    /// Creates the memory of the core of a machine: an MMU translates addresses, and there is no page yet. The core
    /// inserts pages when they are first used.
    #[must_use]
    pub fn of_machine() -> Self {
        let pages = (PHYSICAL_END / PAGE) as usize;
        Self::of(Some(Box::default()), Arena::of_pages(pages), pages)
    }

    fn of(mmu: Option<Box<Mmu>>, arena: Arena, limit: usize) -> Self {
        Self {
            mmu,
            arena,
            limit,
            n_given: 0,
            free: Vec::new(),
            map: HashMap::new(),
            loads: FoundPages::new(),
            stores: FoundPages::new(),
            dirty: Vec::new(),
            is_code_old: false,
            removed: None,
            watches: Watches::default(),
        }
    }

    /// Returns the number of bytes of all pages.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.map.len() as u64 * PAGE
    }

    /// Returns the address on the native machine of the first page. Where pages stand by their addresses, it is that of
    /// address 0 of a Linux program, with the rights of the pages before it.
    pub(crate) fn base(&mut self) -> *mut u8 {
        self.arena.base()
    }

    /// Returns the addresses on the native machine of the tables of translations that were found, for loads and for
    /// stores.
    pub(crate) fn tables(&mut self) -> [u64; TABLES] {
        [self.loads.address(), self.stores.address()]
    }

    /// Whether the pages of a Linux program stand by their addresses.
    pub(crate) fn is_flat(&self) -> bool {
        self.arena.is_flat()
    }

    /// Takes a page for the page with a number; `None` if the arena has no more.
    fn take_page(&mut self, number: u64) -> Option<usize> {
        if self.arena.is_flat() {
            return usize::try_from(number).ok().filter(|page| *page < FLAT_PAGES);
        }
        self.free.pop().or_else(|| {
            let page = self.n_given;
            self.n_given += 1;
            (page < self.arena.pages()).then_some(page)
        })
    }

    /// Gives a page back.
    fn give_page(&mut self, page: usize) {
        self.arena.change_rights(page, 0, u8::MAX);
        if !self.arena.is_flat() {
            self.free.push(page);
        }
    }

    /// Returns the MMU that translates addresses; `None` in a Linux program, whose addresses are not translated.
    #[must_use]
    pub fn mmu(&self) -> Option<&Mmu> {
        self.mmu.as_deref()
    }

    /// Calls `change` with the MMU, to change it; in a Linux program nothing happens. The caller sets `is_code_old` if
    /// it changes entries of the TLB: what was translated from code is then out of date. For mode, error level,
    /// segments and address space the function notices changes itself.
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

    /// Returns the physical address of a virtual address for an access of a kind; in a Linux program they are the same.
    ///
    /// # Errors
    /// Returns the exception of the MMU if there is no physical address that allows the access.
    pub fn physical(&self, address: u64, access: AccessKind) -> Result<u64, Exception> {
        self.mmu.as_ref().map_or(Ok(address), |mmu| mmu.translate(address, access))
    }

    /// Returns the bytes of an aligned access whose translation is known.
    #[inline(always)]
    fn known<const N: usize>(&self, address: u64) -> Option<[u8; N]> {
        self.arena.bytes(self.loads.place::<N>(address)?)
    }

    /// Loads the `N` bytes (1, 2, 4 or 8) at a virtual address that is a multiple of `N`, in the order of addresses.
    ///
    /// # Errors
    /// Returns [`Exception::Unaligned`] if the address is not a multiple of `N`; [`Exception::Protected`] if the page
    /// allows no loads; an exception of the MMU if it has no such address for the access; and if there is no page,
    /// [`Exception::Unmapped`] in a Linux program, [`Exception::Outside`] in a machine.
    #[inline(always)]
    pub fn load<const N: usize>(&mut self, address: u64) -> Result<[u8; N], Exception> {
        match self.known(address) {
            Some(bytes) => Ok(bytes),
            None => self.load_slowly(address, AccessKind::Load),
        }
    }

    /// Stores `N` bytes (1, 2, 4 or 8) at a virtual address that is a multiple of `N`, in the order of addresses.
    ///
    /// # Errors
    /// Returns [`Exception::Unaligned`] if the address is not a multiple of `N`; [`Exception::Protected`] if the page
    /// allows no stores; an exception of the MMU if it has no such address for the access; and if there is no page,
    /// [`Exception::Unmapped`] in a Linux program, [`Exception::Outside`] in a machine.
    #[inline(always)]
    pub fn store<const N: usize>(&mut self, address: u64, bytes: [u8; N]) -> Result<(), Exception> {
        if let Some(place) = self.stores.place::<N>(address)
            && self.arena.set_bytes(place, bytes)
        {
            return Ok(());
        }
        self.store_slowly(address, &bytes)
    }

    /// Returns the mapping of an address that is about to be written; code of its page is old from now on.
    fn written(&mut self, address: u64, access: AccessKind) -> Result<Mapping, Exception> {
        let found = self.mapping(address, access)?;
        let number = self.physical(address, access)? / PAGE;
        self.mark_written(number);
        Ok(found)
    }

    /// Marks the page with a number as written; code of the page is old from now on. Returns its place, if it is there.
    fn mark_written(&mut self, number: u64) -> Option<usize> {
        let mapping = self.map.get_mut(&number)?;
        let page = mapping.page;
        self.is_code_old |= std::mem::take(&mut mapping.has_code);
        if !std::mem::replace(&mut mapping.is_dirty, true) {
            self.dirty.push(number);
            self.tidy_dirty();
        }
        Some(page)
    }

    /// Removes from the numbers of written pages those that are of no use, if they are many: pages come and go.
    fn tidy_dirty(&mut self) {
        if self.dirty.len() > 64 + 2 * self.map.len() {
            let written = self.map.iter().filter(|(_, mapping)| mapping.is_dirty);
            self.dirty = written.map(|(number, _)| *number).collect();
        }
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

    /// Returns the instruction word at a virtual address. Later stores to its page set `is_code_old`.
    ///
    /// # Errors
    /// Returns [`Exception::Unaligned`] if the address is not a multiple of 4; [`Exception::Protected`] if the page
    /// allows no fetches; an exception of the MMU if it has no such address for the access; and if there is no page,
    /// [`Exception::Unmapped`] in a Linux program, [`Exception::Outside`] in a machine.
    pub fn fetch(&mut self, address: u64) -> Result<u32, Exception> {
        let word = self.load_slowly(address, AccessKind::Fetch).map(u32::from_be_bytes)?;
        let number = self.physical(address, AccessKind::Fetch)? / PAGE;
        if let Some(mapping) = self.map.get_mut(&number)
            && !std::mem::replace(&mut mapping.has_code, true)
        {
            // By whatever address it is stored to.
            let page = mapping.page;
            self.arena.change_rights(page, 0, MAY_STORE | MAY_BOTH);
            self.stores.forget_page(page * PAGE_BYTES);
        }
        Ok(word)
    }

    /// Inserts a page of a machine, with its bytes and the accesses that it allows, at the physical address `address`,
    /// a multiple of the size of a page. A page that was there is replaced.
    pub fn insert(&mut self, address: u64, bytes: &PageBytes, allowed: Allowed) {
        self.remove(address);
        let Some(page) = self.take_page(address / PAGE) else {
            handle_alloc_error(Layout::new::<PageBytes>());
        };
        self.arena.page_mut(page).copy_from_slice(bytes);
        let mapping = Mapping { page, allowed, has_code: false, is_dirty: false };
        self.map.insert(address / PAGE, mapping);
    }

    /// Removes the page of a machine at the physical address `address`, a multiple of the size of a page, because its
    /// bytes outside of the core have changed; the next access gets it anew. Without a page there nothing happens.
    pub fn remove(&mut self, address: u64) {
        if let Some(mapping) = self.map.remove(&(address / PAGE)) {
            if self.mmu.is_none() {
                self.arena.clear(mapping.page..mapping.page + 1);
            }
            self.give_page(mapping.page);
            self.is_code_old |= mapping.has_code;
            self.removed.iter_mut().for_each(|removed| removed.push(address));
            self.loads.forget_page(mapping.page * PAGE_BYTES);
            self.stores.forget_page(mapping.page * PAGE_BYTES);
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

    /// Calls `each` with the physical address and the bytes of every page that was written since the last call, in the
    /// order of addresses. In a Linux program the address is the virtual one.
    pub fn take_written(&mut self, mut each: impl FnMut(u64, &PageBytes)) {
        if self.dirty.is_empty() {
            return;
        }
        let mut numbers = std::mem::take(&mut self.dirty);
        numbers.sort_unstable();
        for number in numbers.drain(..) {
            if let Some(mapping) = self.map.get_mut(&number)
                && std::mem::take(&mut mapping.is_dirty)
            {
                self.arena.change_rights(mapping.page, 0, MAY_STORE | MAY_BOTH);
                if let Ok(bytes) = self.arena.page(mapping.page).try_into() {
                    each(number * PAGE, bytes);
                }
            }
        }
        self.dirty = numbers;
        self.stores.forget();
    }

    fn forget_translations(&mut self) {
        self.loads.forget();
        self.stores.forget();
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

    /// Returns a copy of `length` bytes from a virtual address on, of any alignment and across pages.
    ///
    /// # Errors
    /// Returns the exception of the first byte that cannot be read.
    pub fn read(&self, address: u64, length: u64) -> Result<Vec<u8>, Exception> {
        let mut bytes = Vec::new();
        for (at, size) in self.parts(address, length, AccessKind::Load)? {
            let page = self.arena.page(self.mapping(at, AccessKind::Load)?.page);
            let offset = at as usize % PAGE_BYTES;
            bytes.extend_from_slice(&page[offset..offset + size]);
        }
        Ok(bytes)
    }

    /// Copies `bytes` to memory from a virtual address on, of any alignment and across pages.
    ///
    /// # Errors
    /// Returns the exception of the first byte that cannot be written; nothing is written then.
    pub fn write(&mut self, address: u64, bytes: &[u8]) -> Result<(), Exception> {
        self.copy_in(address, bytes, AccessKind::Store)
    }

    /// Copies `bytes` to memory from a virtual address on as a loader does: pages are written too that allow loads but
    /// no stores.
    ///
    /// # Errors
    /// Returns the exception of the first byte whose page is missing or allows no loads; nothing is written then.
    pub fn place(&mut self, address: u64, bytes: &[u8]) -> Result<(), Exception> {
        self.copy_in(address, bytes, AccessKind::Load)
    }

    fn copy_in(&mut self, address: u64, bytes: &[u8], access: AccessKind) -> Result<(), Exception> {
        let mut rest = bytes;
        for (at, size) in self.parts(address, bytes.len() as u64, access)? {
            let mapping = self.written(at, access)?;
            let (part, behind) = rest.split_at(size);
            let offset = at as usize % PAGE_BYTES;
            self.arena.page_mut(mapping.page)[offset..offset + size].copy_from_slice(part);
            rest = behind;
        }
        Ok(())
    }

    /// Returns the bytes from a virtual address on up to the first zero byte, without it: a text of the language C.
    ///
    /// # Errors
    /// Returns the exception of the first page that cannot be read, if no zero byte comes before it.
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
