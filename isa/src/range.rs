//! Ranges of whole numbers that a field can hold, which readers and encoders check and messages name.

use std::fmt;

/// The range of the whole numbers that a field of a file or of an encoding takes, in the unit of the field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NumberRange {
    /// Least number of the range.
    pub low: i64,
    /// Greatest number of the range.
    pub high: i64,
    /// Number of which every number of the range is a multiple; 1 if all from `low` to `high` are in it.
    pub multiple_of: i64,
}

impl NumberRange {
    /// Creates the range of unsigned numbers of `width` bits, at most 62: 0 to 2^width - 1.
    pub const fn bits(width: u32) -> Self {
        Self::between(0, (1 << width) - 1)
    }

    /// Creates the range of all numbers from `low` to `high`, both included.
    pub const fn between(low: i64, high: i64) -> Self {
        Self { low, high, multiple_of: 1 }
    }

    /// Whether a number is in the range: from `low` to `high`, and a multiple of `multiple_of`.
    pub fn takes(&self, value: i64) -> bool {
        (self.low..=self.high).contains(&value) && value % self.multiple_of == 0
    }
}

impl fmt::Display for NumberRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.multiple_of {
            1 => write!(f, "{} to {}", self.low, self.high),
            n => write!(f, "multiples of {n} from {} to {}", self.low, self.high),
        }
    }
}
