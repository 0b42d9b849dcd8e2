//! Accesses of a kernel to local memory, for engines that run a kernel ahead of the DMA channel: the channel goes
//! through the same cycles later and has to know them. No data move here.

use cp2_isa::{Bank, Core, Cycle, WordAddress};
use serde::{Deserialize, Serialize};
use smallvec::SmallVec;

/// Number of pairs of words in the largest local memory, and in that of CP2.
const PAIRS: usize = Core::WIDEST.lmem_words() / 2;
const USUAL_PAIRS: usize = Core::CP2.lmem_words() / 2;

/// A set of word addresses of local memory, the same in all sections; in [`Accesses`] those that a kernel accesses. It
/// counts in pairs of words, as the channel moves them: a set that contains one word of a pair (addresses 2k and
/// 2k + 1) contains both.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Vec<u64>")]
pub struct WordSet(
    /// A bit for each pair, 64 by 64 up to the last ones of which some are in the set.
    SmallVec<[u64; USUAL_PAIRS / 64]>,
);

impl TryFrom<Vec<u64>> for WordSet {
    type Error = &'static str;

    fn try_from(bits: Vec<u64>) -> Result<Self, Self::Error> {
        let mut words = Self::NONE;
        words.insert_pairs(0, &bits);
        if bits.len() > PAIRS / 64 { Err("words after the end of local memory") } else { Ok(words) }
    }
}

impl WordSet {
    /// The empty set of words.
    pub const NONE: Self = Self(SmallVec::new_const());

    /// Returns the bits with at least so many times 64 of them.
    #[inline]
    fn at_least(&mut self, places: usize) -> &mut [u64] {
        if self.0.len() < places {
            self.0.resize(places, 0);
        }
        &mut self.0
    }

    /// Whether all words are in the local memory of a core.
    pub(super) fn are_within(&self, core: &Core) -> bool {
        let pairs = core.lmem_words() / 2;
        let is_within = |(k, &bits): (usize, &u64)| {
            let last = 64 * k + 63 - bits.leading_zeros().min(63) as usize;
            bits == 0 || last < pairs
        };
        self.0.iter().enumerate().all(is_within)
    }

    /// Adds a word of local memory, and with it the other word of its pair. Addresses count modulo the size of the
    /// largest local memory.
    #[inline]
    pub fn insert(&mut self, word: WordAddress) {
        let pair = word.index() / 2 % PAIRS;
        self.at_least(pair / 64 + 1)[pair / 64] |= 1 << (pair % 64);
    }

    /// Adds the words from one address to another, which do not count modulo anything: both ends are
    /// in local memory.
    pub(super) fn insert_range(&mut self, from: usize, to: usize) {
        debug_assert!(from <= to, "a range from its first word to its last");
        let (first, last) = (from / 2, (to / 2).min(PAIRS - 1));
        let bits = self.at_least(last / 64 + 1);
        for (place, bits) in bits.iter_mut().enumerate().take(last / 64 + 1).skip(first / 64) {
            let begin = first.saturating_sub(place * 64);
            let end = (last - place * 64).min(63);
            *bits |= u64::MAX << begin & u64::MAX >> (63 - end);
        }
    }

    /// Adds pairs of words. Bit b of element k of `pairs` stands for pair `first` + 64 k + b of local memory, where
    /// pair p has the addresses 2p and 2p + 1. Pairs behind the largest local memory are ignored.
    pub fn insert_pairs(&mut self, first: usize, pairs: &[u64]) {
        let places = (first / 64 + pairs.len() + 1).min(PAIRS / 64);
        add_bits(self.at_least(places), first, pairs);
        while self.0.last() == Some(&0) {
            self.0.pop();
        }
    }

    /// Returns the bank of local memory that contains all words of the set; `None` if they lie in several banks or the
    /// set is empty.
    pub fn bank(&self, core: &Core) -> Option<Bank> {
        let bank = |pair: usize| core.bank_of(WordAddress::from_index(2 * pair));
        let (first, last) = (self.first_pair()?, self.last_pair()?);
        (bank(first) == bank(last)).then(|| bank(first))
    }

    fn first_pair(&self) -> Option<usize> {
        let place = self.0.iter().position(|&pairs| pairs != 0)?;
        Some(place * 64 + self.0[place].trailing_zeros() as usize)
    }

    fn last_pair(&self) -> Option<usize> {
        let place = self.0.iter().rposition(|&pairs| pairs != 0)?;
        Some(place * 64 + self.0[place].ilog2() as usize)
    }

    /// Returns whether the two sets have a pair of words in common.
    pub fn meets(&self, other: &Self) -> bool {
        // Without a way out in between, so that it is done many at a time.
        self.0.iter().zip(&other.0).fold(0, |common, (a, b)| common | a & b) != 0
    }
}

/// Adds bits to a set of bits, from bit `first` on. What would be behind its end is left out.
#[inline]
fn add_bits(set: &mut [u64], first: usize, bits: &[u64]) {
    let (place, shift) = (first / 64, first % 64);
    let Some(set) = set.get_mut(place..) else { return };
    if shift == 0 {
        set.iter_mut().zip(bits).for_each(|(to, from)| *to |= from);
        return;
    }
    let mut over = 0;
    for (to, from) in set.iter_mut().zip(bits.iter().chain([&0])) {
        *to |= from << shift | over;
        over = from >> (64 - shift);
    }
}

/// Accesses of a kernel to local memory in a range of cycles: for each bank the cycles in which the kernel accesses it,
/// and the set of all words that it accesses. An engine that runs a kernel ahead of the channel fills it for
/// [`Dma::follow`](super::Dma::follow), which takes the channel through the same cycles.
#[derive(Clone, Debug)]
pub struct Accesses {
    /// Ones in the bits that addresses of local memory have.
    mask: u16,
    /// Bits of an address within a bank.
    bank_bits: u32,
    begin: Cycle,
    /// Number of cycles of the run.
    cycles: u64,
    /// Cycles in which each bank is accessed, one bit each, from `begin` on.
    banks: Box<[Vec<u64>]>,
    words: WordSet,
    /// Whether each bank is accessed at all.
    used: Box<[bool]>,
}

impl Default for Accesses {
    fn default() -> Self {
        Self::new(&Core::CP2)
    }
}

impl Accesses {
    /// Creates a record of accesses for a core, whose numbers of banks and words it takes, with an empty range of
    /// cycles; [`Accesses::start`] sets the range.
    pub fn new(core: &Core) -> Self {
        Self {
            mask: core.address_mask(),
            bank_bits: core.bank_words().trailing_zeros(),
            begin: Cycle::RESET,
            cycles: 0,
            banks: vec![Vec::new(); core.banks()].into_boxed_slice(),
            words: WordSet::NONE,
            used: vec![false; core.banks()].into_boxed_slice(),
        }
    }

    /// Forgets all accesses and sets the range of cycles, counted from reset: from `begin` to before `end`.
    pub fn start(&mut self, begin: Cycle, end: Cycle) {
        self.begin = begin;
        self.cycles = end.saturating_since(begin);
        for bank in &mut self.banks {
            bank.clear();
            bank.resize(self.cycles.div_ceil(64) as usize, 0);
        }
        self.words.0.clear();
        self.used.fill(false);
    }

    /// Returns the place of a cycle in the run; beyond its end for a cycle before its begin, too.
    #[inline]
    fn place(&self, cycle: Cycle) -> u64 {
        cycle.0.wrapping_sub(self.begin.0)
    }

    /// Notes that the kernel accesses a word, or the pair of words that begins with it, in a cycle. Outside of the
    /// range of cycles only the word and its bank are noted, not the cycle. Word addresses count modulo the size of
    /// local memory.
    #[inline]
    pub fn note(&mut self, cycle: Cycle, word: WordAddress) {
        let place = self.place(cycle);
        let word = WordAddress(word.0 & self.mask);
        let bank = usize::from(word.0 >> self.bank_bits);
        if place < self.cycles {
            self.banks[bank][place as usize / 64] |= 1 << (place % 64);
        }
        self.used[bank] = true;
        self.words.insert(word);
    }

    /// Notes accesses in the order of time. Each is a number of cycles after `cycle`, which lies in the range, and a
    /// word that the kernel accesses in that cycle, or the first of a pair of words.
    #[inline]
    pub fn note_all(&mut self, cycle: Cycle, accesses: impl Iterator<Item = (u32, WordAddress)>) {
        match self.banks.len() {
            2 => self.note_in::<2>(cycle, accesses),
            4 => self.note_in::<4>(cycle, accesses),
            _ => accesses.for_each(|(later, word)| self.note(cycle + u64::from(later), word)),
        }
    }

    /// Notes accesses as [`Accesses::note_all`] does, for so many banks. The bits of 64 cycles are put together before they
    /// are added, because what was written last is slow to add to.
    #[inline]
    fn note_in<const BANKS: usize>(
        &mut self,
        cycle: Cycle,
        accesses: impl Iterator<Item = (u32, WordAddress)>,
    ) {
        let begin = self.place(cycle);
        let (mut window, mut bits) = (0, [0; BANKS]);
        for (later, word) in accesses {
            let place = begin.wrapping_add(later.into());
            if place / 64 != window {
                self.add_window(window, std::mem::replace(&mut bits, [0; BANKS]));
                window = place / 64;
            }
            let word = WordAddress(word.0 & self.mask);
            let bank = usize::from(word.0 >> self.bank_bits);
            for (k, bits) in bits.iter_mut().enumerate() {
                *bits |= u64::from(k == bank) << (place % 64);
            }
            self.words.insert(word);
        }
        self.add_window(window, bits);
    }

    /// Adds accesses of each bank in 64 cycles of the run; cycles outside it do not count.
    #[inline]
    fn add_window<const BANKS: usize>(&mut self, window: u64, bits: [u64; BANKS]) {
        for ((cycles, used), bits) in self.banks.iter_mut().zip(&mut self.used).zip(bits) {
            *used |= bits != 0;
            if let Some(cycles) = cycles.get_mut(window as usize) {
                *cycles |= bits;
            }
        }
    }

    /// Notes that the kernel accesses a bank in some cycles of the range: bit b of element k of `cycles` stands for the
    /// cycle `cycle` + 64 k + b. The words themselves are noted by [`Accesses::note_pairs`].
    #[inline]
    pub fn note_cycles(&mut self, cycle: Cycle, bank: Bank, cycles: &[u64]) {
        let place = self.place(cycle);
        if place < self.cycles && !cycles.is_empty() {
            add_bits(&mut self.banks[bank.index()], place as usize, cycles);
            self.used[bank.index()] = true;
        }
    }

    /// Notes that the kernel accesses pairs of words in some cycles of the range: bit b of element k of `pairs` stands
    /// for pair `first` + 64 k + b, as in [`WordSet::insert_pairs`]. The cycles are noted by [`Accesses::note_cycles`].
    pub fn note_pairs(&mut self, first: usize, pairs: &[u64]) {
        self.words.insert_pairs(first, pairs);
    }

    /// Returns the bank that the kernel accesses in a cycle, the one with the least number if there are several; `None`
    /// if it accesses none or the cycle is outside the range.
    pub fn bank(&self, cycle: Cycle) -> Option<Bank> {
        Bank::first(self.banks.len()).find(|&bank| self.accesses(cycle, bank))
    }

    /// Returns whether the kernel accesses this bank in a cycle; false for a cycle outside the range.
    #[inline]
    pub fn accesses(&self, cycle: Cycle, bank: Bank) -> bool {
        let place = self.place(cycle);
        let bits = self.banks[bank.index()].get((place / 64) as usize);
        bits.is_some_and(|bits| bits >> (place % 64) & 1 == 1)
    }

    /// Returns the cycles from `cycle` to 63 cycles later in which the kernel accesses this bank, one bit each, the lowest
    /// one for `cycle`; 0 for those outside the run.
    #[inline]
    pub(super) fn busy(&self, cycle: Cycle, bank: Bank) -> u64 {
        let bits = |k: usize| self.banks[bank.index()].get(k).copied().unwrap_or(0);
        if cycle < self.begin {
            let before = self.begin - cycle;
            return if before < 64 { bits(0) << before } else { 0 };
        }
        let place = cycle - self.begin;
        let (k, shift) = ((place / 64) as usize, place % 64);
        // Shifted in two steps, because a shift by all 64 bits is none.
        bits(k) >> shift | bits(k.saturating_add(1)) << 1 << (63 - shift)
    }

    /// Returns whether any access to this bank was noted since [`Accesses::start`].
    pub fn uses(&self, bank: Bank) -> bool {
        self.used[bank.index()]
    }

    /// Returns the set of all words whose accesses by the kernel were noted since [`Accesses::start`].
    pub fn words(&self) -> &WordSet {
        &self.words
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test's helpers may panic")]
    use super::*;
    use cp2_isa::machine::CoreNumbers;

    #[test]
    fn ranges_are_the_words_one_by_one() {
        for (from, to) in
            [(0, 0), (1, 2), (126, 128), (130, 900), (0, 8191), (8190, 8191), (255, 256)]
        {
            let mut words = WordSet::NONE;
            (from..=to).for_each(|word| words.insert(WordAddress::from_index(word)));
            let mut range = WordSet::NONE;
            range.insert_range(from, to);
            assert_eq!(range, words, "{from}..={to}");
        }
    }

    #[test]
    fn accesses_are_kept_by_cycle_and_by_pair_of_words() {
        let mut accesses = Accesses::default();
        let (begin, end) = (Cycle(100), Cycle(110));
        accesses.start(begin, end);
        accesses.note(Cycle(103), WordAddress(7));
        accesses.note(Cycle(104), WordAddress(4096));
        let banks: Vec<_> =
            Cycle(102).until(Cycle(106)).map(|cycle| accesses.bank(cycle)).collect();
        assert_eq!(banks, [None, Some(Bank(0)), Some(Bank(1)), None]);
        assert_eq!((accesses.bank(Cycle(99)), accesses.bank(end)), (None, None));
        let mut other = WordSet::NONE;
        other.insert(WordAddress(8));
        assert!(!other.meets(accesses.words()));
        other.insert(WordAddress(6));
        let mut all = WordSet::NONE;
        all.insert_range(0, 2 * PAIRS - 1);
        assert!(other.meets(accesses.words()) && all.meets(&other));
        let bank = |words: &WordSet| words.bank(&Core::CP2);
        assert_eq!((bank(&other), bank(accesses.words())), (Some(Bank(0)), None));
        accesses.start(begin, end);
        assert_eq!((accesses.bank(Cycle(103)), accesses.words()), (None, &WordSet::NONE));
    }
    #[test]
    fn pairs_by_bits_are_the_words_one_by_one() {
        let bits = [0x8000_0000_0000_0001, 0b1011];
        for first in [0, 1, 63, 64, 130, PAIRS - 65, PAIRS - 64, PAIRS - 1, PAIRS, PAIRS + 7] {
            let mut words = WordSet::NONE;
            let set = (0..128).filter(|k| bits[k / 64] >> (k % 64) & 1 == 1);
            let inside = set.map(|k| first + k).filter(|&pair| pair < PAIRS);
            inside.for_each(|pair| words.insert(WordAddress::from_index(2 * pair)));
            let mut pairs = WordSet::NONE;
            pairs.insert_pairs(first, &bits);
            assert_eq!(pairs, words, "{first}");
        }
    }

    #[test]
    fn cycles_by_bits_are_the_cycles_one_by_one() {
        let (begin, end) = (Cycle(1000), Cycle(1200));
        let bits = [0xf000_0000_0000_0005, 0x3];
        for first in [1000, 1001, 1063, 1064, 1134].map(Cycle) {
            let [mut by_one, mut by_bits] = [Accesses::default(), Accesses::default()];
            for accesses in [&mut by_one, &mut by_bits] {
                accesses.start(begin, end);
                accesses.note(Cycle(1199), WordAddress(0));
            }
            for cycle in (0..128).filter(|&k| bits[k as usize / 64] >> (k % 64) & 1 == 1) {
                by_one.note(first + cycle, WordAddress(4096));
            }
            by_bits.note_cycles(first, Bank(1), &bits);
            by_bits.note_pairs(2048, &[1]);
            assert!(by_bits.uses(Bank(0)) && by_bits.uses(Bank(1)));
            assert_eq!(by_bits.words(), by_one.words());
            for cycle in (begin - 130).until(end + 130) {
                assert_eq!(by_bits.bank(cycle), by_one.bank(cycle), "{first}, {cycle}");
                for bank in [0, 1].map(Bank) {
                    let busy = by_bits.busy(cycle, bank);
                    let one_by_one = (0..64)
                        .fold(0, |all, k| all | u64::from(by_one.accesses(cycle + k, bank)) << k);
                    assert_eq!(busy, one_by_one, "{first}, {cycle}, {bank}");
                }
            }
        }
        let mut none = Accesses::default();
        none.start(begin, end);
        none.note_cycles(begin, Bank(0), &[]);
        assert!(
            !none.uses(Bank(0))
                && none.busy(Cycle::NEVER, Bank(0)) == 0
                && none.busy(Cycle::RESET, Bank(1)) == 0
        );
    }

    #[test]
    fn accesses_together_are_the_accesses_one_by_one() {
        for banks in [1, 2, 4, 8] {
            let core = Core::new(CoreNumbers { banks, ..*Core::CP2.numbers() }).unwrap();
            let [mut one_by_one, mut together] = [Accesses::new(&core), Accesses::new(&core)];
            let (begin, end) = (Cycle(1000), Cycle(1400));
            for accesses in [&mut one_by_one, &mut together] {
                accesses.start(begin, end);
            }
            for (first, every) in [(0, 1), (3, 7), (63, 64), (130, 3)] {
                let words = (0..100).map(|k| WordAddress((k * k * 37 + first) as u16));
                let noted =
                    (0..).map(|k| k * every).zip(words).take_while(|(k, _)| first + k < 400);
                for (later, word) in noted.clone() {
                    one_by_one.note(begin + u64::from(first + later), word);
                }
                together.note_all(begin + u64::from(first), noted);
            }
            assert_eq!(together.banks, one_by_one.banks, "{banks} banks");
            assert_eq!(together.used, one_by_one.used, "{banks} banks");
            assert_eq!(together.words, one_by_one.words, "{banks} banks");
        }
    }
}
