//! Places in local memory.

use serde::{Deserialize, Serialize};
use std::fmt;

/// The address of a word of 64 bits in the local memory of a section, from 0: the value of register An, or what an
/// access names. [`rules::address`](crate::rules::address) steps it within the bits that a core's addresses have.
///
/// A word address is neither a step or a mode of an address set nor a number of a bank:
///
/// ```compile_fail
/// # use cp2_isa::{Core, WordAddress, rules::address};
/// let (address, mode) = (WordAddress(4), 0x1fff);
/// address::stepped(&Core::CP2, mode, 1, address);
/// ```
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[repr(transparent)]
pub struct WordAddress(pub u16);

impl WordAddress {
    /// Returns the address as an index in the local memory of a section, from 0.
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// Returns the address of the word that is `words` words after this one, as within an access or an array. The sum
    /// must fit 16 bits; it does not go around the end of local memory.
    #[inline]
    pub const fn plus(self, words: u16) -> Self {
        Self(self.0 + words)
    }

    /// Returns the address of the word with this index in local memory. The index must be less than 65536; higher bits
    /// are dropped.
    #[inline]
    pub const fn from_index(index: usize) -> Self {
        Self(index as u16)
    }
}

impl From<WordAddress> for u64 {
    fn from(address: WordAddress) -> Self {
        address.0.into()
    }
}

impl From<WordAddress> for serde_json::Value {
    fn from(address: WordAddress) -> Self {
        address.0.into()
    }
}

impl fmt::Display for WordAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_index_comes_back() {
        assert_eq!(WordAddress::from_index(8191), WordAddress(8191));
        assert_eq!(WordAddress(8191).index(), 8191);
        assert_eq!(
            (WordAddress(4).plus(1), WordAddress(12).to_string()),
            (WordAddress(5), "12".to_owned())
        );
    }
}
