//! Amounts of system memory.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::iter::Sum;
use std::ops::{Add, Mul};

/// A number of bytes: the size of a memory or an array, or how much is moved. [`Bytes::of_words`] makes it of a number
/// of 64-bit words.
///
/// ```
/// # use cp2_isa::{Bytes, MemoryAddress};
/// let array = MemoryAddress(0x2000);
/// assert_eq!(Bytes::of_words(4), Bytes(32));
/// assert_eq!(array + Bytes::of_words(4), MemoryAddress(0x2020));
/// ```
///
/// ```compile_fail
/// # use cp2_isa::{Bytes, MemoryAddress};
/// let (words, array) = (4_u64, MemoryAddress(0x2000));
/// let behind = array + words;
/// ```
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[repr(transparent)]
pub struct Bytes(pub u64);

impl Bytes {
    /// Zero bytes.
    pub const NONE: Self = Self(0);

    /// Returns the size of this number of words, 64 bits each.
    #[inline]
    pub const fn of_words(words: usize) -> Self {
        Self(words as u64 * 8)
    }

    /// Returns the number of bytes as a `usize`, to be the length of a slice.
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

impl Add for Bytes {
    type Output = Self;

    #[inline]
    fn add(self, other: Self) -> Self {
        Self(self.0 + other.0)
    }
}

impl Mul<usize> for Bytes {
    type Output = Self;

    #[inline]
    fn mul(self, times: usize) -> Self {
        Self(self.0 * times as u64)
    }
}

impl Sum for Bytes {
    fn sum<I: Iterator<Item = Self>>(all: I) -> Self {
        Self(all.map(|bytes| bytes.0).sum())
    }
}

impl From<u32> for Bytes {
    fn from(bytes: u32) -> Self {
        Self(bytes.into())
    }
}

impl From<usize> for Bytes {
    fn from(bytes: usize) -> Self {
        Self(bytes as u64)
    }
}

impl From<Bytes> for u64 {
    fn from(bytes: Bytes) -> Self {
        bytes.0
    }
}

impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_become_bytes_and_add_up() {
        let all: Bytes = [Bytes(3), Bytes::of_words(2), Bytes::from(5_usize)].into_iter().sum();
        assert_eq!((all, Bytes(3) * 4, all.index()), (Bytes(24), Bytes(12), 24));
        assert_eq!(format!("{:>3}", Bytes::NONE + Bytes(9)), "  9");
    }
}
