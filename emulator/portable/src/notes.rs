//! Notes of what a kernel accesses and overwrites in local memory while it runs ahead of the channel.

use cp2_emu::dma::Accesses;
use cp2_emu::state::Quad;
use cp2_isa::{Cycle, WordAddress};

/// Notes of an epoch: accesses of local memory, and words before they were overwritten.
#[derive(Debug, Default)]
pub(crate) struct Notes {
    /// Whether accesses are noted.
    pub(crate) on: bool,
    accesses: Vec<(u64, u16)>,
    /// Words before a store, oldest first. The place comes behind the value, which then lies where it can be
    /// copied in one piece.
    overwritten: Vec<(Quad, u64)>,
}

impl Notes {
    /// Begins anew, with or without noting.
    pub(crate) fn begin(&mut self, on: bool) {
        self.on = on;
        self.accesses.clear();
        self.overwritten.clear();
    }

    /// Notes that a word, or the pair that begins with it, is accessed.
    #[inline(always)]
    pub(crate) fn access(&mut self, cycle: u64, word: usize) {
        if self.on {
            self.accesses.push((cycle, word as u16));
        }
    }

    /// Returns the words that were accessed.
    pub(crate) fn words(&self) -> impl Iterator<Item = WordAddress> {
        self.accesses.iter().map(|&(_, word)| WordAddress(word))
    }

    /// Notes a word that is about to be overwritten.
    #[inline(always)]
    pub(crate) fn overwrite(&mut self, word: usize, before: &Quad) {
        if self.on {
            self.overwritten.push((*before, word as u64));
        }
    }

    /// Tells the channel of the accesses in the cycles from one to before another.
    pub(crate) fn tell(&self, (begin, end): (u64, u64), accesses: &mut Accesses) {
        accesses.start(Cycle(begin), Cycle(end));
        for &(cycle, word) in &self.accesses {
            accesses.note(Cycle(cycle), WordAddress(word));
        }
    }

    /// Puts back what was overwritten. Nothing else is written: a channel that followed has written none of
    /// these words.
    pub(crate) fn take_back(&mut self, lmem: &mut [Quad]) {
        for &(before, word) in self.overwritten.iter().rev() {
            lmem[word as usize] = before;
        }
        self.begin(self.on);
    }
}
