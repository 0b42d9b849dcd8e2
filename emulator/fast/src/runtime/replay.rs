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

#[cfg(test)]
mod tests {
    use crate::runtime::alone::compare;
    use cp2_emu::Cp2;
    use cp2_emu::state::status;
    use cp2_isa::{Arith, Bundle, BundleAddress, BundleBits, Exch, encode};

    fn bundle(arith: (Arith, &[i32]), exch: (Exch, &[i32])) -> BundleBits {
        let mut bundle = Bundle::NOP;
        (bundle.arith.op, bundle.exch.op) = (arith.0, exch.0);
        bundle.arith.values[..arith.1.len()].copy_from_slice(arith.1);
        bundle.exch.values[..exch.1.len()].copy_from_slice(exch.1);
        encode(&bundle)
    }

    fn exch(op: Exch, values: &[i32]) -> BundleBits {
        bundle((Arith::Nop, &[]), (op, values))
    }

    /// Appends a loop of 100 turns that access two words each through an address set, from this one on.
    fn looped(iram: &mut Vec<BundleBits>, sum: [i32; 3], op: Exch, fpr: i32, set: i32, word: i32) {
        let nop = exch(Exch::Nop, &[]);
        iram.push(exch(Exch::Seti, &[16 | set, word]));
        iram.push(exch(Exch::Doi, &[100, iram.len() as i32 + 2]));
        iram.extend([bundle((Arith::Psadd, &sum), (op, &[fpr, 2 << 4 | set])), nop, nop]);
    }

    /// Runs loops that read words 100 to 299, or others, overwrite them, and meet a denormal number then, so that all is taken
    /// back and done again: what was read has to be there again. Words are read through a pointer, and one at a place that never
    /// changes or that only the run knows.
    #[test]
    fn words_that_were_read_before_they_were_overwritten_come_back() {
        let places = [(100, 6000), (298, 6000), (2000, 200), (2000, 6000)];
        for ((through_pointer, lone), is_known) in places.map(|p| [(p, true), (p, false)]).concat()
        {
            let to = if is_known { 3 } else { 4 };
            let mut iram = vec![exch(Exch::Seti, &[to, lone])];
            iram.extend([exch(Exch::Nop, &[]); 4]);
            iram.push(exch(Exch::Move, &[3 << 4 | 2, 3]));
            iram.extend([exch(Exch::Nop, &[]); 4]);
            iram.push(exch(Exch::Ldo, &[44, 2 << 4 | 2]));
            looped(&mut iram, [40, 40, 0], Exch::Ldo, 0, 0, through_pointer);
            looped(&mut iram, [50, 51, 52], Exch::Sdo, 54, 1, 100);
            looped(&mut iram, [42, 42, 2], Exch::Ldo, 2, 3, 1000);
            iram.extend([exch(Exch::Nop, &[]); 40]);
            iram.push(exch(Exch::Stopi, &[0]));
            let mut cp2 = Cp2::default();
            cp2.state.iram[..iram.len()].copy_from_slice(&iram);
            cp2.state.gpr[3] = lone as u64;
            cp2.state.fcsr = [1 << 2; 4];
            cp2.state.status |= 1 << status::FPE_SHIFT;
            let word = |k: u64| (0x3f80_0000 + 64 * k) << 32 | (0x3f80_0000 + 128 * k);
            for (k, quad) in cp2.state.fpr.iter_mut().enumerate() {
                *quad = [word(k as u64); 4];
            }
            for (k, quad) in cp2.state.lmem.iter_mut().enumerate() {
                *quad = [word(100 + k as u64); 4];
            }
            cp2.state.lmem[1190] = [1; 4];
            let run = compare(&cp2, BundleAddress(0), 100_000);
            assert!(run.is_ok(), "{through_pointer} {lone} {is_known}: {:?}", run.err());
        }
    }
}
