//! Values of a run where it stands: registers, operations under way, words of local memory by the labels of arrays.

use crate::breakpoint::BreakPlace;
use crate::debugger::Debugger;
use crate::error::DebugError;
use cp2_analysis::location::Location;
use cp2_analysis::words::value_text;
use cp2_asm::image::SymbolKind;
use cp2_isa::{Section, Storage, StorageCell, StorageShape};

/// Value with its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedValue {
    /// Name of the register, word or operation.
    pub name: String,
    /// Value as text.
    pub text: String,
}

/// Words of local memory from a label to the next one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LabelledWords {
    /// Label; `memory` for words before the first one.
    pub(crate) name: String,
    /// Address of the first word.
    pub(crate) first: usize,
    /// Number of words.
    pub(crate) count: usize,
}

/// Kinds of registers that the sections share, and that are shown.
const SHARED: [Storage; 14] = [
    Storage::Pc,
    Storage::Gpr,
    Storage::A,
    Storage::N,
    Storage::M,
    Storage::SharedA,
    Storage::Ireg,
    Storage::Rind,
    Storage::Rstep,
    Storage::Rmask,
    Storage::Control,
    Storage::Status,
    Storage::Comm,
    Storage::Stopcode,
];

/// Kinds of registers of each section, and that are shown.
const OF_SECTION: [Storage; 4] = [Storage::Fpr, Storage::SectionA, Storage::Fccr, Storage::Fcsr];

impl Debugger {
    /// Returns the registers that the sections share.
    pub fn shared_registers(&self) -> Vec<NamedValue> {
        SHARED.iter().flat_map(|&storage| self.registers(storage, Section::FIRST)).collect()
    }

    /// Returns the registers of a section.
    pub fn section_registers(&self, section: Section) -> Vec<NamedValue> {
        OF_SECTION.iter().flat_map(|&storage| self.registers(storage, section)).collect()
    }

    fn registers(&self, storage: Storage, section: Section) -> Vec<NamedValue> {
        let info = storage.info();
        let is_numbered =
            matches!(info.layout, StorageShape::Numbered | StorageShape::NumberedPerSection);
        let value = |number: usize| {
            let bits = self.state().get(StorageCell { storage, number, section });
            let bits = bits.unwrap_or_default();
            let name = match is_numbered {
                true => format!("{}{number}", info.name),
                false => info.name.to_owned(),
            };
            let text = match storage {
                Storage::Fpr => value_text(Location::fpr(number as u8, section), bits),
                Storage::Control | Storage::Status | Storage::Fcsr => format!("{bits:#x}"),
                Storage::Fccr => format!("{bits:#010b}"),
                _ => format!("{bits}"),
            };
            NamedValue { name, text }
        };
        (0..self.state().count(storage)).map(value).collect()
    }

    /// Returns the operations under way, the earliest first: those that have issued and whose results are not written yet.
    ///
    /// # Errors
    /// The recording is damaged.
    pub fn pipeline(&mut self) -> Result<Vec<NamedValue>, DebugError> {
        let here = self.cycle();
        let [begin, _] = self.ends();
        let longest = u64::from(self.core().latencies().longest());
        let from = begin + here.saturating_since(begin).saturating_sub(longest);
        let window = self.parts().0.window(from..here)?;
        let operations = window.cycles.into_iter().flat_map(|cycle| cycle.operations);
        let under_way = operations.filter_map(|operation| {
            let written = operation.write_cycle.filter(|written| *written >= here)?;
            let text = format!("issued in cycle {}, written in {written}", operation.cycle);
            Some(NamedValue { name: operation.text, text })
        });
        Ok(under_way.collect())
    }

    /// Returns the text of a value that was written where the breakpoint with this number watches.
    pub(crate) fn written_text(&self, number: u32, value: u64) -> String {
        let breakpoint = self.breakpoints().iter().find(|known| known.number == number);
        match breakpoint.map(|breakpoint| &breakpoint.place) {
            Some(BreakPlace::Write(operand)) => operand.text(value),
            _ => format!("{value:#x}"),
        }
    }

    /// Returns the active hardware loops, the innermost last.
    pub fn loops(&self) -> Vec<NamedValue> {
        let of = |(place, active): (usize, &cp2_isa::rules::flow::ActiveLoop)| NamedValue {
            name: format!("loop {place}"),
            text: format!(
                "{} turns left, bundles {} to {}",
                active.count.max(1),
                active.start,
                active.end.0 + 1
            ),
        };
        self.state().loops.iter().enumerate().map(of).collect()
    }

    /// Returns the labels of local memory with the words from each to the next.
    pub(crate) fn labelled_words(&self) -> Vec<LabelledWords> {
        let count = self.state().count(Storage::Lmem);
        let symbols = self.image_in(self.cycle()).map_or(&[][..], |image| &image.symbols);
        let mut labels: Vec<(usize, String)> = symbols
            .iter()
            .filter(|symbol| symbol.kind == SymbolKind::Word)
            .filter_map(|symbol| Some((usize::try_from(symbol.value).ok()?, symbol.name.clone())))
            .filter(|(first, _)| *first < count)
            .collect();
        labels.sort();
        labels.dedup_by_key(|(first, _)| *first);
        if labels.first().is_none_or(|(first, _)| *first > 0) {
            labels.insert(0, (0, "memory".to_owned()));
        }
        let ends = labels.iter().skip(1).map(|(first, _)| *first).chain([count]);
        let ends: Vec<usize> = ends.collect();
        let words = labels.into_iter().zip(ends);
        words
            .map(|((first, name), end)| LabelledWords { name, first, count: end - first })
            .collect()
    }

    /// Returns the words of local memory of all sections from an address on, a row for each, with their names in brackets.
    pub(crate) fn words(&mut self, first: usize, count: usize) -> Vec<NamedValue> {
        let names = self.word_names();
        let last = self.state().lmem.len().min(first.saturating_add(count));
        let row = |number| {
            let sections = self.word_sections(number)?;
            let text: Vec<String> = sections.into_iter().map(|section| section.text).collect();
            let name = names.name(number..number + 1, None);
            let name = name.map_or(String::new(), |name| format!(" ({name})"));
            Some(NamedValue { name: format!("[{number}]{name}"), text: text.join("  ") })
        };
        (first..last).filter_map(row).collect()
    }

    /// Returns a word of local memory in each section, under the name by which it is watched; `None` behind the end of local memory.
    pub(crate) fn word_sections(&self, number: usize) -> Option<Vec<NamedValue>> {
        let word = self.state().lmem.get(number)?;
        let of_section = |section: Section| {
            let location = Location::Word(cp2_isa::WordAddress(number as u16), section);
            NamedValue {
                name: format!("[{number}].s{section}"),
                text: value_text(location, word[section.index()]),
            }
        };
        Some(Section::ALL.into_iter().map(of_section).collect())
    }
}
