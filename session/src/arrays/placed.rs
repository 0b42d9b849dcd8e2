//! Arrays at their words in local memory: writing elements into words, and reading them back.

use crate::npy::{Array, NumberType};
use cp2_asm::interface::{ElementPosition, ElementType, Layout, WordPart};
use cp2_emu::state::Quad;
use cp2_isa::SECTIONS;
use std::ops::Range;

/// Returns the type that a `.npy` file has for elements that have the type `element` in local memory, such as
/// [`NumberType::Float32`] for [`ElementType::Float32`]; both have the same name.
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

/// The words of local memory that an array takes, and how its elements lie in them: type, layout, first word and shape,
/// without the elements. [`prepare`](super::prepare) makes one for each array of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlacedArray {
    /// Type of the elements as the kernel takes them.
    pub element: ElementType,
    /// Layout of the elements: which sections have which elements, and how they are packed into words.
    pub layout: Layout,
    /// Word address in local memory at which the array begins.
    pub base: usize,
    /// Number of elements along each axis; the last index varies fastest.
    pub shape: Vec<usize>,
}

impl PlacedArray {
    /// Returns the number of elements of the array, the product of its shape, at most `usize::MAX`.
    pub fn count(&self) -> usize {
        self.shape.iter().fold(1, |size, n| size.saturating_mul(*n))
    }

    /// Returns the number of words of 64 bits that the array takes in each section that has some of it.
    pub fn words(&self) -> usize {
        self.layout.words(self.element, self.count())
    }

    /// Returns the word addresses that the array takes in local memory, the end exclusive.
    pub fn range(&self) -> Range<usize> {
        self.base..self.base.saturating_add(self.words())
    }

    /// Whether the two arrays have a word of some section in common.
    pub fn meets(&self, other: &Self) -> bool {
        let (a, b) = (self.range(), other.range());
        let in_one_section =
            (0..SECTIONS).any(|s| self.layout.has_section(s) && other.layout.has_section(s));
        in_one_section && a.start < b.end && b.start < a.end
    }

    /// Returns the position of every element in local memory, its section, word and part of the word, in C order. The
    /// words of a position count from 0 at the first word of the array.
    pub fn slots(&self) -> impl Iterator<Item = ElementPosition> + '_ {
        let count = self.count();
        (0..count).filter_map(move |index| self.layout.position(self.element, count, index))
    }

    /// Writes the elements of `array` into local memory `lmem`. `array` has to have the type and the number of elements
    /// that this one has; parts of the words that no element takes become zeros. Panics if `array` has fewer elements,
    /// or the words reach beyond `lmem`.
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

    /// Returns the elements that lie in these words of local memory `lmem`, as an array. Panics if the words reach
    /// beyond `lmem`.
    ///
    /// # Errors
    /// Two copies of an element, in several sections or in both halves of a word, differ. The message says where.
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
