//! Parts of local memory that are accessed apart.

use serde::{Deserialize, Serialize};
use std::fmt;

/// The number of a bank of local memory, the lowest addresses first. How many there are is the
/// core's business, [`Core::bank_of`](crate::Core::bank_of) tells in which one a word lies.
///
/// A set of banks with a bit for each, as `.dmabank` has it, is a number of its own:
///
/// ```compile_fail
/// # use cp2_isa::{Bank, Core, WordAddress};
/// let bank: u8 = Core::CP2.bank_of(WordAddress(4096));
/// ```
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[repr(transparent)]
pub struct Bank(pub u8);

impl Bank {
    /// Returns the first `banks` banks.
    pub fn first(banks: usize) -> impl Iterator<Item = Self> {
        (0..banks).map(|bank| Self(bank as u8))
    }

    /// Returns the index of the bank in a list of all.
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// A set of banks of local memory, one bit each: bit k is bank k.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[repr(transparent)]
pub struct Banks(u8);

impl Banks {
    /// No bank.
    pub const NONE: Self = Self(0);

    /// Whether a bank is in the set.
    #[inline]
    pub const fn contains(self, bank: Bank) -> bool {
        self.0 >> bank.0 & 1 == 1
    }

    /// Returns a bit for each bank of the set.
    #[inline]
    pub const fn bits(self) -> u8 {
        self.0
    }

    /// Returns the banks of the set, in ascending order.
    pub fn iter(self) -> impl Iterator<Item = Bank> {
        (0..u8::BITS as u8).map(Bank).filter(move |&bank| self.contains(bank))
    }
}

impl FromIterator<Bank> for Banks {
    fn from_iter<I: IntoIterator<Item = Bank>>(banks: I) -> Self {
        Self(banks.into_iter().fold(0, |set, bank| set | 1 << bank.0))
    }
}

/// Writes the numbers of the banks, ascending, with blanks between.
impl fmt::Display for Banks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (k, bank) in self.iter().enumerate() {
            write!(f, "{}{bank}", if k == 0 { "" } else { " " })?;
        }
        Ok(())
    }
}

impl fmt::Display for Bank {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Core, WordAddress};

    #[test]
    fn banks_follow_each_other() {
        let core = Core::CP2;
        let banks: Vec<_> = Bank::first(core.banks()).collect();
        assert_eq!(banks, [Bank(0), Bank(1)]);
        assert_eq!([4095, 4096].map(|word| core.bank_of(WordAddress(word))), [Bank(0), Bank(1)]);
        assert_eq!((Bank(1).index(), Bank(1).to_string()), (1, "1".to_owned()));
    }

    #[test]
    fn a_set_has_a_bit_for_each_bank() {
        let set: Banks = [Bank(3), Bank(0), Bank(3)].into_iter().collect();
        assert_eq!((set.bits(), set.to_string()), (0b1001, "0 3".to_owned()));
        assert!(set.contains(Bank(3)) && !set.contains(Bank(1)));
        assert_eq!(Banks::NONE.to_string(), "");
    }
}
