//! Sets of words of local memory: what address sets reach, what has been stored.

use cp2_isa::{Core, WordAddress};

/// Words that any core has room for.
const MOST: usize = Core::WIDEST.lmem_words();

/// A set of words.
#[derive(Clone, Debug)]
pub(super) struct WordSet([u64; MOST / 64]);

impl WordSet {
    /// No word.
    pub(super) const NONE: Self = Self([0; MOST / 64]);

    /// Adds a word.
    pub(super) fn insert(&mut self, word: WordAddress) {
        self.0[word.index() / 64 % self.0.len()] |= 1 << (word.0 % 64);
    }

    /// Returns all words of the set in order.
    pub(super) fn iter(&self) -> impl Iterator<Item = WordAddress> {
        let all = (0..MOST).filter(|w| self.0[w / 64] >> (w % 64) & 1 == 1);
        all.map(WordAddress::from_index)
    }

    /// Adds all words of another set.
    pub(super) fn join(&mut self, other: &Self) {
        self.0.iter_mut().zip(&other.0).for_each(|(word, more)| *word |= more);
    }

    /// Returns the words and all their moves by `step`, up to `times` of them, together; addresses count modulo the memory.
    pub(super) fn spread(mut self, core: &Core, step: u16, times: u32) -> Self {
        let size = core.lmem_words() as u32;
        let times = times.min(size);
        let mut done = 0;
        while step != 0 && done < times {
            // All words reached so far, moved behind themselves.
            let moves = (done + 1).min(times - done);
            let by = (u32::from(step) * moves % size) as u16;
            for word in self.clone().iter() {
                self.insert(WordAddress((word.0 + by) % size as u16));
            }
            done += moves;
        }
        self
    }

    /// Returns the first word that another set reaches too.
    pub(super) fn first_common(&self, other: &Self) -> Option<WordAddress> {
        let both = self.0.iter().zip(&other.0).map(|(a, b)| a & b).enumerate();
        let mut both = both.filter(|&(_, bits)| bits != 0);
        both.next()
            .map(|(k, bits)| WordAddress::from_index(64 * k + bits.trailing_zeros() as usize))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(words: impl IntoIterator<Item = u16>) -> WordSet {
        let mut set = WordSet::NONE;
        words.into_iter().for_each(|word| set.insert(WordAddress(word)));
        set
    }

    #[test]
    fn spread_is_every_move_together() {
        let words = [3, 4, 8190];
        for (step, times) in [(0_u16, 5_u32), (1, 0), (1, 1), (5, 6), (8191, 7), (24, 100_000)] {
            let moved =
                |k: u32| words.map(|w| ((u32::from(w) + k * u32::from(step)) % 8192) as u16);
            let one_by_one = set((0..=times).flat_map(moved));
            assert!(
                set(words).spread(&Core::CP2, step, times).iter().eq(one_by_one.iter()),
                "{step} {times}"
            );
        }
    }

    #[test]
    fn words_are_found_in_order() {
        let (a, b) = (set([0, 63, 64, 8191]), set([64, 8191]));
        assert!(a.iter().eq([0, 63, 64, 8191].map(WordAddress)));
        assert_eq!(a.first_common(&b), Some(WordAddress(64)));
        assert_eq!(a.first_common(&set([1])), None);
    }
}
