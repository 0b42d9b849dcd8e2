//! Pointers of a block: places at constant distances from an address set, each of which stays in one bank
//! from a pass's first access to its last, so that every access is a displacement and nothing has to be
//! reduced, counted or noted when it runs. A set has one pointer, or one for each of the parts of local memory
//! that it reaches, such as planes of a grid.

use crate::abi::context::PARTS;
use crate::analysis::footprint::{Near, WordRun};
use crate::ir::scalar::NOTES;
use cp2_emu::dma::Accesses;
use cp2_isa::{Bank, Core, Cycle};
use iced_x86::Register;
use serde::{Deserialize, Serialize};

/// Returns the native registers for pointers, in a block that notes its accesses or not; further pointers stand in the
/// context.
pub(crate) fn registers(notes: bool) -> &'static [Register] {
    &REGISTERS[..REGISTERS.len() - usize::from(notes)]
}

const REGISTERS: [Register; 5] =
    [Register::R11, Register::RBP, Register::R12, Register::R13, NOTES];

/// Pointer of a block: a word that an address set tells when a pass begins, as an address of the native machine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Pointer {
    pub(crate) set: u8,
    /// Distance by which the word is ahead of the one that the set names, in words modulo the size of local memory.
    pub(crate) ahead: u32,
    /// Native register of the pointer; `None` if it stands in the context. Only machine code that is still to be made asks for
    /// it.
    #[serde(skip)]
    pub(crate) register: Option<Register>,
    /// Number of words by which a pass changes the set, if the block repeats.
    pub(crate) step: i32,
    /// First and last word reached, counted from the address at the beginning of a pass.
    reach: (i32, i32),
    /// Ones in the bits that addresses have.
    pub(crate) mask: u32,
    /// Number of low bits of an address that tell a word within a bank.
    bank_bits: u32,
    /// Whether the address is odd at the beginning of a pass, if accesses of two words depend on it.
    parity: Option<bool>,
    /// Words that a pass stores through the pointer, and no others.
    pub(crate) written: Vec<WordRun>,
    /// All accesses of a pass through the pointer.
    pub(crate) near: Near,
    /// Whether some access is not a store of whole words in all sections: a load, or a store that leaves something of a word.
    pub(crate) reads: bool,
}

/// Numbers of accesses and stores of a pointer that were known at some time.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct SoFar {
    accesses: usize,
    stores: usize,
}

/// Two pointers of a block, by number, whose distance is in a range: so they reach different words, or the words that both
/// reach are known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Apart {
    pub(crate) one: usize,
    pub(crate) other: usize,
    /// Least distance by which the other pointer has to be ahead of the first, in words modulo the size of local memory.
    least: i32,
    /// Greatest distance by which the other pointer may be ahead of the first, in words modulo the size of local memory.
    most: i32,
    /// Number of words by which a pass takes the other pointer further ahead.
    drift: i32,
    /// Whether one distance only is allowed, at which the pointers may reach the same words.
    is_exact: bool,
}

/// Returns the number of passes until a number that begins with 0 and grows by `step` in each is more than `most`.
fn steps_to(most: i32, step: i32) -> u64 {
    let most = most.max(0) as u64;
    if step <= 0 { u64::MAX } else { most / step as u64 + 1 }
}

/// Returns the number of passes until a number that is in a range now, and changes by `step` in each, leaves that range.
fn steps_within(now: i32, (from, to): (i32, i32), step: i32) -> u64 {
    steps_to(to - now, step).min(steps_to(now - from, -step))
}

/// Puts runs in order, and makes one of those that touch each other.
fn joined(mut runs: Vec<WordRun>) -> Vec<WordRun> {
    runs.sort_unstable();
    runs.dedup_by(|next, run| {
        let touches = next.first <= run.first + run.words;
        if touches {
            run.words = run.words.max(next.first + next.words - run.first);
        }
        touches
    });
    runs
}

/// Bound in words that no distance in a block reaches: a block has few bundles, each of which steps by less than local memory
/// has words.
const FAR: i32 = 1 << 28;

/// Whether a distance is within [`FAR`], either way.
fn is_near(distance: i32) -> bool {
    (-FAR..=FAR).contains(&distance)
}

impl Apart {
    /// Whether the pair can be of two among so many pointers.
    pub(crate) fn is_sound(&self, pointers: usize) -> bool {
        let Self { one, other, least, most, drift, is_exact: _ } = *self;
        one < pointers && other < pointers && [least, most, drift].into_iter().all(is_near)
    }

    /// Whether the pointers are far enough apart, for address sets that hold these.
    pub(crate) fn holds(&self, pointers: &[Pointer], sets: &[u32; 16]) -> bool {
        (self.least..=self.most).contains(&self.distance(pointers, sets))
    }

    /// Returns the number of passes that may follow each other, if the pointers are far enough apart now.
    pub(crate) fn passes(&self, pointers: &[Pointer], sets: &[u32; 16]) -> u64 {
        let range = (self.least, self.most);
        steps_within(self.distance(pointers, sets), range, self.drift)
    }

    /// Returns the pair for the distance that the pointers have now, of which no more is taken for granted. It has to be the same
    /// in each pass if the block repeats.
    pub(crate) fn exactly(
        self,
        pointers: &[Pointer],
        sets: &[u32; 16],
        repeats: bool,
    ) -> Option<Self> {
        let now = self.distance(pointers, sets);
        let exact = Self { least: now, most: now, is_exact: true, ..self };
        (self.drift == 0 || !repeats).then_some(exact)
    }

    /// Returns the distance by which the other pointer is ahead of the first, if one only is allowed.
    pub(crate) fn exact_distance(&self) -> Option<i32> {
        self.is_exact.then_some(self.least)
    }

    fn distance(&self, pointers: &[Pointer], sets: &[u32; 16]) -> i32 {
        let (one, other) = (&pointers[self.one], &pointers[self.other]);
        (other.address(sets).wrapping_sub(one.address(sets)) & one.mask) as i32
    }
}

impl Pointer {
    /// Creates a pointer that is `ahead` of an address set by so many words.
    pub(crate) fn new(core: &Core, set: u8, ahead: u32, register: Option<Register>) -> Self {
        let (mask, bank_bits) = Self::sizes(core);
        Self {
            set,
            ahead,
            register,
            step: 0,
            reach: (0, 0),
            mask,
            bank_bits,
            parity: None,
            written: Vec::new(),
            near: Near::default(),
            reads: false,
        }
    }

    /// Whether the pointer can be one of a block on a core.
    pub(crate) fn is_sound(&self, core: &Core) -> bool {
        let Self { set, ahead, register: _, step, reach, mask, bank_bits, .. } = *self;
        let is_core = (mask, bank_bits) == Self::sizes(core);
        let runs = self.written.iter().all(|run| is_near(run.first) && is_near(run.words));
        set < 16
            && ahead <= mask
            && is_core
            && runs
            && [step, reach.0, reach.1].into_iter().all(is_near)
            && self.near.is_sound(reach.0)
    }

    /// Returns ones in the bits of addresses of a core, and how many of the bits tell a word of a bank.
    fn sizes(core: &Core) -> (u32, u32) {
        (core.address_mask().into(), core.bank_words().trailing_zeros())
    }

    /// Returns the address of the pointer, for address sets that hold these.
    pub(crate) fn address(&self, sets: &[u32; 16]) -> u32 {
        (sets[usize::from(self.set)] + self.ahead) & self.mask
    }

    /// Adds an access of so many words in a cycle, at an offset from the address at the beginning of the pass; returns the
    /// offset of its first word.
    pub(crate) fn access(
        &mut self,
        cycle: usize,
        (offset, words): (i32, i32),
        address: u32,
    ) -> i32 {
        let mut first = offset;
        if words == 2 {
            let odd = address & 1 == 1;
            self.parity = Some(odd);
            first -= (offset + i32::from(odd)) & 1;
        }
        self.reach = (self.reach.0.min(first), self.reach.1.max(first + words - 1));
        self.near.add(cycle, WordRun { first, words });
        first
    }

    /// Returns the first and the last word that so many passes may reach, the first of which begins with this address.
    pub(crate) fn span(&self, address: u32, passes: u64) -> (i32, i32) {
        let way = self.step.saturating_mul(i32::try_from(passes - 1).unwrap_or(i32::MAX));
        let (from, to) =
            (self.reach.0.saturating_add(way.min(0)), self.reach.1.saturating_add(way.max(0)));
        (from.saturating_add(address as i32), to.saturating_add(address as i32))
    }

    /// Adds a store of so many words, the first of which has this offset.
    pub(crate) fn store(&mut self, first: i32, words: i32) {
        self.written.push(WordRun { first, words });
    }

    /// Returns where the parts begin in which the accesses lie, as distances ahead of the set, modulo the size of local
    /// memory: there are long gaps between them. Only while the accesses are found out.
    pub(crate) fn parts(&self) -> Vec<u32> {
        let mask = self.mask as i32;
        let in_memory =
            |run: &WordRun| WordRun { first: (run.first + self.ahead as i32) & mask, ..*run };
        let runs = joined(self.near.runs.iter().map(in_memory).collect());
        let ends = runs.iter().map(|run| run.first + run.words);
        let before = ends.clone().skip(runs.len().saturating_sub(1)).chain(ends);
        let gap = (mask + 1) / PARTS as i32;
        let parts = runs.iter().zip(before).filter(|(run, end)| (run.first - end) & mask >= gap);
        parts.map(|(run, _)| run.first as u32).collect()
    }

    /// Returns how many accesses and stores are known so far.
    pub(crate) fn so_far(&self) -> SoFar {
        SoFar { accesses: self.near.runs.len(), stores: self.written.len() }
    }

    /// Adds for each access since `before` those of later turns of a loop, `times` turns in all, each of which steps the set
    /// by `step` words. `None` if accesses of two words would change their places in the pairs. The cycles of the further
    /// accesses are not told, so this is for blocks that note nothing.
    pub(crate) fn repeat(&mut self, before: SoFar, times: u32, step: i32) -> Option<()> {
        let (accesses, stores) =
            (self.near.runs[before.accesses..].to_vec(), self.written[before.stores..].to_vec());
        if !accesses.is_empty() && self.parity.is_some() && step & 1 == 1 {
            return None;
        }
        for turn in 1..times as i32 {
            let ahead = step.checked_mul(turn).filter(|&ahead| is_near(ahead))?;
            let moved = |run: &WordRun| WordRun { first: run.first + ahead, ..*run };
            for run in accesses.iter().map(moved) {
                self.reach.0 = self.reach.0.min(run.first);
                self.reach.1 = self.reach.1.max(run.first + run.words - 1);
                self.near.runs.push(run);
                self.near.n += 1;
            }
            self.written.extend(stores.iter().map(moved));
        }
        Some(())
    }

    /// Settles the pointer: all its accesses are known, and by how much a pass changes the set.
    pub(crate) fn finish(&mut self, step: i32) {
        self.step = step;
        self.written = joined(std::mem::take(&mut self.written));
        self.near.finish();
    }

    /// Returns the bank of all accesses of a pass that may begin with this address.
    pub(crate) fn bank(&self, address: u32) -> Bank {
        Bank((address >> self.bank_bits) as u8)
    }

    /// Returns the first and the last address in the bank of this one with which a pass may begin.
    fn range(&self, address: u32) -> (i32, i32) {
        let begin = (address >> self.bank_bits << self.bank_bits) as i32;
        (begin - self.reach.0, begin + (1 << self.bank_bits) - 1 - self.reach.1)
    }

    /// Returns the pair with another pointer of the block, both by their numbers, if it matters whether they reach different
    /// words.
    pub(crate) fn pair(&self, one: usize, (other, that): (usize, &Self)) -> Option<Apart> {
        let matters = !(self.written.is_empty() && that.written.is_empty());
        matters.then_some(Apart {
            one,
            other,
            least: self.reach.1 - that.reach.0 + 1,
            most: self.mask as i32 - (that.reach.1 - self.reach.0),
            drift: that.step - self.step,
            is_exact: false,
        })
    }

    /// Whether a pass may begin with this address of the pointer.
    pub(crate) fn allows(&self, address: u32) -> bool {
        let (from, to) = self.range(address);
        (from..=to).contains(&(address as i32))
            && self.parity.is_none_or(|odd| odd == (address & 1 == 1))
    }

    /// Returns the number of passes that may follow each other from an address on, with which a pass may begin. The set does
    /// not leave the bank between them, so nothing is reduced modulo the size of memory.
    pub(crate) fn passes(&self, address: u32) -> u64 {
        if self.parity.is_some() && self.step & 1 == 1 {
            return 1;
        }
        steps_within(address as i32, self.range(address), self.step)
    }

    /// Notes the accesses of so many passes of so many cycles each, the first of which begins in `cycle` with this address.
    pub(crate) fn note(
        &self,
        address: u32,
        (cycle, cycles, passes): (Cycle, u32, u64),
        accesses: &mut Accesses,
    ) {
        let bank = self.bank(address);
        for pass in 0..passes {
            let begin = address as i32 + pass as i32 * self.step;
            self.near.note(cycle + pass * u64::from(cycles), (begin, bank), accesses);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pass_stays_in_its_bank() {
        let mut pointer = Pointer::new(&Core::CP2, 0, 0, None);
        assert_eq!(pointer.access(3, (-4, 2), 4101), -5);
        assert_eq!(pointer.access(9, (7, 1), 4101), 7);
        assert_eq!((pointer.bank(4101), pointer.range(4101)), (Bank(1), (4101, 8184)));
        assert!(pointer.allows(4101) && !pointer.allows(4102) && !pointer.allows(4099));
        assert!(pointer.allows(8183) && !pointer.allows(8185));
        assert!(pointer.allows(5) && !pointer.allows(3) && pointer.bank(5) == Bank(0));
    }

    /// Returns where the parts begin in which accesses of one or two words at these offsets lie.
    fn parts(offsets: &[(i32, i32)]) -> Vec<u32> {
        let mut pointer = Pointer::new(&Core::CP2, 0, 0, None);
        for (cycle, &access) in offsets.iter().enumerate() {
            pointer.access(cycle, access, 0);
        }
        pointer.parts()
    }

    #[test]
    fn parts_are_what_lies_between_long_gaps() {
        let plane = |first: i32| [first + 70, first, first + 34, first];
        let planes = |firsts: &[i32]| -> Vec<(i32, i32)> {
            firsts.iter().flat_map(|&first| plane(first)).map(|word| (word, 1)).collect()
        };
        assert_eq!(parts(&planes(&[5])), [5]);
        assert_eq!(parts(&planes(&[5, 2053, -2043])), [5, 2053, 6149]);
        assert_eq!(parts(&planes(&[-20, 4076])), [4076, 8172]);
        assert_eq!(parts(&planes(&[0, 500, 1000])), [0]);
        // A gap of 511 words is none, one of 512 is.
        assert_eq!(parts(&[(0, 2), (513, 1)]), [0]);
        assert_eq!(parts(&[(0, 2), (514, 1)]), [0, 514]);
        let everywhere: Vec<_> = (0..16).map(|k| (512 * k, 1)).collect();
        assert_eq!(parts(&everywhere), [0_u32; 0]);
    }

    #[test]
    fn a_pointer_ahead_goes_around_with_its_set() {
        let mut pointer = Pointer::new(&Core::CP2, 2, 6149, None);
        pointer.access(0, (30, 1), 0);
        let at = |address| {
            let mut sets = [0; 16];
            sets[2] = address;
            pointer.address(&sets)
        };
        assert_eq!([at(0), at(2042), at(2043), at(8000)], [6149, 8191, 0, 5957]);
        assert!(pointer.allows(at(2012)) && !pointer.allows(at(2013)) && pointer.allows(at(2043)));
    }

    #[test]
    fn a_reach_longer_than_a_bank_is_never_allowed() {
        let mut pointer = Pointer::new(&Core::CP2, 3, 0, None);
        pointer.access(0, (5000, 1), 0);
        assert!((0..8192).all(|address| !pointer.allows(address)));
    }

    /// Returns the number of passes that may begin, counted one by one.
    fn counted(holds: impl Fn(i32) -> bool) -> u64 {
        (0..10_000).take_while(|&pass| holds(pass)).count() as u64
    }

    #[test]
    fn passes_are_as_many_as_stay_in_the_bank() {
        for begin in [0, 1, 130, 2000, 4050, 4096, 4160, 8100] {
            for step in [1, 2, 3, 16, 127, 4095, -1, -2, -31, -4096] {
                for words in [1, 2] {
                    let mut pointer = Pointer::new(&Core::CP2, 0, 0, None);
                    pointer.access(0, (0, words), begin);
                    pointer.access(1, (40, words), begin);
                    pointer.finish(step);
                    if !pointer.allows(begin) {
                        continue;
                    }
                    let at = |pass: i32| begin as i32 + step * pass;
                    let is_here = |address: u32| pointer.bank(address) == pointer.bank(begin);
                    let allows = |address: u32| pointer.allows(address) && is_here(address);
                    let holds = |pass| at(pass) >= 0 && allows(at(pass) as u32);
                    assert_eq!(pointer.passes(begin), counted(holds), "{begin} {step} {words}");
                }
            }
        }
        let mut still = Pointer::new(&Core::CP2, 0, 0, None);
        still.finish(0);
        assert_eq!(still.passes(7), u64::MAX);
    }

    /// Creates pointers of sets 2 and 5, the first of which stores, that reach a few words around them.
    fn two(steps: [i32; 2]) -> [Pointer; 2] {
        let mut two =
            [(2, 4096), (5, 0)].map(|(set, ahead)| Pointer::new(&Core::CP2, set, ahead, None));
        for (pointer, step) in two.iter_mut().zip(steps) {
            let words = [-3, 5].map(|first| pointer.access(0, (first - step % 2, 1), 0));
            pointer.store(words[0], 1);
            pointer.finish(step);
        }
        two[1].written.clear();
        two
    }

    /// Returns address sets with which the two pointers have these addresses.
    fn sets(addresses: [i32; 2]) -> [u32; 16] {
        let mut sets = [0; 16];
        (sets[2], sets[5]) = ((addresses[0] ^ 4096) as u32, addresses[1] as u32);
        sets
    }

    #[test]
    fn pointers_are_apart_if_they_reach_different_words() {
        let two = two([0, 1]);
        let pair = two[0].pair(0, (1, &two[1])).expect("the first one stores");
        let places = (10..40).chain([4080]).chain(4110..4140).chain([8100]);
        for (a, b) in places.clone().flat_map(|a| places.clone().map(move |b| (a, b))) {
            let (first, second) = (a - 3..=a + 5, b - 4..=b + 4);
            let are_apart = first.end() < second.start() || second.end() < first.start();
            assert_eq!(pair.holds(&two, &sets([a, b])), are_apart, "{a} {b}");
        }
        assert_eq!(two[1].pair(0, (1, &two[1])), None);
    }

    #[test]
    fn passes_are_as_many_as_stay_apart() {
        for steps in [[0, 0], [7, 0], [0, 7], [2, 1], [1, 2], [-3, 5], [4, -1]] {
            let two = two(steps);
            let pair = two[0].pair(0, (1, &two[1])).expect("the first one stores");
            for begin in [[10, 30], [30, 10], [1000, 1140], [1140, 1000], [3000, 5000]] {
                let at = |pass: i32| sets([0, 1].map(|k| begin[k] + steps[k] * pass));
                assert!(pair.holds(&two, &at(0)));
                let n = (0..100).take_while(|&pass| pair.holds(&two, &at(pass))).count() as u64;
                assert_eq!(pair.passes(&two, &at(0)).min(100), n, "{steps:?} {begin:?}");
            }
        }
    }

    #[test]
    fn stored_words_are_joined_where_they_touch() {
        let mut pointer = Pointer::new(&Core::CP2, 0, 0, None);
        for (first, words) in [(8, 2), (0, 1), (2, 2), (1, 1), (9, 1), (11, 2), (4, 2)] {
            pointer.store(first, words);
        }
        pointer.finish(3);
        let written = pointer.written.iter().map(|run| (run.first, run.words));
        assert_eq!(written.collect::<Vec<_>>(), [(0, 6), (8, 2), (11, 2)]);
    }
}
