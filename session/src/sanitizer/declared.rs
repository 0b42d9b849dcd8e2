//! Words and registers that belong to a program before it runs: arrays and data, what has been written, and the names
//! of words.

use super::mask::{self, EVERYWHERE, Mask};
use super::shadow::{Scalar, Shadow};
use crate::arrays::{LaidArray, PlacedArray, Ready};
use cp2_asm::image::{Image, SymbolKind};
use cp2_asm::interface::{ArgumentRegister, ArrayDirection, ElementPosition, Half, WordPart};
use cp2_isa::{Halves, SECTIONS, Storage, WordAddress};

/// Words of local memory that belong to the program: arrays, data, and words that were given.
#[derive(Clone, Debug, Default)]
pub(super) struct Declared {
    /// Whether stores to words that do not belong to the program are found fault with.
    pub(super) is_ranged: bool,
    /// Sections in which each word belongs to the program, a bit each.
    words: Vec<u8>,
    arrays: Vec<LaidArray>,
    /// Arrays that the caller takes after the run, by name.
    results: Vec<(String, PlacedArray)>,
}

/// An element of an array that the kernel declares, and where it lies in local memory. A [`Finding`](super::Finding)
/// may be about one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Element {
    /// Name by which the kernel declares the array.
    pub array: String,
    /// Index of the element along each axis, from 0.
    pub index: Vec<usize>,
    /// Number of the section that has the element, from 0; `None` if every section has it.
    pub section: Option<usize>,
    /// Word address in local memory of the word that has the element.
    pub word: usize,
}

impl std::fmt::Display for Element {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let index: Vec<String> = self.index.iter().map(usize::to_string).collect();
        write!(f, "{}[{}]", self.array, index.join(", "))
    }
}

impl Declared {
    /// Creates the declared words of an image, on a core with `words` words of local memory; all data count as written.
    pub(super) fn new(image: &Image, words: usize, shadow: &mut Shadow) -> Self {
        let mut declared = Self { words: vec![0; words], ..Self::default() };
        for chunk in &image.data {
            let sections = chunk.section.map_or(EVERYWHERE, |s| 1 << s);
            for word in (chunk.start.index()..words).take(chunk.words.len()) {
                declared.words[word] |= sections;
                shadow.define_word(word, mask::of_sections(sections));
            }
        }
        declared
    }

    /// Takes what was given for a run: arrays that are loaded and registers that are set are written, those that the
    /// kernel is to write are not.
    pub(super) fn take(&mut self, image: &Image, ready: &Ready, shadow: &mut Shadow) {
        for laid in &ready.laid {
            self.leave_space(image, &laid.placed);
        }
        self.is_ranged = ready.is_all_laid && !ready.laid.is_empty();
        let is_read = |laid: &&LaidArray| laid.direction != ArrayDirection::Out;
        for out in ready.laid.iter().filter(|laid| !is_read(laid)) {
            for word in out.placed.range() {
                let mut read = ready.laid.iter().filter(is_read);
                if !read.any(|other| other.placed.range().contains(&word)) {
                    shadow.unwrite(word, sections_of(&out.placed));
                }
            }
        }
        for placed in ready.laid.iter().map(|laid| &laid.placed).chain(&ready.loaded) {
            for word in placed.range() {
                self.words[word] |= mask::sections(sections_of(placed));
            }
        }
        for placed in &ready.loaded {
            placed.range().for_each(|word| shadow.define_word(word, sections_of(placed)));
        }
        ready.registers.iter().for_each(|register| define(shadow, register));
        self.arrays.clone_from(&ready.laid);
        let taken = ready.laid.iter().filter(|laid| laid.direction != ArrayDirection::In);
        self.results = taken.map(|laid| (laid.name.clone(), laid.placed.clone())).collect();
        for store in &ready.stores {
            let name = store.transfer.target.to_string();
            if self.results.iter().all(|(other, _)| *other != name) {
                self.results.push((name, store.placed.clone()));
            }
        }
    }

    /// Takes the space behind an array, up to the next label, out of the words that stores may reach.
    fn leave_space(&mut self, image: &Image, placed: &PlacedArray) {
        let labels = image.symbols.iter().filter(|s| s.kind == SymbolKind::Word);
        let labels: Vec<usize> = labels.filter_map(|s| usize::try_from(s.value).ok()).collect();
        if labels.contains(&placed.base) {
            let next = labels.iter().copied().filter(|label| *label > placed.base).min();
            let end = next.unwrap_or(self.words.len()).min(self.words.len());
            self.words.iter_mut().take(end).skip(placed.range().end).for_each(|word| *word = 0);
        }
    }

    /// Marks a word as written before the run, in sections, and as one that belongs to the program.
    pub(super) fn give_word(&mut self, word: usize, quarters: Mask, shadow: &mut Shadow) {
        if let Some(sections) = self.words.get_mut(word) {
            *sections |= mask::sections(quarters);
            shadow.define_word(word, quarters);
        }
    }

    /// Whether a word belongs to the program, in one of these sections.
    pub(super) fn has(&self, word: WordAddress, sections: u8) -> bool {
        !self.is_ranged || self.words[word.index()] & sections != 0
    }

    /// Returns the name of a word: that of an element in it, or else of what is near.
    pub(super) fn name(&self, image: &Image, word: WordAddress, section: usize) -> Option<String> {
        let word = word.index();
        if let Some(element) = self.element(word, section) {
            return Some(element.to_string());
        }
        if self.words.get(word).is_some_and(|sections| *sections != 0) {
            let labels = image.symbols.iter().filter(|s| s.kind == SymbolKind::Word);
            let before = labels.filter_map(|s| Some((usize::try_from(s.value).ok()?, &s.name)));
            let (at, name) = before.filter(|(at, _)| *at <= word).max_by_key(|(at, _)| *at)?;
            return Some(if at == word { name.clone() } else { format!("{name} + {}", word - at) });
        }
        let distance = |laid: &&LaidArray| {
            let range = laid.placed.range();
            if word < range.start { range.start - word } else { word + 1 - range.end }
        };
        let near =
            self.arrays.iter().filter(|laid| laid.placed.words() > 0).min_by_key(distance)?;
        let is_behind = word >= near.placed.range().end;
        let (n, side) =
            (distance(&near), if is_behind { "after the end" } else { "before the start" });
        let plural = if n == 1 { "" } else { "s" };
        Some(format!("{n} word{plural} {side} of {}", near.name))
    }

    /// Returns the first element that begins in a word.
    pub(super) fn element(&self, word: usize, section: usize) -> Option<Element> {
        let array = self.arrays.iter().find(|laid| {
            laid.placed.range().contains(&word) && laid.placed.layout.has_section(section)
        })?;
        let is_here = |slot: &ElementPosition| {
            array.placed.base + slot.word == word && slot.section.is_none_or(|s| s == section)
        };
        let found = array.placed.slots().enumerate().find(|(_, slot)| is_here(slot))?;
        Some(element(&array.name, &array.placed, found))
    }

    /// Returns the arrays that the caller takes and that have undefined elements: the number of these, the number of
    /// all elements, the first undefined one, and its undefined quarters.
    pub(super) fn undefined_results(&self, shadow: &Shadow) -> Vec<(usize, usize, Element, Mask)> {
        let of = |(name, placed): &(String, PlacedArray)| {
            let slots = || placed.slots().enumerate();
            let undefined = |slot: &ElementPosition| {
                let part = match slot.part {
                    WordPart::Whole | WordPart::Both => mask::ALL,
                    WordPart::High => mask::HI,
                    WordPart::Low => mask::LO,
                };
                let sections = slot.section.map_or(EVERYWHERE, |s| 1 << s);
                let word = placed.base + slot.word;
                shadow.memory.get(word).map_or(0, |held| held & part & mask::of_sections(sections))
            };
            let mut found = slots().filter(|(_, slot)| undefined(slot) != 0);
            let (first, slot) = found.next()?;
            Some((
                1 + found.count(),
                placed.count(),
                element(name, placed, (first, slot)),
                undefined(&slot),
            ))
        };
        self.results.iter().filter_map(of).collect()
    }
}

/// Returns the quarters of a word in the sections in which an array lies.
fn sections_of(placed: &PlacedArray) -> Mask {
    let sections = (0..SECTIONS).filter(|s| placed.layout.has_section(*s));
    mask::of_sections(sections.fold(0, |all, s| all | 1 << s))
}

/// Returns an element by its number in C order and its position.
fn element(
    name: &str,
    placed: &PlacedArray,
    (number, ElementPosition { section, word, .. }): (usize, ElementPosition),
) -> Element {
    let mut rest = number;
    let mut index: Vec<usize> = Vec::new();
    for &size in placed.shape.iter().rev() {
        index.push(rest % size.max(1));
        rest /= size.max(1);
    }
    index.reverse();
    Element { array: name.to_owned(), index, section, word: placed.base + word }
}

/// Marks a register as set before the run.
fn define(shadow: &mut Shadow, register: &ArgumentRegister) {
    let halves = match register.half {
        None => Halves::BOTH,
        Some(Half::High) => Halves::HI,
        Some(Half::Low) => Halves::LO,
    };
    let quarters = mask::of_halves(halves);
    shadow.define(register.storage, register.number, EVERYWHERE, quarters);
}

impl Shadow {
    /// Marks quarters of a register as set before the run, in sections.
    pub(super) fn define(&mut self, storage: Storage, n: usize, sections: u8, quarters: Mask) {
        match storage {
            Storage::Fpr => {
                if let Some(shade) = self.fpr.get_mut(n) {
                    shade.undefined &= !(mask::of_sections(sections) & quarters);
                }
            }
            Storage::Fccr => self.codes.iter_mut().for_each(|code| code.never &= !sections),
            Storage::SectionA => {
                let places = self.scalars.sa.get_mut(n).into_iter().flatten().enumerate();
                places.filter(|(s, _)| sections >> s & 1 == 1).for_each(|(_, a)| a.define());
            }
            _ => {
                if let Some(scalar) = self.scalar(storage, n) {
                    scalar.define();
                }
            }
        }
    }

    /// Returns a register that the sections share; none for those that count as written in any case.
    pub(super) fn scalar(&mut self, storage: Storage, n: usize) -> Option<&mut Scalar> {
        match storage {
            Storage::Gpr => self.scalars.gpr.get_mut(n),
            Storage::Ireg => self.scalars.ireg.get_mut(n),
            Storage::A => self.scalars.a.get_mut(n),
            Storage::N => self.scalars.n.get_mut(n),
            Storage::M => self.scalars.m.get_mut(n),
            Storage::Rind => Some(&mut self.scalars.rind),
            Storage::Rstep => Some(&mut self.scalars.rstep),
            Storage::Rmask => Some(&mut self.scalars.rmask),
            Storage::SharedA => self.scalars.qa.get_mut(n),
            Storage::Shared => self.shared.get_mut(n),
            _ => None,
        }
    }
}
