//! Pointers of a block: an address set that stays in one bank from a pass's first access to its last,
//! so that every access is a displacement and nothing has to be reduced or counted when it runs.

use crate::scalar::NOTES;
use cp2_isa::{BANK_WORDS, LMEM_WORDS};
use iced_x86::Register;

/// Host registers for pointers, in a block that notes its accesses or not; further ones stand in the
/// context.
pub(crate) fn registers(notes: bool) -> &'static [Register] {
    &REGISTERS[..REGISTERS.len() - usize::from(notes)]
}

const REGISTERS: [Register; 4] = [Register::RBP, Register::R12, Register::R13, NOTES];

/// Words that may be kept in vain.
const SPARE: i32 = 16;

/// The word that an address set names when a pass begins, as an address of the host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Pointer {
    pub(crate) set: u8,
    /// Where it stands, if not in the context.
    pub(crate) register: Option<Register>,
    /// First and last word reached, from the address at the beginning of a pass.
    reach: (i32, i32),
    /// The bank reached.
    bank: i32,
    /// Whether the address is odd at the beginning, if accesses of two words depend on it.
    parity: Option<bool>,
    /// Whether anything is stored through it.
    is_stored: bool,
    /// First and last word written, and how many words all stores write.
    written: Option<(i32, i32, i32)>,
}

/// Two address sets whose pointers reach different words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Apart {
    pub(crate) below: u8,
    pub(crate) above: u8,
    /// How far the upper one has to be from the lower one at least.
    pub(crate) distance: i32,
}

impl Apart {
    /// Whether these addresses are far enough apart.
    pub(crate) fn holds(&self, addresses: &[u32; 16]) -> bool {
        let [below, above] = [self.below, self.above].map(|k| addresses[usize::from(k)] as i32);
        above - below >= self.distance
    }
}

/// What a pass overwrites through a pointer: `words` words from `first` on, counted from the address
/// of its set, which changes by `step` from pass to pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Writes {
    pub(crate) set: u8,
    pub(crate) first: i32,
    pub(crate) words: i32,
    pub(crate) step: i32,
}

impl Pointer {
    /// A pointer for a set that holds this address now.
    pub(crate) fn new(set: u8, address: u32, register: Option<Register>) -> Self {
        let bank = (address as usize % LMEM_WORDS / BANK_WORDS) as i32;
        Self { set, register, reach: (0, 0), bank, parity: None, is_stored: false, written: None }
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
        first
    }

    /// Notes a store.
    pub(crate) fn store(&mut self) {
        self.is_stored = true;
    }

    /// Notes a store of so many words, which are to be kept.
    pub(crate) fn write(&mut self, first: i32, words: i32) {
        let last = first + words - 1;
        let (from, to, n) = self.written.unwrap_or((first, last, 0));
        self.written = Some((from.min(first), to.max(last), n + words));
    }

    /// What a pass overwrites, if the set steps by `step`. `Err` if that is much more than the stores
    /// write.
    pub(crate) fn writes(&self, step: Option<i32>) -> Result<Option<Writes>, ()> {
        let Some((from, to, n)) = self.written else { return Ok(None) };
        let (words, step) = (to - from + 1, step.ok_or(())?);
        let is_dense = words <= 2 * n + SPARE;
        is_dense.then_some(Some(Writes { set: self.set, first: from, words, step })).ok_or(())
    }

    /// Bank of all accesses.
    pub(crate) fn bank(&self) -> usize {
        self.bank as usize
    }

    /// The addresses that the set may hold when a pass begins: first and last.
    pub(crate) fn range(&self) -> (i32, i32) {
        let begin = self.bank * BANK_WORDS as i32;
        (begin - self.reach.0, begin + BANK_WORDS as i32 - 1 - self.reach.1)
    }

    /// Whether the address has to be odd, if that matters.
    pub(crate) fn parity(&self) -> Option<bool> {
        self.parity
    }

    /// How far the address of another pointer has to be above this one's so that they reach different
    /// words, if that matters and cannot be told from their banks.
    pub(crate) fn distance(&self, above: &Self) -> Option<i32> {
        let matters = self.bank == above.bank && (self.is_stored || above.is_stored);
        matters.then_some(self.reach.1 - above.reach.0 + 1)
    }

    /// Whether a pass may begin with this address.
    pub(crate) fn allows(&self, address: u32) -> bool {
        let (from, to) = self.range();
        (from..=to).contains(&(address as i32))
            && self.parity.is_none_or(|odd| odd == (address & 1 == 1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pass_stays_in_its_bank() {
        let mut pointer = Pointer::new(0, 4101, None);
        assert_eq!(pointer.access(-4, 2, 4101), -5);
        assert_eq!(pointer.access(7, 1, 4101), 7);
        assert_eq!((pointer.bank(), pointer.range()), (1, (4101, 8184)));
        assert!(pointer.allows(4101) && !pointer.allows(4102) && !pointer.allows(4099));
        assert!(pointer.allows(8183) && !pointer.allows(8185));
    }

    #[test]
    fn a_reach_longer_than_a_bank_is_never_allowed() {
        let mut pointer = Pointer::new(3, 0, None);
        pointer.access(5000, 1, 0);
        assert!((0..8192).all(|address| !pointer.allows(address)));
    }
}
