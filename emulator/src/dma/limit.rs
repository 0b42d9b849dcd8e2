//! What the fields of descriptors take, for those who write them and for those who read them.

use std::fmt;

/// The values that a field takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limit {
    /// The least value.
    pub low: i64,
    /// The greatest value.
    pub high: i64,
    /// Number of which the values are multiples.
    pub multiple_of: i64,
}

impl Limit {
    /// A signed step to another descriptor, 9 bits.
    pub const NEXT: Self = Self::between(-0x100, 0xff);
    /// Number of an index half-register.
    pub const HALF_REGISTER: Self = Self::bits(5);
    /// Base of a walk through memory, bytes.
    pub const MEMORY_BASE: Self = Self { low: 0, high: 0xffff_fffc, multiple_of: 4 };
    /// Beats in a burst.
    pub const BURST: Self = Self::bits(6);
    /// Step of a walk through memory, bytes.
    pub const MEMORY_STEP: Self = Self { low: -0x80_0000, high: 0x7f_fffc, multiple_of: 4 };
    /// Count of a walk through memory.
    pub const MEMORY_COUNT: Self = Self::bits(20);
    /// Beats that a section gives before the next one is turned to.
    pub const FLOW: Self = Self::between(0, 4);
    /// 32-bit words that are not written.
    pub const MASK: Self = Self::bits(4);

    /// Unsigned numbers of so many bits.
    pub const fn bits(width: u32) -> Self {
        Self::between(0, (1 << width) - 1)
    }

    /// All numbers from one to another.
    pub const fn between(low: i64, high: i64) -> Self {
        Self { low, high, multiple_of: 1 }
    }

    /// Whether a value is one of them.
    pub fn takes(&self, value: i64) -> bool {
        (self.low..=self.high).contains(&value) && value % self.multiple_of == 0
    }
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.multiple_of {
            1 => write!(f, "{} to {}", self.low, self.high),
            n => write!(f, "multiples of {n} from {} to {}", self.low, self.high),
        }
    }
}
