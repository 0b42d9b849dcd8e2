//! Places in instruction memory.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::ops::Sub;

/// The address of a bundle in instruction memory, from 0: the value of PC, or of the target of a jump, a call or a
/// loop. The type does not check that a core has such a bundle; [`target`](crate::rules::flow::target) does.
///
/// ```
/// # use cp2_isa::BundleAddress;
/// assert_eq!(BundleAddress(7).plus(1), BundleAddress(8));
/// ```
///
/// The address of a word of local memory is not a bundle address:
///
/// ```compile_fail
/// # use cp2_isa::{BundleAddress, WordAddress, rules::flow};
/// let called_from = flow::return_address(WordAddress(7));
/// ```
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[repr(transparent)]
pub struct BundleAddress(pub u16);

impl BundleAddress {
    /// Returns the address as an index in instruction memory, from 0.
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// Returns the address of the bundle with this index in instruction memory. The index must be less than 65536;
    /// higher bits are dropped.
    #[inline]
    pub const fn from_index(index: usize) -> Self {
        Self(index as u16)
    }

    /// Returns the address of the bundle before this one; 0 if this address is 0.
    #[inline]
    pub const fn before(self) -> Self {
        Self(self.0.saturating_sub(1))
    }

    /// Returns the address that is `bundles` bundles after this one, 65535 at most.
    #[inline]
    pub const fn plus(self, bundles: u16) -> Self {
        Self(self.0.saturating_add(bundles))
    }
}

impl Sub for BundleAddress {
    type Output = u16;

    /// Returns the number of bundles from `first` to this address, which is not before it.
    #[inline]
    fn sub(self, first: Self) -> u16 {
        self.0 - first.0
    }
}

impl From<BundleAddress> for u64 {
    fn from(address: BundleAddress) -> Self {
        address.0.into()
    }
}

impl From<BundleAddress> for i64 {
    fn from(address: BundleAddress) -> Self {
        address.0.into()
    }
}

impl From<BundleAddress> for serde_json::Value {
    fn from(address: BundleAddress) -> Self {
        address.0.into()
    }
}

impl fmt::Display for BundleAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_is_nothing_behind_the_highest() {
        assert_eq!(BundleAddress(u16::MAX - 1).plus(1), BundleAddress(u16::MAX));
        assert_eq!(BundleAddress(u16::MAX - 1).plus(2), BundleAddress(u16::MAX));
        assert_eq!([1, 0].map(|at| BundleAddress(at).before()), [BundleAddress(0); 2]);
    }

    #[test]
    fn an_index_comes_back() {
        assert_eq!(BundleAddress::from_index(8191), BundleAddress(8191));
        assert_eq!(
            (BundleAddress(8191).index(), BundleAddress(8191) - BundleAddress(8000)),
            (8191, 191)
        );
        assert_eq!(format!("{:>5}", BundleAddress(12)), "   12");
    }
}
