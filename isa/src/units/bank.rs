//! Parts of local memory that are accessed apart.

use serde::{Deserialize, Serialize};
use std::fmt;

/// The number of a bank of local memory, from 0, which has the lowest addresses. A bank is one of equal contiguous
/// shares of local memory. [`Core::banks`](crate::Core::banks) tells how many there are,
/// [`Core::bank_of`](crate::Core::bank_of) in which one a word lies.
///
/// A bank is not to be taken for a plain number, such as a set of banks with a bit for each:
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
    /// Returns the banks with the numbers 0 to `banks` - 1, in ascending order.
    pub fn first(banks: usize) -> impl Iterator<Item = Self> {
        (0..banks).map(|bank| Self(bank as u8))
    }

    /// Returns the number of the bank, as the index in a list of all banks.
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// A set of banks of local memory, one bit for each: bit k is bank k.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[repr(transparent)]
pub struct Banks(u8);

impl Banks {
    /// The set of no bank.
    pub const NONE: Self = Self(0);

    /// Whether this bank is in the set.
    #[inline]
    pub const fn contains(self, bank: Bank) -> bool {
        self.0 >> bank.0 & 1 == 1
    }

    /// Returns the set as bits: bit k is 1 if bank k is in the set.
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
