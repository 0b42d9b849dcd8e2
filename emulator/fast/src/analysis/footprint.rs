//! Footprint of a pass of a block in local memory, as sets of bits made when the block is translated, so that a pass is noted
//! as a whole. Accesses whose place only the run knows are noted by translated code.

use cp2_emu::dma::Accesses;
use cp2_isa::{Bank, Core, Cycle, WordAddress};
use serde::{Deserialize, Serialize};

/// Words side by side, by their distance from the address of a pointer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct WordRun {
    pub(crate) first: i32,
    pub(crate) words: i32,
}

/// Cycles and places of the accesses of a pass to local memory.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Footprint {
    bank_bits: u32,
    /// Cycles in which the pass accesses each bank at a place that never changes, one bit each.
    fixed: Box<[Vec<u64>]>,
    /// Words at places that never change: a word, or the pair that begins with it.
    words: Vec<WordAddress>,
    /// Cycles of the accesses that translated code notes.
    pub(crate) noted: Vec<u32>,
    /// Whether a pass accesses words whose place only the run knows, noted or not.
    goes_anywhere: bool,
}

fn set(bits: &mut Vec<u64>, place: usize) {
    if bits.len() <= place / 64 {
        bits.resize(place / 64 + 1, 0);
    }
    bits[place / 64] |= 1 << (place % 64);
}

impl Footprint {
    /// Creates a footprint without accesses, for the banks of a core.
    pub(crate) fn new(core: &Core) -> Self {
        let fixed = vec![Vec::new(); core.banks()].into_boxed_slice();
        Self {
            bank_bits: core.bank_words().trailing_zeros(),
            fixed,
            words: Vec::new(),
            noted: Vec::new(),
            goes_anywhere: false,
        }
    }

    /// Whether the footprint can be that of a block on a core.
    pub(crate) fn is_sound(&self, core: &Core) -> bool {
        let Self { bank_bits, fixed, words, noted: _, goes_anywhere: _ } = self;
        let sizes = (core.bank_words().trailing_zeros(), core.banks());
        (*bank_bits, fixed.len()) == sizes
            && words.iter().all(|word| word.index() < core.lmem_words())
    }

    /// Whether a pass accesses local memory only through pointers.
    pub(crate) fn is_empty(&self) -> bool {
        self.words.is_empty() && self.noted.is_empty()
    }

    /// Whether the places of all accesses of a pass are known when it begins: those of its pointers.
    pub(crate) fn is_known(&self) -> bool {
        self.words.is_empty() && !self.goes_anywhere
    }

    /// Returns the banks with words at places that never change, one bit each.
    pub(crate) fn fixed_banks(&self) -> u32 {
        let banks = self.fixed.iter().enumerate();
        banks.fold(0, |all, (bank, cycles)| all | u32::from(!cycles.is_empty()) << bank)
    }

    /// Adds an access of every pass to a place that only the run knows.
    pub(crate) fn anywhere(&mut self) {
        self.goes_anywhere = true;
    }

    /// Adds an access of every pass to a word in a cycle.
    pub(crate) fn word(&mut self, cycle: usize, word: WordAddress) {
        set(&mut self.fixed[word.index() >> self.bank_bits], cycle);
        self.words.push(word);
    }

    /// Notes the cycles of accesses at places that never change, of a pass that begins in `cycle`.
    pub(crate) fn note_cycles(&self, cycle: Cycle, accesses: &mut Accesses) {
        for bank in Bank::first(self.fixed.len()) {
            accesses.note_cycles(cycle, bank, &self.fixed[bank.index()]);
        }
    }

    /// Notes the words at places that never change.
    pub(crate) fn note_words(&self, accesses: &mut Accesses) {
        self.words.iter().for_each(|word| accesses.note_pairs(word.index() / 2, &[1]));
    }
}

/// Accesses of a pass through one pointer.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Near {
    /// Cycles of the accesses, one bit each.
    cycles: Vec<u64>,
    /// Number of accesses.
    pub(crate) n: u64,
    /// Words of the accesses, until all are known.
    pub(crate) runs: Vec<WordRun>,
    /// Pairs of words of the accesses, when all are known.
    pairs: Pairs,
}

impl Near {
    /// Adds an access in a cycle.
    pub(crate) fn add(&mut self, cycle: usize, run: WordRun) {
        set(&mut self.cycles, cycle);
        self.n += 1;
        self.runs.push(run);
    }

    /// Turns words into pairs: all accesses are known.
    pub(crate) fn finish(&mut self) {
        self.pairs = Pairs::new(&std::mem::take(&mut self.runs));
    }

    /// Whether the accesses can be those of a pointer whose first word has this distance from its address.
    pub(crate) fn is_sound(&self, first: i32) -> bool {
        let is_behind = |odd: usize| self.pairs.0[odd].first >= (first + odd as i32).div_euclid(2);
        self.runs.is_empty() && is_behind(0) && is_behind(1)
    }

    /// Notes the accesses of a pass that begins in `cycle` with this address.
    pub(crate) fn note(&self, cycle: Cycle, (address, bank): (i32, Bank), accesses: &mut Accesses) {
        accesses.note_cycles(cycle, bank, &self.cycles);
        self.pairs.note(address, accesses);
    }
}

/// Pairs of words that a pass reaches through a pointer: those if its address is even, then those if it is odd.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Pairs([Set; 2]);

/// Set of pairs of words, one bit each.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Set {
    /// First pair of the set, by its distance from the pair in which the address lies.
    first: i32,
    bits: Vec<u64>,
}

impl Pairs {
    /// Creates the pairs of words that are given by their distances from the address.
    fn new(runs: &[WordRun]) -> Self {
        let lowest = runs.iter().map(|run| run.first).min().unwrap_or(0);
        Self([0, 1].map(|odd| {
            let pair = |word: i32| (word + odd).div_euclid(2);
            let mut all = Set { first: pair(lowest), bits: Vec::new() };
            for run in runs {
                let ends = [run.first, run.first + run.words - 1];
                let [from, to] = ends.map(|word| (pair(word) - all.first) as usize);
                (from..=to).for_each(|k| set(&mut all.bits, k));
            }
            all
        }))
    }

    /// Notes the pairs for a pass that begins with this address.
    fn note(&self, address: i32, accesses: &mut Accesses) {
        let Set { first, bits } = &self.0[address as usize & 1];
        accesses.note_pairs((address / 2 + first) as usize, bits);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_are_the_words_one_by_one() {
        let runs = [(-7, 2), (-3, 1), (0, 1), (5, 130), (300, 2)];
        let runs = runs.map(|(first, words)| WordRun { first, words });
        for address in [7, 8, 4095, 4096, 7000] {
            let [mut by_pairs, mut by_word] = [Accesses::default(), Accesses::default()];
            by_pairs.start(Cycle(0), Cycle(1));
            by_word.start(Cycle(0), Cycle(1));
            Pairs::new(&runs).note(address, &mut by_pairs);
            for run in runs {
                let first = address + run.first;
                (first..first + run.words)
                    .for_each(|word| by_word.note(Cycle(0), WordAddress(word as u16)));
            }
            assert_eq!(by_pairs.words(), by_word.words(), "{address}");
        }
    }
}
