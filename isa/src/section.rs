//! Sets of sections.

use crate::SECTIONS;

/// A set of sections, one bit each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SectionMask(u8);

impl SectionMask {
    /// Every section.
    pub const ALL: Self = Self((1 << SECTIONS) - 1);
    /// No section.
    pub const NONE: Self = Self(0);

    /// The sections whose bits are set; bits beyond the last section are dropped.
    pub const fn from_bits(bits: u8) -> Self {
        Self(bits & Self::ALL.0)
    }

    /// One section.
    pub const fn one(section: usize) -> Self {
        Self::from_bits(1 << section)
    }

    /// One bit for each section.
    pub const fn bits(self) -> u8 {
        self.0
    }

    /// Whether a section is in the set.
    pub const fn contains(self, section: usize) -> bool {
        self.0 >> section & 1 == 1
    }

    /// Whether the sets have a section in common.
    pub const fn meets(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    /// Whether every section of `other` is in the set.
    pub const fn covers(self, other: Self) -> bool {
        other.0 & !self.0 == 0
    }

    /// The sections, ascending.
    pub fn iter(self) -> impl Iterator<Item = usize> {
        (0..SECTIONS).filter(move |&s| self.contains(s))
    }
}
