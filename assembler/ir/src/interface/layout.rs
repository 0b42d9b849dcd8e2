//! The layout of an array's elements in local memory: which sections have which elements, and in which word and half.
//! `specs/src/data.md` has a worked example of each.

use cp2_isa::SECTIONS;
use std::fmt;
use std::num::NonZeroUsize;

/// The type of an element of an array or of an argument, named as in NumPy. An element takes a word (64 bits) or half a
/// word (32 bits) of local memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ElementType {
    /// A floating-point number of 32 bits in IEEE single precision: half a word.
    Float32,
    /// A complex number: two floats of 32 bits in a word, the real part in bits 63:32.
    Complex64,
    /// A signed integer of 32 bits: half a word.
    Int32,
    /// An unsigned integer of 32 bits: half a word.
    Uint32,
    /// A signed integer of 64 bits: a word.
    Int64,
    /// An unsigned integer of 64 bits: a word.
    Uint64,
}

impl ElementType {
    /// All element types, in the order of the variants.
    pub const ALL: [Self; 6] =
        [Self::Float32, Self::Complex64, Self::Int32, Self::Uint32, Self::Int64, Self::Uint64];

    /// Returns the name of the type as NumPy and the source write it, such as `float32`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Float32 => "float32",
            Self::Complex64 => "complex64",
            Self::Int32 => "int32",
            Self::Uint32 => "uint32",
            Self::Int64 => "int64",
            Self::Uint64 => "uint64",
        }
    }

    /// Returns the type that NumPy calls `name`; `None` for a name that no type of local memory has.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|element| element.name() == name)
    }

    /// Returns true if elements of the type are integers.
    pub const fn is_whole(self) -> bool {
        !matches!(self, Self::Float32 | Self::Complex64)
    }

    /// Returns true if an element of the type takes 32 bits, half a word.
    pub const fn is_half(self) -> bool {
        matches!(self, Self::Float32 | Self::Int32 | Self::Uint32)
    }
}

/// The distribution of the elements of an array over the four sections.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Spread {
    /// Every section has a copy of all elements.
    All,
    /// A single section, with this number from 0, has all elements; the others have none.
    Section(u8),
    /// Section s (0 to 3) has the s-th quarter of the elements; their number is a multiple of 4.
    Blocks,
    /// Chunks of this many neighbouring elements go to sections 0, 1, 2, 3, 0, ... in turn.
    Interleaved(NonZeroUsize),
}

/// The packing of elements of 32 bits into words of 64 bits. Elements of 64 bits fill a word, whatever the packing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Packing {
    /// Two elements in a word, the first in bits 63:32.
    Pairs,
    /// A single element in a word, in bits 31:0; bits 63:32 are 0.
    Low,
    /// A single element in a word, in bits 63:32; bits 31:0 are 0.
    High,
    /// A single element in a word, in bits 63:32 and again in bits 31:0.
    Both,
}

impl Packing {
    /// All packings, in the order of the variants.
    pub const ALL: [Self; 4] = [Self::Pairs, Self::Low, Self::High, Self::Both];

    /// Returns the word for the packing in a source: `pairs`, `low`, `high` or `both`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Pairs => "pairs",
            Self::Low => "low",
            Self::High => "high",
            Self::Both => "both",
        }
    }

    /// Returns the packing that a source calls `name`; `None` for any other name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|packing| packing.name() == name)
    }
}

impl Spread {
    /// The spellings of all distributions, as a list for messages.
    pub const FORMS: &str = "all, blocks, interleaved, interleaved/N, s0 to s3";

    /// Returns the distribution that is written as `text`, one of the spellings in [`Spread::FORMS`]; `None` for any
    /// other text. `interleaved` alone deals chunks of one element.
    pub fn from_name(text: &str) -> Option<Self> {
        Some(match text {
            "all" => Self::All,
            "blocks" => Self::Blocks,
            "interleaved" => Self::Interleaved(NonZeroUsize::MIN),
            _ => match (text.strip_prefix("interleaved/"), text.strip_prefix('s')) {
                (Some(chunk), _) => Self::Interleaved(chunk.parse().ok()?),
                (_, Some(section)) => {
                    let section = section.parse().ok().filter(|s| usize::from(*s) < SECTIONS);
                    Self::Section(section.filter(|s: &u8| text == format!("s{s}"))?)
                }
                _ => return None,
            },
        })
    }
}

impl fmt::Display for Spread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::All => f.write_str("all"),
            Self::Section(s) => write!(f, "s{s}"),
            Self::Blocks => f.write_str("blocks"),
            Self::Interleaved(NonZeroUsize::MIN) => f.write_str("interleaved"),
            Self::Interleaved(chunk) => write!(f, "interleaved/{chunk}"),
        }
    }
}

/// The part of a word of 64 bits that an element takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum WordPart {
    /// All 64 bits of the word, for an element of 64 bits.
    Whole,
    /// The high half of the word, bits 63:32, for an element of 32 bits.
    High,
    /// The low half of the word, bits 31:0, for an element of 32 bits.
    Low,
    /// Bits 63:32 and bits 31:0, each of which holds the whole element of 32 bits.
    Both,
}

/// The position of one element of an array in local memory, as [`Layout::position`] computes it: section, word and part of
/// the word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ElementPosition {
    /// Number of the section, from 0, that holds the element; `None` if every section has a copy.
    pub section: Option<usize>,
    /// Number of the word that holds the element, from 0 at the first word of the array.
    pub word: usize,
    /// Part of the word that the element takes.
    pub part: WordPart,
}

/// The layout of the elements of an array in local memory: which sections have which elements, and which part of which
/// word each element takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Layout {
    /// Distribution of the elements of the array over the four sections.
    pub spread: Spread,
    /// Packing of elements of 32 bits into words; elements of 64 bits fill a word in any case.
    pub packing: Packing,
}

impl Default for Layout {
    /// Returns the layout of one copy in every section, two elements of 32 bits in a word, as the DMA would bring them.
    fn default() -> Self {
        Self { spread: Spread::All, packing: Packing::Pairs }
    }
}

impl fmt::Display for Layout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.spread.fmt(f)?;
        match self.packing {
            Packing::Pairs => Ok(()),
            packing => write!(f, ":{}", packing.name()),
        }
    }
}

impl Layout {
    /// Returns true if an array of `count` elements can have this layout: any count, but with [`Spread::Blocks`] only a
    /// multiple of 4.
    pub fn takes(&self, count: usize) -> bool {
        self.spread != Spread::Blocks || count.is_multiple_of(SECTIONS)
    }

    /// Returns the number of elements of the section that has most of them.
    fn positions(&self, count: usize) -> usize {
        match self.spread {
            Spread::All | Spread::Section(_) => count,
            Spread::Blocks => count.div_ceil(SECTIONS),
            Spread::Interleaved(chunk) => {
                let round = chunk.get().saturating_mul(SECTIONS);
                count / round * chunk.get() + (count % round).min(chunk.get())
            }
        }
    }

    /// Returns the number of words that an array of `count` elements takes in each section that holds a part of it.
    /// Sections take equally many, so the last words of some may be unused.
    pub fn words(&self, element: ElementType, count: usize) -> usize {
        let positions = self.positions(count);
        if element.is_half() && self.packing == Packing::Pairs {
            positions.div_ceil(2)
        } else {
            positions
        }
    }

    /// Returns the position of element `index`, from 0, of an array of `count` elements of type `element`; `None` if the
    /// array has no such element.
    pub fn position(
        &self,
        element: ElementType,
        count: usize,
        index: usize,
    ) -> Option<ElementPosition> {
        if index >= count {
            return None;
        }
        let dealt = |chunk: usize| {
            let (round, within) = (index / chunk, index % chunk);
            (Some(round % SECTIONS), round / SECTIONS * chunk + within)
        };
        let (section, position) = match self.spread {
            Spread::All => (None, index),
            Spread::Section(s) => (Some(usize::from(s)), index),
            Spread::Blocks => dealt(count.div_ceil(SECTIONS).max(1)),
            Spread::Interleaved(chunk) => dealt(chunk.get()),
        };
        let (word, part) = match (element.is_half(), self.packing) {
            (false, _) => (position, WordPart::Whole),
            (true, Packing::Pairs) if position.is_multiple_of(2) => (position / 2, WordPart::High),
            (true, Packing::Pairs) => (position / 2, WordPart::Low),
            (true, Packing::Low) => (position, WordPart::Low),
            (true, Packing::High) => (position, WordPart::High),
            (true, Packing::Both) => (position, WordPart::Both),
        };
        Some(ElementPosition { section, word, part })
    }

    /// Returns the indices of the elements that lie in a word of a section, in the order of their halves: the inverse of
    /// [`Layout::position`] for an array of `count` elements of type `element`. `word` counts from the first word of the array.
    pub fn elements(
        &self,
        element: ElementType,
        count: usize,
        (word, section): (usize, usize),
    ) -> impl Iterator<Item = usize> {
        let is_pair = element.is_half() && self.packing == Packing::Pairs;
        let positions = if is_pair { word * 2..word * 2 + 2 } else { word..word + 1 };
        let spread = self.spread;
        let index = move |position: usize| match spread {
            Spread::All => Some(position),
            Spread::Section(s) => (usize::from(s) == section).then_some(position),
            Spread::Blocks => {
                let block = count.div_ceil(SECTIONS).max(1);
                (position < block).then(|| section * block + position)
            }
            Spread::Interleaved(chunk) => {
                let round = position / chunk * SECTIONS + section;
                Some(round * chunk.get() + position % chunk)
            }
        };
        positions.filter_map(index).filter(move |index| *index < count)
    }

    /// Returns true if the section with this number, from 0, holds elements of the array, as far as the distribution
    /// tells: false only for the other sections of a [`Spread::Section`].
    pub fn has_section(&self, section: usize) -> bool {
        !matches!(self.spread, Spread::Section(s) if usize::from(s) != section)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    fn spreads() -> Vec<Spread> {
        let chunk = |n| Spread::Interleaved(NonZeroUsize::new(n).expect("not 0"));
        vec![Spread::All, Spread::Section(2), Spread::Blocks, chunk(1), chunk(3), chunk(4)]
    }

    #[test]
    fn spreads_are_read_as_they_are_written() {
        for spread in spreads() {
            assert_eq!(Spread::from_name(&spread.to_string()), Some(spread));
        }
        for text in ["", "s4", "s01", "interleaved/0", "interleaved/", "block", "interleaved/-1"] {
            assert_eq!(Spread::from_name(text), None, "{text}");
        }
    }

    #[test]
    fn the_elements_of_a_word_are_those_that_lie_in_it() {
        for (spread, packing) in
            spreads().into_iter().flat_map(|s| Packing::ALL.map(|packing| (s, packing)))
        {
            let layout = Layout { spread, packing };
            for (element, count) in ElementType::ALL.into_iter().flat_map(|e| [(e, 7), (e, 40)]) {
                let mut found = BTreeSet::new();
                for (word, section) in
                    (0..layout.words(element, count) + 2).flat_map(|w| (0..4).map(move |s| (w, s)))
                {
                    for index in layout.elements(element, count, (word, section)) {
                        let at = layout.position(element, count, index).expect("an element");
                        assert_eq!(at.word, word);
                        assert!(at.section.is_none_or(|own| own == section));
                        found.insert(index);
                    }
                }
                assert_eq!(found.len(), count, "{layout} {}", element.name());
            }
        }
    }

    /// No two elements lie in one place, all lie in the words that the array takes, and the last of
    /// these words is needed.
    #[test]
    fn every_element_has_a_place_of_its_own() {
        for spread in spreads() {
            for packing in Packing::ALL {
                let layout = Layout { spread, packing };
                for element in ElementType::ALL {
                    for count in (0..70).filter(|&n| layout.takes(n)) {
                        let slots: BTreeSet<_> = (0..count)
                            .filter_map(|i| layout.position(element, count, i))
                            .map(|slot| (slot.section, slot.word, slot.part as u8))
                            .collect();
                        assert_eq!(slots.len(), count, "{layout} {element:?} {count}");
                        let end = slots.iter().map(|(_, word, _)| word + 1).max().unwrap_or(0);
                        assert_eq!(end, layout.words(element, count), "{layout} {count}");
                    }
                }
            }
        }
    }

    #[test]
    fn slots_are_those_of_the_worked_examples() {
        let slot = |spread: &str, packing, element, count, index| {
            let layout = Layout { spread: Spread::from_name(spread).expect("a spread"), packing };
            let position = layout.position(element, count, index);
            let ElementPosition { section, word, part } = position.expect("an element");
            (section, word, part)
        };
        assert_eq!(Layout::default().position(ElementType::Float32, 4, 4), None);
        use ElementType::{Complex64, Float32};
        use Packing::{Both, Low, Pairs};
        assert_eq!(slot("all", Pairs, Float32, 8, 5), (None, 2, WordPart::Low));
        assert_eq!(slot("blocks", Pairs, Float32, 16, 6), (Some(1), 1, WordPart::High));
        assert_eq!(slot("blocks", Pairs, Complex64, 8, 5), (Some(2), 1, WordPart::Whole));
        assert_eq!(slot("interleaved", Pairs, Complex64, 9, 8), (Some(0), 2, WordPart::Whole));
        assert_eq!(slot("interleaved/4", Pairs, Float32, 64, 22), (Some(1), 3, WordPart::High));
        assert_eq!(slot("s3", Low, Float32, 4, 3), (Some(3), 3, WordPart::Low));
        assert_eq!(slot("all", Both, Float32, 4, 3), (None, 3, WordPart::Both));
    }
}
