//! Bytes of pages: one stretch of addresses of the native machine, reserved at once, that gets memory page by page when
//! pages are written.
//!
//! A flat arena has the page of every address that a Linux program can have at that address, and before them the rights
//! of all pages, a byte each. Translated code finds both by one base.
#![allow(
    unsafe_code,
    reason = "the operating system is told to take back the memory of a page; the call says why that is safe"
)]

use super::{PAGE, PAGE_BYTES, PageBytes};
use memmap2::{MmapMut, MmapOptions};
use std::alloc::{Layout, handle_alloc_error};
use std::ops::Range;

/// End of the addresses that a Linux program can have, not included: those of Linux on MIPS64.
pub(crate) const FLAT_END: u64 = 1 << 40;
/// Number of pages of a flat arena.
pub(crate) const FLAT_PAGES: usize = (FLAT_END / PAGE) as usize;

/// Right of a page, a bit of its byte: loads need not be looked at.
pub(crate) const MAY_LOAD: u8 = 1;
/// Right of a page, a bit of its byte: stores need not be looked at, neither for the program nor for those who want to
/// know what was written.
pub(crate) const MAY_STORE: u8 = 2;
/// Right of a page, a bit of its byte: neither loads nor stores need be looked at.
pub(crate) const MAY_BOTH: u8 = 4;

/// Bytes of pages, by number.
pub(super) struct Arena {
    memory: MmapMut,
    /// Number of bytes of the rights, before the pages.
    n_rights: usize,
}

/// Reserves bytes that are zero; `None` if the native machine has no such stretch of addresses.
fn reserve(bytes: usize) -> Option<MmapMut> {
    MmapOptions::new().len(bytes).no_reserve_swap().map_anon().ok()
}

impl Arena {
    /// Creates a flat arena; `None` if the native machine does not have so many addresses.
    pub(super) fn flat() -> Option<Self> {
        let memory = reserve(FLAT_PAGES.checked_mul(PAGE_BYTES)?.checked_add(FLAT_PAGES)?)?;
        // A page of the guest is to take no more memory than it has.
        #[cfg(target_os = "linux")]
        let _ = memory.advise(memmap2::Advice::NoHugePage);
        Some(Self { memory, n_rights: FLAT_PAGES })
    }

    /// Creates an arena of so many pages, or fewer if the native machine does not have so many addresses, without rights.
    pub(super) fn of_pages(pages: usize) -> Self {
        let mut bytes = pages.max(1).saturating_mul(PAGE_BYTES).min(usize::MAX >> 20);
        loop {
            if let Some(memory) = reserve(bytes) {
                return Self { memory, n_rights: 0 };
            }
            bytes /= 2;
            if bytes < PAGE_BYTES {
                handle_alloc_error(Layout::new::<PageBytes>());
            }
        }
    }

    /// Creates an arena as large as this one, without anything in it; `None` if the native machine does not have so many
    /// addresses any more.
    pub(super) fn empty_copy(&self) -> Option<Self> {
        match self.n_rights {
            0 => Some(Self::of_pages(self.pages())).filter(|copy| copy.pages() == self.pages()),
            _ => Self::flat(),
        }
    }

    /// Returns the number of pages.
    pub(super) fn pages(&self) -> usize {
        (self.memory.len() - self.n_rights) / PAGE_BYTES
    }

    /// Returns `N` bytes from an offset on, counted from the first page.
    #[inline(always)]
    pub(super) fn bytes<const N: usize>(&self, offset: usize) -> Option<[u8; N]> {
        let first = self.n_rights + offset;
        self.memory.get(first..first + N)?.try_into().ok()
    }

    /// Writes bytes at an offset, counted from the first page; false if there are none.
    #[inline(always)]
    pub(super) fn set_bytes<const N: usize>(&mut self, offset: usize, bytes: [u8; N]) -> bool {
        let first = self.n_rights + offset;
        let place = self.memory.get_mut(first..first + N);
        place.map(|place| place.copy_from_slice(&bytes)).is_some()
    }

    /// Returns a page.
    pub(super) fn page(&self, page: usize) -> &[u8] {
        let first = self.n_rights + page * PAGE_BYTES;
        &self.memory[first..first + PAGE_BYTES]
    }

    /// Returns a page to be changed.
    pub(super) fn page_mut(&mut self, page: usize) -> &mut [u8] {
        let first = self.n_rights + page * PAGE_BYTES;
        &mut self.memory[first..first + PAGE_BYTES]
    }

    /// Makes the bytes of pages zero, and gives their memory back where the native machine takes it.
    pub(super) fn clear(&mut self, pages: Range<usize>) {
        let bytes = (pages.end - pages.start) * PAGE_BYTES;
        let first = self.n_rights + pages.start * PAGE_BYTES;
        #[cfg(target_os = "linux")]
        {
            let advice = memmap2::UncheckedAdvice::DontNeed;
            // SAFETY: the memory is private and of no file, so the pages read as zeros afterwards; nobody else has a
            // reference to them, since `self` is borrowed.
            if unsafe { self.memory.unchecked_advise_range(advice, first, bytes) }.is_ok() {
                return;
            }
        }
        self.memory[first..first + bytes].fill(0);
    }

    /// Gives a page these rights, and takes away those; nothing happens in an arena without rights.
    #[inline]
    pub(super) fn change_rights(&mut self, page: usize, given: u8, taken: u8) {
        if page < self.n_rights {
            self.memory[page] = self.memory[page] & !taken | given;
        }
    }

    /// Whether every page has its place.
    pub(super) fn is_flat(&self) -> bool {
        self.n_rights == FLAT_PAGES
    }

    /// Returns the address on the native machine of the first page, which stands behind the rights.
    pub(super) fn base(&mut self) -> *mut u8 {
        self.memory[self.n_rights..].as_mut_ptr()
    }
}
