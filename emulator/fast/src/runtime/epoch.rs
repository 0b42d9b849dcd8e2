//! Record of an epoch, for a channel that follows it.

use crate::runtime::block::{BlockId, TranslatedBlock};
use crate::runtime::cache::Cache;
use cp2_emu::dma::Accesses;
use cp2_emu::state::Quad;
use cp2_isa::{Cycle, WordAddress};

/// Passes of a block, one after the other.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Passes {
    pub(crate) block: BlockId,
    pub(crate) n: u64,
}

/// Record of what an epoch did.
pub(crate) struct Epoch<'a> {
    /// First cycle of the epoch.
    pub(crate) begin: Cycle,
    /// Cycle behind the last one of the epoch.
    pub(crate) end: Cycle,
    pub(crate) passes: &'a [Passes],
    pub(crate) addresses: &'a [u32],
    pub(crate) cache: &'a Cache,
    pub(crate) noted: &'a [u32],
}

impl Epoch<'_> {
    /// Notes the accesses of the epoch to local memory, if its blocks have noted them.
    pub(crate) fn note(&self, accesses: &mut Accesses) {
        accesses.start(self.begin, self.end);
        let mut cycle = self.begin;
        let (mut addresses, mut noted) = (self.addresses.iter(), self.noted);
        for &Passes { block, n } in self.passes {
            let TranslatedBlock { facts, code, .. } = self.cache.block(block);
            facts.footprint.note_words(accesses);
            let pointers = &code.contract().guards.pointers;
            for (pointer, &address) in pointers.iter().zip(addresses.by_ref()) {
                pointer.note(address, (cycle, facts.pass.cycles, n), accesses);
            }
            for _ in 0..n {
                facts.footprint.note_cycles(cycle, accesses);
                // The first notes that are left are those of this pass.
                let times = &facts.footprint.noted;
                let (now, later) = noted.split_at(times.len().min(noted.len()));
                noted = later;
                let word = |&offset: &u32| WordAddress((offset / size_of::<Quad>() as u32) as u16);
                accesses.note_all(cycle, times.iter().copied().zip(now.iter().map(word)));
                cycle += u64::from(facts.pass.cycles);
            }
        }
    }
}
