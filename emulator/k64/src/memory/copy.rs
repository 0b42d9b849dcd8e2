//! Copies of memory.

use super::arena::Arena;
use super::{Mapping, Memory, PageBytes};
use std::alloc::{Layout, handle_alloc_error};

impl Clone for Memory {
    /// Copies all pages; the copy has found no translations yet. Where the native machine has no addresses for one of the
    /// same form, pages stand one behind the other in the copy.
    fn clone(&self) -> Self {
        let copy = |arena| Self {
            is_code_old: self.is_code_old,
            dirty: self.dirty.clone(),
            removed: self.removed.clone(),
            ..Self::of(self.mmu.clone(), arena, self.limit)
        };
        if let Some(mut arena) = self.arena.empty_copy() {
            for mapping in self.map.values() {
                arena.page_mut(mapping.page).copy_from_slice(self.arena.page(mapping.page));
            }
            let (n_given, free, map) = (self.n_given, self.free.clone(), self.map.clone());
            return Self { n_given, free, map, ..copy(arena) };
        }
        let mut packed = copy(Arena::of_pages(self.map.len()));
        for (number, mapping) in &self.map {
            let Some(page) = packed.take_page(*number) else {
                handle_alloc_error(Layout::new::<PageBytes>());
            };
            packed.arena.page_mut(page).copy_from_slice(self.arena.page(mapping.page));
            packed.map.insert(*number, Mapping { page, ..*mapping });
        }
        packed
    }
}
