//! What a kernel did with local memory in cycles that the channel has yet to pass, for engines that
//! run ahead of it. It moves nothing.

use cp2_isa::{BANK_WORDS, LMEM_WORDS};

/// Pairs of words in local memory.
const PAIRS: usize = LMEM_WORDS / 2;
/// No access.
const NONE: u8 = u8::MAX;

/// A set of words of local memory, the same in all sections, kept by pairs of words: a set that holds
/// one word of a pair holds both.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Words([u64; PAIRS / 64]);

impl Words {
    /// No word.
    pub const NONE: Self = Self([0; PAIRS / 64]);
    /// All words.
    pub const ALL: Self = Self([u64::MAX; PAIRS / 64]);

    /// Adds a word; its address is taken modulo the size of local memory.
    pub fn insert(&mut self, word: u16) {
        let pair = usize::from(word) % LMEM_WORDS / 2;
        self.0[pair / 64] |= 1 << (pair % 64);
    }

    /// Adds the words from one address to another, which do not count modulo anything: both ends are
    /// in local memory.
    pub(super) fn insert_range(&mut self, from: usize, to: usize) {
        let (first, last) = (from / 2, to.min(LMEM_WORDS - 1) / 2);
        for place in first / 64..=last / 64 {
            let begin = first.saturating_sub(place * 64);
            let end = (last - place * 64).min(63);
            self.0[place] |= u64::MAX << begin & u64::MAX >> (63 - end);
        }
    }

    /// The bank that all words are in, if it is one.
    pub fn bank(&self) -> Option<usize> {
        let (first, second) = self.0.split_at(self.0.len() / 2);
        match [first, second].map(|half| half.iter().all(|&pairs| pairs == 0)) {
            [false, true] => Some(0),
            [true, false] => Some(1),
            _ => None,
        }
    }

    /// Whether the sets have a word in common.
    pub fn meets(&self, other: &Self) -> bool {
        self.0.iter().zip(&other.0).any(|(a, b)| a & b != 0)
    }
}

/// The accesses of a kernel in a run of cycles.
#[derive(Clone, Debug)]
pub struct Accesses {
    begin: u64,
    /// The bank of every cycle.
    banks: Vec<u8>,
    words: Words,
    /// Whether it accesses a bank at all.
    used: [bool; 2],
}

impl Default for Accesses {
    fn default() -> Self {
        Self { begin: 0, banks: Vec::new(), words: Words::NONE, used: [false; 2] }
    }
}

impl Accesses {
    /// Forgets everything and begins anew with the cycles from `begin` to before `end`.
    pub fn start(&mut self, begin: u64, end: u64) {
        self.begin = begin;
        self.banks.clear();
        self.banks.resize(end.saturating_sub(begin) as usize, NONE);
        self.words = Words::NONE;
        self.used = [false; 2];
    }

    /// The kernel accesses this word, or the pair that begins with it, in a cycle of the run.
    pub fn note(&mut self, cycle: u64, word: u16) {
        let place = cycle.wrapping_sub(self.begin) as usize;
        let used = usize::from(word) % LMEM_WORDS / BANK_WORDS;
        if let Some(bank) = self.banks.get_mut(place) {
            *bank = used as u8;
        }
        self.used[used] = true;
        self.words.insert(word);
    }

    /// The bank that the kernel accesses in a cycle.
    pub fn bank(&self, cycle: u64) -> Option<usize> {
        let place = cycle.wrapping_sub(self.begin) as usize;
        self.banks.get(place).filter(|&&bank| bank != NONE).map(|&bank| bank.into())
    }

    /// Whether the kernel accesses this bank in a cycle.
    #[inline]
    pub fn accesses(&self, cycle: u64, bank: usize) -> bool {
        let place = cycle.wrapping_sub(self.begin) as usize;
        self.banks.get(place).is_some_and(|&b| usize::from(b) == bank)
    }

    /// Whether the kernel accesses a bank in any cycle.
    pub fn uses(&self, bank: usize) -> bool {
        self.used[bank]
    }

    /// The words that it accesses.
    pub fn words(&self) -> &Words {
        &self.words
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_the_words_one_by_one() {
        for (from, to) in
            [(0, 0), (1, 2), (126, 128), (130, 900), (0, 8191), (8190, 8191), (255, 256)]
        {
            let mut words = Words::NONE;
            (from..=to).for_each(|word| words.insert(word as u16));
            let mut range = Words::NONE;
            range.insert_range(from, to);
            assert_eq!(range, words, "{from}..={to}");
        }
    }

    #[test]
    fn accesses_are_kept_by_cycle_and_by_pair_of_words() {
        let mut accesses = Accesses::default();
        accesses.start(100, 110);
        accesses.note(103, 7);
        accesses.note(104, 4096);
        let banks: Vec<_> = (102..106).map(|cycle| accesses.bank(cycle)).collect();
        assert_eq!(banks, [None, Some(0), Some(1), None]);
        assert_eq!((accesses.bank(99), accesses.bank(110)), (None, None));
        let mut other = Words::NONE;
        other.insert(8);
        assert!(!other.meets(accesses.words()));
        other.insert(6);
        assert!(other.meets(accesses.words()) && Words::ALL.meets(&other));
        assert_eq!((other.bank(), accesses.words().bank()), (Some(0), None));
        accesses.start(100, 110);
        assert_eq!((accesses.bank(103), accesses.words()), (None, &Words::NONE));
    }
}
