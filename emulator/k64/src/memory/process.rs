//! Pages of a Linux program: mapped, protected and removed by their addresses.

use super::{Allowed, FLAT_END, Mapping, Memory, PAGE, PageBytes, pages_of};
use std::ops::Range;

impl Memory {
    /// Maps fresh pages of zeros in a Linux program: all that have one of the `bytes` bytes from `address` on, with the
    /// accesses that they allow. Pages that were there are lost. The result is `false`, and nothing changes, if there
    /// is not enough memory for them, or if they reach the end of the addresses of a program, 2^40.
    pub fn map(&mut self, address: u64, bytes: u64, allowed: Allowed) -> bool {
        if address.checked_add(bytes).is_none_or(|end| end > FLAT_END) {
            return false;
        }
        let pages = pages_of(address, bytes);
        let most = self.limit.min(self.arena.pages());
        if pages.end - pages.start > most.saturating_sub(self.map.len()) as u64 {
            return false;
        }
        self.unmap(address, bytes);
        for number in pages {
            let Some(page) = self.take_page(number) else { return false };
            self.map.insert(number, Mapping { page, allowed, has_code: false, is_dirty: false });
        }
        true
    }

    /// Removes the pages of a Linux program that have one of the `bytes` bytes from `address` on. Pages that are not
    /// mapped are passed over.
    pub fn unmap(&mut self, address: u64, bytes: u64) {
        let pages = pages_of(address, bytes);
        let is_long = pages.end - pages.start > self.map.len() as u64;
        let mut numbers: Vec<u64> = match is_long {
            true => self.map.keys().copied().filter(|number| pages.contains(number)).collect(),
            false => pages.collect(),
        };
        numbers.sort_unstable();
        // Neighbours are made zero together.
        let mut run = 0..0;
        for number in numbers {
            let Some(mapping) = self.map.remove(&number) else { continue };
            self.give_page(mapping.page);
            self.is_code_old |= mapping.has_code;
            if mapping.page != run.end {
                self.arena.clear(std::mem::replace(&mut run, mapping.page..mapping.page));
            }
            run.end = mapping.page + 1;
        }
        self.arena.clear(run);
        self.forget_translations();
    }

    /// Sets which accesses the pages allow that have one of the `bytes` bytes from `address` on. The result is `false`,
    /// and nothing changes, if one of them is not mapped.
    pub fn protect(&mut self, address: u64, bytes: u64, allowed: Allowed) -> bool {
        let pages = pages_of(address, bytes);
        if pages.clone().any(|number| !self.map.contains_key(&number)) {
            return false;
        }
        for number in pages {
            if let Some(mapping) = self.map.get_mut(&number) {
                mapping.allowed = allowed;
                self.is_code_old |= mapping.has_code;
                mapping.has_code = false;
                self.arena.change_rights(mapping.page, 0, u8::MAX);
            }
        }
        self.forget_translations();
        true
    }

    /// Returns the mapped addresses of a Linux program in order: ranges whose pages allow the same accesses.
    #[must_use]
    pub fn mapped_ranges(&self) -> Vec<(Range<u64>, Allowed)> {
        let mut pages: Vec<_> = self.map.iter().map(|(number, m)| (*number, m.allowed)).collect();
        pages.sort_unstable_by_key(|(number, _)| *number);
        let mut ranges: Vec<(Range<u64>, Allowed)> = Vec::new();
        for (number, allowed) in pages {
            let first = number * PAGE;
            match ranges.last_mut() {
                Some((range, before)) if range.end == first && *before == allowed => {
                    range.end += PAGE;
                }
                _ => ranges.push((first..first + PAGE, allowed)),
            }
        }
        ranges
    }

    /// Whether at least one page is mapped that has one of the `bytes` bytes, at least 1, from `address` on.
    #[must_use]
    pub fn is_any_mapped(&self, address: u64, bytes: u64) -> bool {
        let pages = pages_of(address, bytes);
        self.map.keys().any(|number| pages.contains(number))
    }

    /// Whether the page with an address is mapped in a Linux program.
    pub(crate) fn is_mapped(&self, address: u64) -> bool {
        self.map.contains_key(&(address / PAGE))
    }

    /// Replaces the bytes of the page with an address in a Linux program, whatever accesses it allows. A page that is not
    /// mapped is passed over.
    pub(crate) fn set_page(&mut self, address: u64, bytes: &PageBytes) {
        if let Some(page) = self.mark_written(address / PAGE) {
            self.arena.page_mut(page).copy_from_slice(bytes);
        }
        self.forget_translations();
    }

    /// Makes the pages of a Linux program zeros that have one of the `bytes` bytes from `address` on, whatever accesses they
    /// allow. Pages that are not mapped are passed over.
    pub(crate) fn clear(&mut self, address: u64, bytes: u64) {
        for number in pages_of(address, bytes) {
            if let Some(page) = self.mark_written(number) {
                self.arena.clear(page..page + 1);
            }
        }
        self.forget_translations();
    }

    /// Returns the bytes that a Linux program may have, and those that it does not have yet.
    pub(crate) fn sizes(&self) -> (u64, u64) {
        let most = self.limit.min(self.arena.pages());
        (most as u64 * PAGE, most.saturating_sub(self.map.len()) as u64 * PAGE)
    }
}
