//! Ranges of the numbers in bit fields of descriptors, which the encoder checks and messages name.

use std::fmt;

/// The values that a bit field of a descriptor can hold, in the unit of the field.
/// [`Descriptor::encode`](super::Descriptor::encode) checks numbers against such ranges; its
/// [`FieldError`](super::FieldError) has the range into which a number did not fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FieldRange {
    /// Least value that the bit field can hold.
    pub low: i64,
    /// Greatest value that the bit field can hold.
    pub high: i64,
    /// Number of which every value of the bit field must be a multiple; 1 if all from `low` to `high` are allowed.
    pub multiple_of: i64,
}

impl FieldRange {
    /// Range of the signed number that is added to the number of a descriptor to get that of the next one: 9 bits, -256
    /// to 255.
    pub const NEXT: Self = Self::between(-0x100, 0xff);
    /// Range of a field that names a 32-bit half of one of the 16 index registers of CP2: 0 to 31, where 2k is the high
    /// half of register `ik` and 2k + 1 the low one.
    pub const HALF_REGISTER: Self = Self::bits(5);
    /// Range of the first address of a walk through system memory, in bytes: 32 bits, a multiple of 4.
    pub const MEMORY_BASE: Self = Self { low: 0, high: 0xffff_fffc, multiple_of: 4 };
    /// Range of the number of beats of 16 bytes (or of 32-bit words, where those are moved) in a burst: 0 to 63. The
    /// field holds the number itself.
    pub const BURST: Self = Self::bits(6);
    /// Range of a step of a walk through system memory, in bytes: signed 24 bits, a multiple of 4.
    pub const MEMORY_STEP: Self = Self { low: -0x80_0000, high: 0x7f_fffc, multiple_of: 4 };
    /// Range of a count of a walk through system memory ([`Stride::count`](super::Stride::count)): 20 bits, 0 to
    /// 2^20 - 1. The field holds the count itself, not one less.
    pub const MEMORY_COUNT: Self = Self::bits(20);
    /// Range of [`Put::flow`](super::Put::flow), the number of beats that a section gives before the next section gives
    /// some: 0 to 4, where 0 means all of them.
    pub const FLOW: Self = Self::between(0, 4);
    /// Range of a mask of the four 32-bit words of a beat ([`Put::mask`](super::Put::mask)), one bit each: 0 to 15.
    pub const MASK: Self = Self::bits(4);

    /// Returns the range of unsigned numbers of `width` bits, at most 62: 0 to 2^width - 1.
    pub const fn bits(width: u32) -> Self {
        Self::between(0, (1 << width) - 1)
    }

    /// Returns the range of all numbers from `low` to `high`, both included.
    pub const fn between(low: i64, high: i64) -> Self {
        Self { low, high, multiple_of: 1 }
    }

    /// Returns whether a value is in the range and a multiple of `multiple_of`.
    pub fn takes(&self, value: i64) -> bool {
        (self.low..=self.high).contains(&value) && value % self.multiple_of == 0
    }
}

impl fmt::Display for FieldRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.multiple_of {
            1 => write!(f, "{} to {}", self.low, self.high),
            n => write!(f, "multiples of {n} from {} to {}", self.low, self.high),
        }
    }
}
