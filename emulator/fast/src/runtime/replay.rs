//! Words that need not be kept before an epoch overwrites them. Where an epoch is taken back, all of its cycles are done
//! again, before anybody looks, by the same blocks or by the portable engine. So a word that the epoch overwrites whole before
//! anything reads it may stay as it is when the epoch is taken back: it is overwritten again, and nothing reads it before.
//!
//! That rests on four things, which [`Replay::spares`] and the dispatcher look at:
//!
//! 1. *The stores happen again.* No arithmetic stops a kernel, and a block that was begun goes to its end whatever its values
//!    are: its flow, and the addresses of its pointers, follow from scalar registers when it begins. Only the last block of an
//!    epoch can have met anything unusual, so what was before it was right.
//! 2. *They write the same bits*: whole words in all sections. A store that leaves something of a word counts as one that reads.
//! 3. *Nothing reads the words before*: no block of the epoch before, and not the same block elsewhere. Accesses whose places
//!    only the run knows are counted by bank, and count as reads of a whole bank.
//! 4. *Nobody looks meanwhile.* There is no channel beside the kernel, and the block ends before the first cycle in which the
//!    run may be over.

use crate::abi::context::{BANK_TURNS, BANKS_MOST};
use crate::analysis::footprint::Footprint;
use crate::analysis::pointer::Pointer;

/// Number of ranges of words that are told apart.
const RANGES: usize = 8;

/// Counts of accesses whose places only the run knows, by turn and bank.
pub(crate) type BankCounts = [[u64; BANKS_MOST]; BANK_TURNS];

/// Passes of a block that is about to be run: its pointers and other accesses, address sets, how many passes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NextPasses<'a> {
    pub(crate) pointers: &'a [Pointer],
    pub(crate) footprint: &'a Footprint,
    pub(crate) sets: &'a [u32; 16],
    pub(crate) passes: u64,
}

impl NextPasses<'_> {
    fn span(&self, number: usize) -> (i32, i32) {
        let pointer = &self.pointers[number];
        pointer.span(pointer.address(self.sets), self.passes)
    }
}

/// Words that an epoch may have read so far, as ranges from the first word to the last.
#[derive(Debug, Default)]
pub(crate) struct Replay {
    read: Vec<(i32, i32)>,
    /// Banks with words at places that never change, one bit each.
    fixed_banks: u32,
}

fn meet(one: (i32, i32), other: (i32, i32)) -> bool {
    one.0 <= other.1 && other.0 <= one.1
}

impl Replay {
    /// Begins a new epoch, which has read nothing.
    pub(crate) fn begin(&mut self) {
        self.read.clear();
        self.fixed_banks = 0;
    }

    /// Whether the words that passes are about to overwrite through a pointer, by its number, need not be kept, if accesses were
    /// counted so when the epoch began, and so now.
    pub(crate) fn spares(
        &self,
        next: &NextPasses<'_>,
        number: usize,
        [then, now]: [&BankCounts; 2],
    ) -> bool {
        let pointer = &next.pointers[number];
        if pointer.reads || !next.footprint.is_known() {
            return false;
        }
        // A pointer stays in one bank.
        let bank = pointer.bank(pointer.address(next.sets)).index();
        let is_counted = (0..BANK_TURNS).any(|turn| then[turn].get(bank) != now[turn].get(bank));
        let span = next.span(number);
        let mut others = (0..next.pointers.len()).filter(|&k| k != number);
        !is_counted
            && self.fixed_banks >> bank & 1 == 0
            && !self.read.iter().any(|&read| meet(read, span))
            && !others.any(|k| meet(next.span(k), span))
    }

    /// Adds what passes read.
    pub(crate) fn add(&mut self, next: &NextPasses<'_>) {
        self.fixed_banks |= next.footprint.fixed_banks();
        let reading = (0..next.pointers.len()).filter(|&k| next.pointers[k].reads);
        reading.for_each(|k| self.add_range(next.span(k)));
    }

    fn add_range(&mut self, (from, to): (i32, i32)) {
        let near = (from - 1, to + 1);
        let known = self.read.iter().position(|&read| meet(read, near));
        match known.or_else(|| (self.read.len() >= RANGES).then_some(0)) {
            Some(k) => self.read[k] = (self.read[k].0.min(from), self.read[k].1.max(to)),
            None => self.read.push((from, to)),
        }
    }
}
