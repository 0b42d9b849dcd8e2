//! What an epoch has overwritten in local memory: ranges that the engine keeps before it calls a
//! block, and words that translated stores keep themselves.

use crate::context::Context;
use crate::pointer::{Pointer, Run};
use cp2_emu::state::Quad;
use std::mem::offset_of;

/// Bytes of an entry that a store makes.
pub(crate) const ENTRY: usize = 96;
/// Where in an entry the place stands.
pub(crate) const PLACE: usize = 64;
/// Stores that an epoch can take back.
pub(crate) const ENTRIES: usize = 4096;
/// Ranges that are looked through for one that has a word already, and words of a range that are worth
/// it.
const LOOK_BACK: usize = 16;
const WORTH_A_LOOK: i32 = 32;

/// One overwritten access.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C, align(32))]
struct Entry {
    words: [Quad; 2],
    /// Address of the first word; one more if there is only one.
    place: u64,
}

const _: () = assert!(size_of::<Entry>() == ENTRY && offset_of!(Entry, place) == PLACE);

/// A range of local memory before a block.
#[derive(Clone, Copy, Debug)]
struct Range {
    first: u16,
    words: u16,
    /// Entries that stores had made before.
    entries: u32,
}

/// All that an epoch has overwritten.
#[derive(Debug)]
pub(crate) struct Undo {
    entries: Vec<Entry>,
    ranges: Vec<Range>,
    /// The words of the ranges.
    words: Vec<Quad>,
}

impl Default for Undo {
    fn default() -> Self {
        Self { entries: vec![Entry::default(); ENTRIES], ranges: Vec::new(), words: Vec::new() }
    }
}

impl Undo {
    /// Forgets everything, and points the context at the first entry.
    pub(crate) fn begin(&mut self, context: &mut Context) {
        self.ranges.clear();
        self.words.clear();
        context.undo = self.entries.as_mut_ptr().cast();
    }

    /// How many more stores fit.
    pub(crate) fn room(&self, context: &Context) -> usize {
        self.entries.len().saturating_sub(self.used(context))
    }

    /// Entries that stores have made.
    fn used(&self, context: &Context) -> usize {
        (context.undo as usize - self.entries.as_ptr() as usize) / ENTRY
    }

    /// Keeps what so many passes of a block are about to overwrite through a pointer: these words and
    /// no others, because a channel may write the words between before they are restored.
    pub(crate) fn keep(
        &mut self,
        context: &Context,
        lmem: &[Quad],
        pointer: &Pointer,
        passes: u64,
    ) {
        let (step, passes) = (pointer.step, passes as i32);
        let address = context.live.a[usize::from(pointer.set)] as i32;
        let entries = self.used(context);
        for runs in pointer.written.chunk_by(|a, b| a.words == b.words) {
            let words = runs.first().map_or(0, |run| run.words);
            let is_joined = passes > 1 && step.abs() <= words;
            let (way, times) = if is_joined { (step * (passes - 1), 1) } else { (0, passes) };
            for pass in 0..times {
                let address = address + step * pass + way.min(0);
                match words + way.abs() {
                    1 => self.keep_runs::<1>(lmem, (address, runs), entries),
                    2 => self.keep_runs::<2>(lmem, (address, runs), entries),
                    words => runs.iter().for_each(|run| {
                        self.keep_range(lmem, (address + run.first, words), entries);
                    }),
                }
            }
        }
    }

    /// Keeps short runs of `N` words each.
    fn keep_runs<const N: usize>(
        &mut self,
        lmem: &[Quad],
        (address, runs): (i32, &[Run]),
        entries: usize,
    ) {
        let range = |run: &Run| {
            let first = (address + run.first) as u16;
            Range { first, words: N as u16, entries: entries as u32 }
        };
        self.ranges.extend(runs.iter().map(range));
        let word = |k: usize| lmem[(address + runs[k / N].first) as usize + k % N];
        self.words.extend((0..N * runs.len()).map(word));
    }

    fn keep_range(&mut self, lmem: &[Quad], (first, words): (i32, i32), entries: usize) {
        let (from, to) = (first as usize, (first + words) as usize);
        if words >= WORTH_A_LOOK {
            // What is kept already goes back to what it was before.
            let has = |kept: &Range| {
                let begin = usize::from(kept.first);
                begin <= from && to <= begin + usize::from(kept.words)
            };
            if self.ranges.iter().rev().take(LOOK_BACK).any(has) {
                return;
            }
        }
        let (first, words, entries) = (first as u16, words as u16, entries as u32);
        self.ranges.push(Range { first, words, entries });
        self.words.extend_from_slice(&lmem[from..to]);
    }

    /// Writes everything back, the last first. Only words that the epoch has stored are written: each
    /// range and each entry has nothing else. So a channel that followed the epoch, and stopped
    /// before it would have reached a word that the epoch accessed, has written none of them.
    pub(crate) fn restore(&self, context: &Context, lmem: &mut [Quad]) {
        let base = context.lmem as usize;
        let mut end = self.used(context);
        let mut words_end = self.words.len();
        for range in self.ranges.iter().rev() {
            let entries = range.entries as usize;
            restore_entries(&self.entries[entries..end], base, lmem);
            end = entries;
            let (first, n) = (usize::from(range.first), usize::from(range.words));
            let words = words_end - n..words_end;
            words_end = words.start;
            lmem[first..first + n].copy_from_slice(&self.words[words]);
        }
        restore_entries(&self.entries[..end], base, lmem);
    }
}

fn restore_entries(entries: &[Entry], base: usize, lmem: &mut [Quad]) {
    for entry in entries.iter().rev() {
        let n = if entry.place & 1 == 1 { 1 } else { 2 };
        let word = (entry.place as usize - base) / size_of::<Quad>();
        lmem[word..word + n].copy_from_slice(&entry.words[..n]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::encoding::Host;
    use crate::sprint::Sprinter;
    use cp2_isa::Core;

    /// Every word is kept that a pass stores, and no other one is written back.
    #[test]
    fn just_the_stored_words_are_restored() {
        let runs = [(0, 2), (6, 1), (10, 40), (70, 2)];
        for step in [0, 1, 2, -2, 5, -64, 100] {
            for passes in [1, 2, 7] {
                let mut lmem: Vec<Quad> =
                    (0..Core::CP2.lmem_words() as u64).map(|k| [k; 4]).collect();
                let mut context = Sprinter::new(Host::Avx2, &Core::CP2).into_context();
                context.lmem = lmem.as_mut_ptr();
                context.live.a[3] = 2000;
                let mut pointer = Pointer::new(&Core::CP2, 3, 2000, None);
                runs.iter().for_each(|&(first, words)| pointer.store(first, words));
                pointer.settle(step);
                let mut undo = Undo::default();
                undo.begin(&mut context);
                undo.keep(&context, &lmem, &pointer, passes);
                // The same again, as by a block that stores the words once more.
                undo.keep(&context, &lmem, &pointer, passes);
                let stored = |k: i32| {
                    (0..passes as i32).any(|pass| {
                        let from = 2000 + step * pass;
                        runs.iter().any(|&(first, n)| (from + first..from + first + n).contains(&k))
                    })
                };
                lmem.fill([u64::MAX; 4]);
                undo.restore(&context, &mut lmem);
                for (k, quad) in lmem.iter().enumerate() {
                    let expected = if stored(k as i32) { k as u64 } else { u64::MAX };
                    assert_eq!(*quad, [expected; 4], "step {step}, {passes} passes, word {k}");
                }
            }
        }
    }
}
