//! Limits of the fields of descriptors, which the encoder checks and messages state.

use std::fmt;

/// Range of the values that a field of a descriptor takes, in the unit of the field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FieldRange {
    /// Least value that the field takes.
    pub low: i64,
    /// Greatest value that the field takes.
    pub high: i64,
    /// Number of which the values are multiples.
    pub multiple_of: i64,
}

impl FieldRange {
    /// A signed step to another descriptor, 9 bits.
    pub const NEXT: Self = Self::between(-0x100, 0xff);
    /// Limit of the number of an index half-register.
    pub const HALF_REGISTER: Self = Self::bits(5);
    /// Base of a walk through memory, bytes.
    pub const MEMORY_BASE: Self = Self { low: 0, high: 0xffff_fffc, multiple_of: 4 };
    /// Limit of the number of beats in a burst.
    pub const BURST: Self = Self::bits(6);
    /// Step of a walk through memory, bytes.
    pub const MEMORY_STEP: Self = Self { low: -0x80_0000, high: 0x7f_fffc, multiple_of: 4 };
    /// Limit of the count of a walk through memory.
    pub const MEMORY_COUNT: Self = Self::bits(20);
    /// Beats that a section gives before the next one is turned to.
    pub const FLOW: Self = Self::between(0, 4);
    /// Limit of the mask of the 32-bit words that are not written.
    pub const MASK: Self = Self::bits(4);

    /// Returns the limit of unsigned numbers of so many bits.
    pub const fn bits(width: u32) -> Self {
        Self::between(0, (1 << width) - 1)
    }

    /// Returns the limit of all numbers from one to another.
    pub const fn between(low: i64, high: i64) -> Self {
        Self { low, high, multiple_of: 1 }
    }

    /// Whether a value is within the limit.
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
