//! The starts of the runs of a check: addresses that sometimes meet and sometimes do not, counts that the loops promise,
//! numbers in the general registers.

use super::machine::{Scalar, Start};
use super::operation::WINDOW;
use super::sequential::{Meaning, address_set};
use super::value::mix;
use cp2_ir::linear::{ABSOLUTE, OWN, Region};
use cp2_isa::rules::address::shared_word;
use cp2_isa::{Address, Core, SECTIONS, SHARED_WORDS, Step, WordAddress, control};
use std::collections::BTreeMap;

/// A fixed sequence of numbers (SplitMix64).
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        mix(self.0, 0)
    }

    fn below(&mut self, n: u64) -> u64 {
        (self.next() >> 16) % n
    }

    fn percent(&mut self, n: u64) -> bool {
        self.below(100) < n
    }
}

/// Words that section addresses are taken to step over in a run.
const OWN_STEPS: i32 = 16;

/// Counts tried with each loop.
const COUNTS: usize = 6;

/// Lowest and highest word that each address set reaches, from its address at the start.
type Extents = [(i32, i32); 16];

/// Extents before anything is known.
const UNKNOWN: Extents = [(0, WINDOW as i32); 16];

/// Reach of the address sets with some counts of loops.
struct Reach {
    extents: Extents,
    /// Words that each set reaches, counted from its address at the start around local memory.
    words: [Vec<bool>; 16],
}

impl Default for Reach {
    fn default() -> Self {
        Self { extents: UNKNOWN, words: [const { Vec::new() }; 16] }
    }
}

/// The part that all starts of a region have in common.
pub(super) struct Plan<'a> {
    core: Core,
    region: &'a Region,
    /// Address sets that the region accesses memory through.
    sets: Vec<u8>,
    /// Sets that the region steps by their Nn alone, so that Mn may be anything.
    by_n: Vec<u8>,
    /// An immediate address of the region.
    absolute: Option<WordAddress>,
    /// Counts to try, by general register.
    counts: Vec<Vec<u64>>,
    /// Reach of the sets with counts that were tried, by these counts, in the order of their registers.
    reaches: BTreeMap<Vec<u64>, Reach>,
    /// Accesses in their order: set, and word counted from the set's address at the start.
    accesses: Vec<(u8, i32)>,
}

impl<'a> Plan<'a> {
    pub(super) fn new(core: &Core, region: &'a Region) -> Self {
        let mut sets: Vec<u8> = region.ops.iter().filter_map(|op| address_set(&op.code)).collect();
        sets.sort_unstable();
        sets.dedup();
        sets.retain(|&set| set < ABSOLUTE);
        let by_n = sets.iter().copied().filter(|&set| !steps_by_constants(region, set)).collect();
        let absolute =
            region.ops.iter().find_map(|op| match Address::of(op.code.row(), op.code.values()) {
                Some(Address::Word(word)) => Some(word),
                _ => None,
            });
        let promises = region.promises();
        let of =
            |gpr| promises.get(&gpr).map_or(Vec::new(), |p| p.counts(0).take(COUNTS).collect());
        let counts = (0..16).map(of).collect();
        Self {
            core: *core,
            region,
            sets,
            by_n,
            absolute,
            counts,
            reaches: BTreeMap::new(),
            accesses: Vec::new(),
        }
    }

    /// Returns the number of words of local memory, modulo which addresses count.
    fn words(&self) -> i32 {
        self.core.lmem_words() as i32
    }

    /// Learns from a run how far the sets reach with its counts.
    pub(super) fn learn(&mut self, start: &Start, meaning: &Meaning) {
        let words = self.words();
        if self.accesses.is_empty() {
            self.remember(start, meaning);
        }
        let counts = self.counts_of(&start.gpr);
        let reach = self.reaches.entry(counts).or_default();
        for &set in &self.sets {
            let base = i32::from(start.a[usize::from(set)].0);
            let reached = &mut reach.words[usize::from(set)];
            reached.resize(words as usize, false);
            for word in meaning.words[usize::from(set)].iter() {
                reached[(i32::from(word.0) - base).rem_euclid(words) as usize] = true;
            }
            reach.extents[usize::from(set)] = extent(reached);
        }
    }

    /// Returns the counts of loops in general registers, in the order of the registers.
    fn counts_of(&self, gpr: &[Scalar; 16]) -> Vec<u64> {
        let counting = gpr.iter().zip(&self.counts).filter(|(_, counts)| !counts.is_empty());
        counting.map(|(register, _)| register.value & u64::from(u32::MAX)).collect()
    }

    /// Returns the lowest and the highest word that each set reaches with these counts, from its address at the start, as far
    /// as is known: what is known of other counts stands in for those that were not tried.
    fn extents(&self, counts: &[u64]) -> Extents {
        let known = self.reaches.get(counts).or_else(|| self.reaches.values().next());
        known.map_or(UNKNOWN, |reach| reach.extents)
    }

    fn remember(&mut self, start: &Start, meaning: &Meaning) {
        let base = |set: u8| start.a.get(usize::from(set)).map_or(0, |&a| i32::from(a.0));
        let from_start = |&(set, word): &(u8, WordAddress)| (set, i32::from(word.0) - base(set));
        self.accesses = meaning.accesses.iter().map(from_start).collect();
    }

    /// Returns the distance between the starts of two sets at which an access of one meets an access of the other that is
    /// near to it in the program.
    fn meeting(&self, set: u8, other: u8, numbers: &mut Numbers) -> Option<i32> {
        let n = self.accesses.len();
        let first = numbers.below(n.max(1) as u64) as usize;
        let turned = (0..n).map(|k| (first + k) % n);
        let at = turned.clone().find(|&k| self.accesses[k].0 == other)?;
        let skip = numbers.below(3) as usize;
        let mut after = (at..n).filter(|&k| self.accesses[k].0 == set);
        let mut before = (0..at).rev().filter(|&k| self.accesses[k].0 == set);
        let found = if numbers.percent(50) {
            after.nth(skip).or_else(|| before.next())
        } else {
            before.nth(skip).or_else(|| after.next())
        }?;
        Some(self.accesses[at].1 - self.accesses[found].1)
    }

    /// Returns start number `seed`; with `apart` no two sets are near each other, as far as is known.
    pub(super) fn start(&self, seed: u64, apart: bool) -> Start {
        let mut numbers = Numbers(seed);
        let mut wild = || Scalar { value: numbers.next(), wild: true };
        let mut gpr = [(); 16].map(|()| wild());
        let ireg = [(); 16].map(|()| wild());
        let mut control = [(); control::COUNT as usize].map(|()| wild());
        for n in [control::RIND, control::RSTEP, control::RMASK, control::CONTROL] {
            control[usize::from(n)].value &= 0xffff;
        }
        control[usize::from(control::RSTEP)].value |= 1;
        control[usize::from(control::RMASK)].value |= 0x3fff;
        for (k, (register, counts)) in gpr.iter_mut().zip(&self.counts).enumerate() {
            if !counts.is_empty() {
                // Only the low 32 bits count.
                let count = counts[(seed as usize + 5 * k) % counts.len()];
                *register = Scalar::known(register.value << 32 | count);
            }
        }
        let n = [(); 16].map(|()| 1 + numbers.below(5) as u16);
        let mask = self.core.address_mask();
        let mut m = [mask; 16];
        for &set in &self.by_n {
            m[usize::from(set)] = [mask, mask, 0x3f, 0][numbers.below(4) as usize];
        }
        let extents = self.extents(&self.counts_of(&gpr));
        let a = self.addresses(&extents, apart, &mut numbers);
        let own_window = self.own_window(&extents, &a, &mut numbers);
        let mut own = || WordAddress((own_window.0 + numbers.below(WINDOW) as u16) & mask);
        let sa = [(); 16].map(|()| [(); SECTIONS].map(|()| own()));
        let qa = [(); 16].map(|()| shared_word(numbers.below(SHARED_WORDS as u64) as i32));
        Start { gpr, ireg, a, n, m, sa, qa, control, own_window, counts: self.counts.clone() }
    }

    /// Returns the first of the words that section addresses reach: away from the sets that are promised to be apart from
    /// them, and else at one of the others half of the time.
    fn own_window(
        &self,
        extents: &Extents,
        a: &[WordAddress; 16],
        numbers: &mut Numbers,
    ) -> WordAddress {
        let words = self.words();
        let apart = |set: &u8| self.region.are_disjoint(*set, OWN);
        let others: Vec<u8> = self.sets.iter().copied().filter(|set| !apart(set)).collect();
        let is_clear = |base: i32| {
            self.sets.iter().copied().filter(apart).all(|set| {
                let (lo, hi) = extents[usize::from(set)];
                let from = (base - i32::from(a[usize::from(set)].0) - lo).rem_euclid(words);
                from > hi - lo && from + WINDOW as i32 + OWN_STEPS < words
            })
        };
        for _ in 0..64 {
            let base = if !others.is_empty() && numbers.percent(50) {
                let set = others[numbers.below(others.len() as u64) as usize];
                i32::from(a[usize::from(set)].0)
            } else {
                numbers.below(words as u64) as i32
            };
            if is_clear(base) {
                return WordAddress(base as u16);
            }
        }
        WordAddress(numbers.below(words as u64) as u16)
    }

    fn addresses(
        &self,
        extents: &Extents,
        apart: bool,
        numbers: &mut Numbers,
    ) -> [WordAddress; 16] {
        let words = self.words();
        let mut a = [(); 16].map(|()| WordAddress(numbers.below(words as u64) as u16));
        let mut cursor = numbers.below(words as u64) as i32;
        let mut placed: Vec<u8> = Vec::new();
        for &set in &self.sets {
            let absolute = self.absolute.map(|_| ABSOLUTE);
            let others = placed.iter().copied().chain(absolute);
            let may_meet: Vec<u8> =
                others.filter(|&other| !self.region.are_disjoint(set, other)).collect();
            let (lo, hi) = extents[usize::from(set)];
            let alone = cursor - lo + 2 + numbers.below(2) as i32;
            let near = !apart && !may_meet.is_empty() && numbers.percent(75);
            let mut base = if near {
                let other = may_meet[numbers.below(may_meet.len() as u64) as usize];
                let there = a.get(usize::from(other)).map_or(0, |&a| i32::from(a.0));
                let meeting = self.meeting(set, other, numbers).unwrap_or(0);
                let beside = if numbers.percent(25) { numbers.below(5) as i32 - 2 } else { 0 };
                let base = there + meeting + beside;
                let clear = placed
                    .iter()
                    .all(|&p| self.is_clear(extents, (set, base), (p, a[usize::from(p)])));
                if clear { base } else { alone }
            } else {
                alone
            };
            if self.region.even.contains(&set) {
                base &= !1;
            }
            cursor = cursor.max(base + hi + 2);
            a[usize::from(set)] = WordAddress(base.rem_euclid(words) as u16);
            placed.push(set);
        }
        a
    }

    /// Whether a set at `base` reaches nothing of another one that it is disjoint with.
    fn is_clear(
        &self,
        extents: &Extents,
        (set, base): (u8, i32),
        (other, there): (u8, WordAddress),
    ) -> bool {
        let (lo, hi) = extents[usize::from(set)];
        let (low, high) = extents[usize::from(other)];
        let from = (base + lo - i32::from(there.0) - low).rem_euclid(self.words());
        !self.region.are_disjoint(set, other) || from > high - low && from + hi - lo < self.words()
    }
}

/// Returns the lowest and the highest of the words that a set reaches, from its address at the start: those around the longest
/// run of words that it does not reach. The first words count as reached.
fn extent(reached: &[bool]) -> (i32, i32) {
    let words = reached.len() as i32;
    let (mut longest, mut before) = ((0, WINDOW as i32), WINDOW as i32);
    let all = reached.iter().zip(0..).filter(|(reached, _)| **reached).map(|(_, word)| word);
    for word in all.skip_while(|word| *word <= WINDOW as i32).chain([words]) {
        if word - before > longest.0 {
            longest = (word - before, before);
        }
        before = word;
    }
    let (gap, highest) = longest;
    (highest + gap - words, highest)
}

fn steps_by_constants(region: &Region, set: u8) -> bool {
    region.ops.iter().any(|op| {
        let address = Address::of(op.code.row(), op.code.values());
        matches!(address, Some(Address::Set { set: s, step: Step::Offset(_) }) if s == set)
    })
}

#[cfg(test)]
mod tests;
