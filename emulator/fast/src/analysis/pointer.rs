//! Pointers of a block: an address set that stays in one bank from a pass's first access to its last,
//! so that every access is a displacement and nothing has to be reduced or counted when it runs.

use crate::analysis::footprint::{Pairs, Run};
use crate::ir::scalar::NOTES;
use cp2_isa::{Bank, Core, WordAddress};
use iced_x86::Register;

/// Host registers for pointers, in a block that notes its accesses or not; further ones stand in the
/// context.
pub(crate) fn registers(notes: bool) -> &'static [Register] {
    &REGISTERS[..REGISTERS.len() - usize::from(notes)]
}

const REGISTERS: [Register; 5] =
    [Register::R11, Register::RBP, Register::R12, Register::R13, NOTES];

/// The word that an address set names when a pass begins, as an address of the host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Pointer {
    pub(crate) set: u8,
    /// Where it stands, if not in the context.
    pub(crate) register: Option<Register>,
    /// By how much a pass changes the set, if the block repeats.
    pub(crate) step: i32,
    /// First and last word reached, from the address at the beginning of a pass.
    reach: (i32, i32),
    /// The bank reached; or all pointers of the block reach banks whose numbers differ from theirs in
    /// the same bits.
    bank: i32,
    /// Bits of an address within a bank.
    bank_bits: u32,
    /// Whether the address is odd at the beginning, if accesses of two words depend on it.
    parity: Option<bool>,
    /// The words that a pass stores, and no others.
    pub(crate) written: Vec<Run>,
    /// The words that it accesses, while they are found out.
    accessed: Vec<Run>,
    /// Their pairs.
    pub(crate) pairs: Pairs,
}

/// Two address sets whose pointers reach different words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Apart {
    pub(crate) below: u8,
    pub(crate) above: u8,
    /// How far the upper one has to be from the lower one at least.
    pub(crate) distance: i32,
    /// By how much a pass takes the upper one away from the lower one.
    pub(crate) drift: i32,
}

/// How many passes there are until something that begins with 0 and grows by `step` in each is more
/// than `most`.
fn steps_to(most: i32, step: i32) -> u64 {
    let most = most.max(0) as u64;
    if step <= 0 { u64::MAX } else { most / step as u64 + 1 }
}

/// The runs put in order, and those that touch each other made one.
fn joined(mut runs: Vec<Run>) -> Vec<Run> {
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

impl Apart {
    /// Whether these addresses are far enough apart.
    pub(crate) fn holds(&self, addresses: &[u32; 16]) -> bool {
        self.spare(addresses) >= 0
    }

    /// How many passes may follow each other from these addresses on, which are far enough apart.
    pub(crate) fn passes(&self, addresses: &[u32; 16]) -> u64 {
        steps_to(self.spare(addresses), -self.drift)
    }

    fn spare(&self, addresses: &[u32; 16]) -> i32 {
        let [below, above] = [self.below, self.above].map(|k| addresses[usize::from(k)] as i32);
        above - below - self.distance
    }
}

impl Pointer {
    /// A pointer for a set that holds this address now.
    pub(crate) fn new(core: &Core, set: u8, address: u32, register: Option<Register>) -> Self {
        let bank = i32::from(core.bank_of(WordAddress(address as u16)).0);
        Self {
            set,
            register,
            step: 0,
            reach: (0, 0),
            bank,
            bank_bits: core.bank_words().trailing_zeros(),
            parity: None,
            written: Vec::new(),
            accessed: Vec::new(),
            pairs: Pairs::default(),
        }
    }

    /// Notes an access of so many words at an offset from the beginning; tells the offset of its
    /// first word.
    pub(crate) fn access(&mut self, offset: i32, words: i32, address: u32) -> i32 {
        let mut first = offset;
        if words == 2 {
            let odd = address & 1 == 1;
            self.parity = Some(odd);
            first -= (offset + i32::from(odd)) & 1;
        }
        self.reach = (self.reach.0.min(first), self.reach.1.max(first + words - 1));
        self.accessed.push(Run { first, words });
        first
    }

    /// Notes a store of so many words.
    pub(crate) fn store(&mut self, first: i32, words: i32) {
        self.written.push(Run { first, words });
    }

    /// All accesses are known, and by how much a pass changes the set.
    pub(crate) fn settle(&mut self, step: i32) {
        self.step = step;
        self.written = joined(std::mem::take(&mut self.written));
        self.pairs = Pairs::new(&std::mem::take(&mut self.accessed));
    }

    /// In which bits of an address this one lies in another bank.
    pub(crate) fn displacement(&self, address: u32) -> u32 {
        (address >> self.bank_bits ^ self.bank as u32) << self.bank_bits
    }

    /// The same as a difference of the banks' numbers.
    pub(crate) fn bank_displacement(&self, displacement: u32) -> usize {
        (displacement >> self.bank_bits) as usize
    }

    /// Bank of all accesses.
    pub(crate) fn bank(&self) -> Bank {
        Bank(self.bank as u8)
    }

    /// The addresses that the set may hold when a pass begins: first and last.
    pub(crate) fn range(&self) -> (i32, i32) {
        let words = 1 << self.bank_bits;
        let begin = self.bank * words;
        (begin - self.reach.0, begin + words - 1 - self.reach.1)
    }

    /// How far the address of another pointer has to be above this one's so that they reach different
    /// words, if that matters and cannot be told from their banks.
    pub(crate) fn distance(&self, above: &Self) -> Option<i32> {
        let matters =
            self.bank == above.bank && !(self.written.is_empty() && above.written.is_empty());
        matters.then_some(self.reach.1 - above.reach.0 + 1)
    }

    /// Whether a pass may begin with this address.
    pub(crate) fn allows(&self, address: u32) -> bool {
        let (from, to) = self.range();
        (from..=to).contains(&(address as i32))
            && self.parity.is_none_or(|odd| odd == (address & 1 == 1))
    }

    /// How many passes may follow each other from this address on, which a pass may begin with. The
    /// set does not leave the bank between them, so nothing is reduced modulo the size of memory.
    pub(crate) fn passes(&self, address: u32) -> u64 {
        if self.parity.is_some() && self.step & 1 == 1 {
            return 1;
        }
        let (from, to) = self.range();
        let address = address as i32;
        steps_to(to - address, self.step).min(steps_to(address - from, -self.step))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pass_stays_in_its_bank() {
        let mut pointer = Pointer::new(&Core::CP2, 0, 4101, None);
        assert_eq!(pointer.access(-4, 2, 4101), -5);
        assert_eq!(pointer.access(7, 1, 4101), 7);
        assert_eq!((pointer.bank(), pointer.range()), (Bank(1), (4101, 8184)));
        assert!(pointer.allows(4101) && !pointer.allows(4102) && !pointer.allows(4099));
        assert!(pointer.allows(8183) && !pointer.allows(8185));
    }

    #[test]
    fn a_reach_longer_than_a_bank_is_never_allowed() {
        let mut pointer = Pointer::new(&Core::CP2, 3, 0, None);
        pointer.access(5000, 1, 0);
        assert!((0..8192).all(|address| !pointer.allows(address)));
    }
    /// How many passes may begin, counted one by one.
    fn counted(holds: impl Fn(i32) -> bool) -> u64 {
        (0..10_000).take_while(|&pass| holds(pass)).count() as u64
    }

    #[test]
    fn passes_are_as_many_as_stay_in_the_bank() {
        for begin in [0, 1, 130, 2000, 4050, 4096, 4160, 8100] {
            for step in [1, 2, 3, 16, 127, 4095, -1, -2, -31, -4096] {
                for words in [1, 2] {
                    let mut pointer = Pointer::new(&Core::CP2, 0, begin, None);
                    pointer.access(0, words, begin);
                    pointer.access(40, words, begin);
                    pointer.settle(step);
                    if !pointer.allows(begin) {
                        continue;
                    }
                    let at = |pass: i32| begin as i32 + step * pass;
                    let holds = |pass| at(pass) >= 0 && pointer.allows(at(pass) as u32);
                    assert_eq!(pointer.passes(begin), counted(holds), "{begin} {step} {words}");
                }
            }
        }
        let mut still = Pointer::new(&Core::CP2, 0, 7, None);
        still.settle(0);
        assert_eq!(still.passes(7), u64::MAX);
    }

    #[test]
    fn passes_are_as_many_as_stay_apart() {
        for drift in [-7, -1, 0, 3] {
            for [below, above] in [[0, 10], [100, 140], [3, 4000]] {
                let mut a = [0; 16];
                (a[2], a[5]) = (below, above);
                let apart = Apart { below: 2, above: 5, distance: 9, drift };
                assert!(apart.holds(&a));
                let holds = |pass: i32| above as i32 - below as i32 + drift * pass >= 9;
                let expected = if drift < 0 { counted(holds) } else { u64::MAX };
                assert_eq!(apart.passes(&a), expected, "{drift} {below} {above}");
            }
        }
    }

    #[test]
    fn stored_words_are_joined_where_they_touch() {
        let mut pointer = Pointer::new(&Core::CP2, 0, 100, None);
        for (first, words) in [(8, 2), (0, 1), (2, 2), (1, 1), (9, 1), (11, 2), (4, 2)] {
            pointer.store(first, words);
        }
        pointer.settle(3);
        let written = pointer.written.iter().map(|run| (run.first, run.words));
        assert_eq!(written.collect::<Vec<_>>(), [(0, 6), (8, 2), (11, 2)]);
    }
}
