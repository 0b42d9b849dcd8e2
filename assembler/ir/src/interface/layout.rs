//! How the elements of an array lie in local memory: which sections have which of them, and in which
//! word and half. `specs/src/data.md` has a worked example of each.

use cp2_isa::SECTIONS;
use std::fmt;
use std::num::NonZeroUsize;

/// The type of the content of a word or half a word of local memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ElementType {
    /// A float in single precision, 32 bits.
    Float32,
    /// A complex number: two numbers of single precision, the real part in the high half.
    Complex64,
    /// An integer with a sign, 32 bits.
    Int32,
    /// An integer without a sign, 32 bits.
    Uint32,
    /// An integer with a sign, 64 bits.
    Int64,
    /// An integer without a sign, 64 bits.
    Uint64,
}

impl ElementType {
    /// All types.
    pub const ALL: [Self; 6] =
        [Self::Float32, Self::Complex64, Self::Int32, Self::Uint32, Self::Int64, Self::Uint64];

    /// Returns the name of the type, which is NumPy's.
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

    /// Returns the element of this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|element| element.name() == name)
    }

    /// Whether the element is a whole number.
    pub const fn is_whole(self) -> bool {
        !matches!(self, Self::Float32 | Self::Complex64)
    }

    /// Whether the element takes half a word.
    pub const fn is_half(self) -> bool {
        matches!(self, Self::Float32 | Self::Int32 | Self::Uint32)
    }
}

/// The distribution of the elements of an array over the sections.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Spread {
    /// Every section has all elements.
    All,
    /// The section with this number has all elements.
    Section(u8),
    /// Section s has the s-th quarter of the elements.
    Blocks,
    /// Chunks of so many elements go to the sections in turn.
    Interleaved(NonZeroUsize),
}

/// The packing of elements of 32 bits into words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Packing {
    /// Two elements in a word, the first in the high half.
    Pairs,
    /// A single element in a word, in the low half; the high half is 0.
    Low,
    /// A single element in a word, in the high half; the low half is 0.
    High,
    /// A single element in a word, in both halves.
    Both,
}

impl Packing {
    /// All packings.
    pub const ALL: [Self; 4] = [Self::Pairs, Self::Low, Self::High, Self::Both];

    /// Returns the word for the packing in a source.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Pairs => "pairs",
            Self::Low => "low",
            Self::High => "high",
            Self::Both => "both",
        }
    }

    /// Returns the packing of this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|packing| packing.name() == name)
    }
}

impl Spread {
    /// The forms in which a distribution can be written, for messages.
    pub const FORMS: &str = "all, blocks, interleaved, interleaved/N, s0 to s3";

    /// Returns the distribution that is written so.
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

/// Part of a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum WordPart {
    /// The whole word.
    Whole,
    /// Bits 63:32.
    High,
    /// Bits 31:0.
    Low,
    /// The two halves of the word, which are equal.
    Both,
}

/// The place of an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ElementPosition {
    /// Section of the element; `None` if every section has it.
    pub section: Option<usize>,
    /// Word of the element, from the beginning of the array.
    pub word: usize,
    /// Part of the word that the element has.
    pub part: WordPart,
}

/// The layout of the elements of an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Layout {
    /// Distribution of the elements over the sections.
    pub spread: Spread,
    /// Packing of the elements into words; elements of 64 bits fill a word in any case.
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
    /// Whether so many elements can have this layout: those of `blocks` make four equal ones.
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

    /// Returns the number of words that so many elements take in a section, those that some section does not fill included.
    pub fn words(&self, element: ElementType, count: usize) -> usize {
        let positions = self.positions(count);
        if element.is_half() && self.packing == Packing::Pairs {
            positions.div_ceil(2)
        } else {
            positions
        }
    }

    /// Returns the place of element `index` of `count` elements.
    pub fn slot(&self, element: ElementType, count: usize, index: usize) -> ElementPosition {
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
        ElementPosition { section, word, part }
    }

    /// Whether a section holds a part of the array.
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
                            .map(|i| layout.slot(element, count, i))
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
            let ElementPosition { section, word, part } = layout.slot(element, count, index);
            (section, word, part)
        };
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
