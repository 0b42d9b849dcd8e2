//! Translations of addresses that were found: small tables, so that an access is a comparison and an index.

use super::{PAGE, PAGE_BYTES};

/// Number of entries of a table.
pub(crate) const ENTRIES: usize = 1024;
const WORD_BITS: usize = u64::BITS as usize;

/// Translation of the addresses of a page that was found: no address has the tag of an empty translation.
#[derive(Clone, Copy)]
#[repr(C)]
struct Entry {
    tag: u64,
    /// Offset of the page in the arena, in bytes.
    first: usize,
}

const EMPTY: Entry = Entry { tag: u64::MAX, first: 0 };

/// Bit of the tag of a page with a watchpoint, which no access has that is not looked at.
const WATCHED: u64 = PAGE / 2;

/// Table of the translations that were found for a kind of accesses. Translated code reads it: an entry has 16 bytes, the
/// address of a page, and its place, counted from the first page. That of an address is the one by its lowest bits
/// above those within a page.
pub(super) struct FoundPages {
    entries: Box<[Entry; ENTRIES]>,
    /// Bit for each entry that may not be empty.
    filled: [u64; ENTRIES / WORD_BITS],
}

impl FoundPages {
    pub(super) fn new() -> Self {
        Self { entries: Box::new([EMPTY; ENTRIES]), filled: [0; ENTRIES / WORD_BITS] }
    }

    /// Returns the place of the `N` bytes at an address, a multiple of `N`, if its page was found.
    #[inline(always)]
    pub(super) fn place<const N: usize>(&self, address: u64) -> Option<usize> {
        let entry = &self.entries[(address / PAGE) as usize % ENTRIES];
        let is_it = entry.tag == address & !(PAGE - N as u64);
        is_it.then_some(entry.first + (address as usize & (PAGE_BYTES - N)))
    }

    /// Keeps that the page of an address has a place.
    pub(super) fn keep(&mut self, address: u64, first: usize) {
        let at = (address / PAGE) as usize % ENTRIES;
        self.entries[at] = Entry { tag: address & !(PAGE - 1), first };
        self.filled[at / WORD_BITS] |= 1 << (at % WORD_BITS);
    }

    /// Keeps that the page of an address, which has a watchpoint, has a place: only [`FoundPages::watched`] finds it.
    pub(super) fn keep_watched(&mut self, address: u64, first: usize) {
        self.keep(address, first);
        self.entries[(address / PAGE) as usize % ENTRIES].tag |= WATCHED;
    }

    /// Returns the place of the page of an address, if it was found as one with a watchpoint.
    pub(super) fn watched(&self, address: u64) -> Option<usize> {
        let entry = &self.entries[(address / PAGE) as usize % ENTRIES];
        (entry.tag == address & !(PAGE - 1) | WATCHED).then_some(entry.first)
    }

    /// Forgets everything.
    pub(super) fn forget(&mut self) {
        self.forget_if(|_| true);
    }

    /// Forgets by which addresses the page at a place was found.
    pub(super) fn forget_page(&mut self, first: usize) {
        self.forget_if(|entry| entry.first == first);
    }

    fn forget_if(&mut self, is_old: impl Fn(&Entry) -> bool) {
        for (word, filled) in self.filled.iter_mut().enumerate() {
            let mut rest = *filled;
            while rest != 0 {
                let bit = rest.trailing_zeros() as usize;
                rest &= rest - 1;
                let entry = &mut self.entries[word * WORD_BITS + bit];
                if is_old(entry) {
                    *entry = EMPTY;
                    *filled &= !(1 << bit);
                }
            }
        }
    }

    /// Returns the address of the table on the native machine.
    pub(super) fn address(&mut self) -> u64 {
        self.entries.as_mut_ptr().expose_provenance() as u64
    }
}
