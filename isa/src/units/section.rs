//! The parts of CP2 that run in lockstep, one by one and as sets.

use crate::SECTIONS;
use std::fmt;

/// The number of a section of CP2, 0 to 3. The sections are its four data paths, each with registers and local memory
/// of its own.
///
/// A section is not to be taken for the number of a register or a word:
///
/// ```compile_fail
/// # use cp2_isa::{Section, Storage, StorageCell};
/// let (number, section) = (7, Section::ALL[2]);
/// let cell = StorageCell { storage: Storage::Fpr, number: section, section: number };
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub struct Section(u8);

impl Section {
    /// All sections, in the order of their numbers.
    pub const ALL: [Self; SECTIONS] = [Self(0), Self(1), Self(2), Self(3)];
    /// Section 0. It also stands where a section must be named for something that the sections share, such as a general
    /// register.
    pub const FIRST: Self = Self::ALL[0];

    /// Returns the section with this number; `None` if the number is 4 or more.
    #[inline]
    pub const fn new(number: usize) -> Option<Self> {
        if number < SECTIONS { Some(Self(number as u8)) } else { None }
    }

    /// Returns the number of the section, 0 to 3, as the index in a list of all sections.
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

impl fmt::Display for Section {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A set of sections of CP2, one bit for each: bit k is section k.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SectionMask(u8);

impl SectionMask {
    /// The set of all four sections.
    pub const ALL: Self = Self((1 << SECTIONS) - 1);
    /// The set of no section.
    pub const NONE: Self = Self(0);

    /// Returns the set of the sections whose bits are 1: bit k is section k. Bits from 4 on are dropped.
    pub const fn from_bits(bits: u8) -> Self {
        Self(bits & Self::ALL.0)
    }

    /// Returns the set that has only this section.
    pub const fn one(section: Section) -> Self {
        Self::from_bits(1 << section.0)
    }

    /// Returns the set as bits: bit k is 1 if section k is in the set.
    pub const fn bits(self) -> u8 {
        self.0
    }

    /// Whether a section is in the set.
    pub const fn contains(self, section: Section) -> bool {
        self.0 >> section.0 & 1 == 1
    }

    /// Whether the two sets have a section in common.
    pub const fn meets(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    /// Whether every section of the set `other` is in this set.
    pub const fn covers(self, other: Self) -> bool {
        other.0 & !self.0 == 0
    }

    /// Returns the sections of the set, in ascending order.
    pub fn iter(self) -> impl Iterator<Item = Section> {
        Section::ALL.into_iter().filter(move |&s| self.contains(s))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_four() {
        assert_eq!(Section::ALL.map(Section::index), [0, 1, 2, 3]);
        assert_eq!((Section::new(3), Section::new(4)), (Some(Section::ALL[3]), None));
        assert_eq!(Section::ALL[2].to_string(), "2");
    }

    #[test]
    fn a_set_has_the_sections_of_its_bits() {
        let set = SectionMask::from_bits(0b1_0110);
        assert_eq!(set.iter().map(Section::index).collect::<Vec<_>>(), [1, 2]);
        assert!(set.covers(SectionMask::one(Section::ALL[2])) && !set.contains(Section::FIRST));
    }
}
