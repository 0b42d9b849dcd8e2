//! Arrays at their places in local memory: elements into words and back.

use crate::npy::{Array, NumberType};
use cp2_asm::interface::{ElementPosition, ElementType, Layout, WordPart};
use cp2_emu::state::Quad;
use cp2_isa::SECTIONS;
use std::ops::Range;

/// Returns the type of numbers that a file has for an element of local memory.
pub fn kind_of(element: ElementType) -> NumberType {
    match element {
        ElementType::Float32 => NumberType::Float32,
        ElementType::Complex64 => NumberType::Complex64,
        ElementType::Int32 => NumberType::Int32,
        ElementType::Uint32 => NumberType::Uint32,
        ElementType::Int64 => NumberType::Int64,
        ElementType::Uint64 => NumberType::Uint64,
    }
}

/// An array in local memory: where it begins, how its elements lie, how many there are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlacedArray {
    /// Type of the elements as the kernel takes them.
    pub element: ElementType,
    /// Layout of the elements in the words of the sections.
    pub layout: Layout,
    /// Address in local memory of the first word.
    pub base: usize,
    /// Number of elements along each axis, the last axis contiguous.
    pub shape: Vec<usize>,
}

impl PlacedArray {
    /// Returns the number of elements; at most `usize::MAX`.
    pub fn count(&self) -> usize {
        self.shape.iter().fold(1, |size, n| size.saturating_mul(*n))
    }

    /// Returns the number of words of the array in a section.
    pub fn words(&self) -> usize {
        self.layout.words(self.element, self.count())
    }

    /// Returns the words that the array takes.
    pub fn range(&self) -> Range<usize> {
        self.base..self.base.saturating_add(self.words())
    }

    /// Whether the two arrays have a word in common.
    pub fn meets(&self, other: &Self) -> bool {
        let (a, b) = (self.range(), other.range());
        let in_one_section =
            (0..SECTIONS).any(|s| self.layout.has_section(s) && other.layout.has_section(s));
        in_one_section && a.start < b.end && b.start < a.end
    }

    /// Returns the places of the elements, in order; words count from the first one of the array.
    pub fn slots(&self) -> impl Iterator<Item = ElementPosition> + '_ {
        let count = self.count();
        (0..count).map(move |index| self.layout.slot(self.element, count, index))
    }

    /// Writes the elements of an array of its type and size, and zeros where they leave parts of its
    /// words.
    pub fn write(&self, lmem: &mut [Quad], array: &Array) {
        for quad in &mut lmem[self.range()] {
            for (section, word) in quad.iter_mut().enumerate() {
                if self.layout.has_section(section) {
                    *word = 0;
                }
            }
        }
        for (index, ElementPosition { section, word, part }) in self.slots().enumerate() {
            let bits = array.bits(index) as u64;
            let bits = match part {
                WordPart::Whole | WordPart::Low => bits,
                WordPart::High => bits << 32,
                WordPart::Both => bits << 32 | bits,
            };
            let quad = &mut lmem[self.base + word];
            match section {
                Some(section) => quad[section] |= bits,
                None => quad.iter_mut().for_each(|word| *word |= bits),
            }
        }
    }

    /// Returns the elements as an array.
    ///
    /// # Errors
    /// Copies of an element that should be equal differ.
    pub fn take(&self, lmem: &[Quad]) -> Result<Array, String> {
        let mut elements = Vec::with_capacity(self.count());
        for (index, ElementPosition { section, word, part }) in self.slots().enumerate() {
            let quad = lmem[self.base + word];
            let parts = |word: u64| match part {
                WordPart::Whole => [word, word],
                WordPart::High => [word >> 32; 2],
                WordPart::Low => [word & 0xffff_ffff; 2],
                WordPart::Both => [word >> 32, word & 0xffff_ffff],
            };
            let first = parts(quad[section.unwrap_or(0)]);
            if first[0] != first[1] {
                return Err(format!(
                    "element {index} is {:#x} in the high half of word {} and {:#x} in the low one; \
                     `:pairs`, `:high` or `:low` takes what differs",
                    first[0],
                    self.base + word,
                    first[1]
                ));
            }
            let others = if section.is_none() { 1..SECTIONS } else { 0..0 };
            for other in others {
                if parts(quad[other]) != first {
                    return Err(format!(
                        "element {index} is {:#x} in section 0 and {:#x} in section {other}; `:blocks` takes \
                         a part of each section, `:s0` to `:s3` one of them",
                        first[0],
                        parts(quad[other])[0]
                    ));
                }
            }
            elements.push(u128::from(first[0]));
        }
        Ok(Array::from_bits(kind_of(self.element), self.shape.clone(), elements.into_iter()))
    }
}
