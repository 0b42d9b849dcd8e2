//! Places in system memory.

use super::Bytes;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::ops::{Add, Sub};

/// The address of a byte of system memory, the memory that host and DMA channel share. The type does not check that a
/// machine has such a byte; reads and writes of memory do. The difference of two addresses is a number of [`Bytes`].
///
/// ```
/// # use cp2_isa::{Bytes, MemoryAddress};
/// let array = MemoryAddress(0x2000);
/// assert_eq!(array.plus_words(2) - array, Bytes(16));
/// assert_eq!(array.to_string(), "0x00002000");
/// ```
///
/// The address of a word of local memory is not a memory address:
///
/// ```compile_fail
/// # use cp2_isa::{MemoryAddress, WordAddress};
/// # fn read(from: MemoryAddress) {}
/// read(WordAddress(7));
/// ```
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[repr(transparent)]
pub struct MemoryAddress(pub u64);

impl MemoryAddress {
    /// The first byte of system memory, at address 0.
    pub const FIRST: Self = Self(0);

    /// Returns the address that is `bytes` bytes after this one, computed as the DMA channel does: in 32 bits, so that
    /// address 0 follows the highest.
    #[inline]
    pub const fn channel_add(self, bytes: u32) -> Self {
        Self((self.0 as u32).wrapping_add(bytes) as u64)
    }

    /// Returns the address that is `bytes` after this one; `None` if that is more than 64 bits hold.
    #[inline]
    pub const fn checked_add(self, bytes: Bytes) -> Option<Self> {
        match self.0.checked_add(bytes.0) {
            Some(address) => Some(Self(address)),
            None => None,
        }
    }

    /// Returns the address that is `words` words of 64 bits after this one.
    #[inline]
    pub const fn plus_words(self, words: usize) -> Self {
        Self(self.0 + Bytes::of_words(words).0)
    }

    /// Returns the address as an index in a slice of all bytes of system memory.
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// Whether the address is a multiple of `bytes`.
    #[inline]
    pub const fn is_multiple_of(self, bytes: u64) -> bool {
        self.0.is_multiple_of(bytes)
    }

    /// Returns the greatest multiple of `bytes` that is not above the address.
    #[inline]
    pub const fn down_to_multiple_of(self, bytes: u64) -> Self {
        Self(self.0 - self.0 % bytes)
    }

    /// Returns the least multiple of `bytes` that is not below the address.
    #[inline]
    pub const fn next_multiple_of(self, bytes: u64) -> Self {
        Self(self.0.next_multiple_of(bytes))
    }
}

impl Add<Bytes> for MemoryAddress {
    type Output = Self;

    #[inline]
    fn add(self, bytes: Bytes) -> Self {
        Self(self.0 + bytes.0)
    }
}

impl Sub for MemoryAddress {
    type Output = Bytes;

    /// Returns the number of bytes from `first` to this address, which is not before it.
    #[inline]
    fn sub(self, first: Self) -> Bytes {
        Bytes(self.0 - first.0)
    }
}

impl From<MemoryAddress> for u64 {
    fn from(address: MemoryAddress) -> Self {
        address.0
    }
}

impl From<u32> for MemoryAddress {
    fn from(address: u32) -> Self {
        Self(address.into())
    }
}

impl From<MemoryAddress> for serde_json::Value {
    fn from(address: MemoryAddress) -> Self {
        address.0.into()
    }
}

/// Writes the address in hexadecimal with `0x` before it, eight digits at least.
impl fmt::Display for MemoryAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "0x{:08x}", self.0)
    }
}

impl fmt::LowerHex for MemoryAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::LowerHex::fmt(&self.0, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_channel_adds_with_32_bits() {
        let last = MemoryAddress(0xffff_fff0);
        assert_eq!(last.channel_add(0x20), MemoryAddress(0x10));
        assert_eq!(last.channel_add(-16_i32 as u32), MemoryAddress(0xffff_ffe0));
        assert_eq!(last.plus_words(4), last + Bytes(0x20));
        assert_eq!(last + Bytes(0x20), MemoryAddress(0x1_0000_0010));
        assert_eq!(MemoryAddress(u64::MAX).checked_add(Bytes(1)), None);
        assert_eq!(last.checked_add(Bytes(16)), Some(MemoryAddress(0x1_0000_0000)));
    }

    #[test]
    fn multiples_and_texts_are_of_bytes() {
        let odd = MemoryAddress(0x1001);
        assert_eq!(
            (odd.next_multiple_of(0x1000), odd.is_multiple_of(4)),
            (MemoryAddress(0x2000), false)
        );
        assert_eq!(odd.down_to_multiple_of(8), MemoryAddress(0x1000));
        assert_eq!(odd.next_multiple_of(0x1000).next_multiple_of(0x1000), MemoryAddress(0x2000));
        assert_eq!(format!("{odd} {odd:x} {odd:#x}"), "0x00001001 1001 0x1001");
    }
}
