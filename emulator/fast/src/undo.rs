//! What an epoch has overwritten in local memory: ranges that the engine keeps before it calls a
//! block, and words that translated stores keep themselves.

use crate::context::Context;
use crate::pointer::Writes;
use cp2_emu::state::Quad;
use cp2_isa::LMEM_WORDS;
use std::mem::offset_of;

/// Bytes of an entry that a store makes.
pub(crate) const ENTRY: usize = 96;
/// Where in an entry the place stands.
pub(crate) const PLACE: usize = 64;
/// Stores that an epoch can take back.
pub(crate) const ENTRIES: usize = 4096;
/// Ranges that are looked through for one that has a word already.
const LOOK_BACK: usize = 16;

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
    first: usize,
    words: usize,
    /// Where the next entry of a store would have stood then.
    next: usize,
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
        let used = (context.undo as usize - self.entries.as_ptr() as usize) / ENTRY;
        self.entries.len().saturating_sub(used)
    }

    /// Keeps what so many passes of a block are about to overwrite.
    pub(crate) fn keep(&mut self, context: &Context, writes: &Writes, passes: u64) {
        let Writes { set, first, words, step } = *writes;
        let first = context.live.a[usize::from(set)] as i64 + i64::from(first);
        let (words, step, last) = (i64::from(words), i64::from(step), passes as i64 - 1);
        if step.abs() <= words {
            let way = step * last;
            self.keep_range(context, first + way.min(0), first + words + way.max(0));
        } else {
            for pass in 0..=last {
                self.keep_range(context, first + step * pass, first + step * pass + words);
            }
        }
    }

    fn keep_range(&mut self, context: &Context, from: i64, to: i64) {
        let [from, to] = [from, to].map(|end| end.clamp(0, LMEM_WORDS as i64) as usize);
        // What is kept already goes back to what it was before.
        let mut latest = self.ranges.iter().rev().take(LOOK_BACK);
        if latest.any(|kept| kept.first <= from && to <= kept.first + kept.words) {
            return;
        }
        let next = context.undo as usize;
        self.ranges.push(Range { first: from, words: to - from, next });
        self.words.extend_from_slice(words(context, from, to));
    }

    /// Writes everything back, the last first.
    pub(crate) fn restore(&self, context: &Context, lmem: &mut [Quad]) {
        let base = context.lmem as usize;
        let begin = self.entries.as_ptr() as usize;
        let mut end = self.entries.len() - self.room(context);
        let mut words_end = self.words.len();
        for range in self.ranges.iter().rev() {
            let next = (range.next - begin) / ENTRY;
            restore_entries(&self.entries[next..end], base, lmem);
            end = next;
            let words = words_end - range.words..words_end;
            words_end = words.start;
            lmem[range.first..range.first + range.words].copy_from_slice(&self.words[words]);
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

#[allow(unsafe_code, reason = "translated code writes through the same pointer")]
fn words(context: &Context, from: usize, to: usize) -> &[Quad] {
    // SAFETY: the context points to the 8192 words of a machine's local memory, which nobody writes
    // while the slice lives; `keep_range` keeps both ends within them.
    unsafe { std::slice::from_raw_parts(context.lmem.add(from), to - from) }
}
