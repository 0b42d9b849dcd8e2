//! The symbol map of a program: its symbols by address with their sizes, and the room that the program takes.

use crate::image::{Image, SymbolKind};
use cp2_isa::Core;
use std::fmt::Write as _;

/// A row of the symbol map: a symbol of the program with its value and size.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SymbolEntry {
    /// Name of the symbol in the source.
    pub name: String,
    /// Kind of the symbol, which tells the unit of its value: bundle address, word address or number.
    pub kind: SymbolKind,
    /// True if the symbol is the name of a kernel and stands at its first bundle.
    pub is_kernel: bool,
    /// Value of the symbol: a bundle address, a word address or a number, as the kind tells.
    pub value: i64,
    /// Number of bundles or words from the symbol to the next label, or to the end of the kernel or the data that it
    /// lies in; of a kernel, all its bundles. `None` for a constant and for an address outside all of them.
    pub size: Option<u64>,
    /// True if `.global` exports the symbol or it is the name of a kernel.
    pub global: bool,
}

/// The symbol map of a program: all symbols, and the room that the program takes in instruction and local memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SymbolMap {
    /// Symbols of bundles first, then those of words, then constants; each group in ascending order of value, then by
    /// name.
    pub entries: Vec<SymbolEntry>,
    /// Number of bundles of the program, then the number that instruction memory has room for.
    pub bundles: [usize; 2],
    /// Number of words up to the end of the data in local memory, gaps included, then the number of words that local
    /// memory has in a section.
    pub words: [usize; 2],
}

impl SymbolMap {
    /// Creates the symbol map of an image; `core` tells the sizes of its memories.
    pub fn of(image: &Image, core: &Core) -> Self {
        let mut entries: Vec<SymbolEntry> = image
            .symbols
            .iter()
            .map(|s| SymbolEntry {
                name: s.name.clone(),
                kind: s.kind,
                is_kernel: s.kind == SymbolKind::Bundle && image.kernel(&s.name).is_some(),
                value: s.value,
                size: size(image, s.kind, s.value),
                global: s.global,
            })
            .collect();
        entries.sort_by(|a, b| (a.kind, a.value, &a.name).cmp(&(b.kind, b.value, &b.name)));
        for entry in entries.iter_mut().filter(|e| e.is_kernel) {
            entry.size = image.kernel(&entry.name).map(|k| k.words.len() as u64);
        }
        let bundles = image.kernels.iter().map(|k| k.words.len()).sum();
        let words = image.data.iter().map(|c| c.start.index() + c.words.len()).max();
        Self {
            entries,
            bundles: [bundles, core.iram_bundles()],
            words: [words.unwrap_or(0), core.lmem_words()],
        }
    }
}

/// Returns the size from a label to the next one, or to the end of the kernel or the data that hold it.
fn size(image: &Image, kind: SymbolKind, value: i64) -> Option<u64> {
    let kernels = image.kernels.iter().map(|k| (k.start.0, k.words.len()));
    let data = image.data.iter().map(|c| (c.start.0, c.words.len()));
    let parts: Vec<(u16, usize)> = match kind {
        SymbolKind::Bundle => kernels.collect(),
        SymbolKind::Word => data.collect(),
        SymbolKind::Constant => return None,
    };
    let ends =
        parts.iter().map(|&(start, length)| (i64::from(start), i64::from(start) + length as i64));
    let end = ends.filter(|(start, end)| (*start..*end).contains(&value)).map(|(_, end)| end).max();
    let labels = image.symbols.iter().filter(|s| s.kind == kind && s.value > value);
    let next = labels.map(|s| s.value).min();
    let end = end?;
    Some((next.map_or(end, |n| n.min(end)) - value) as u64)
}

impl std::fmt::Display for SymbolMap {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let [bundles, all_bundles] = self.bundles;
        let [words, all_words] = self.words;
        writeln!(f, "{bundles} of {all_bundles} bundles, {words} of {all_words} words")?;
        let width = self.entries.iter().map(|e| e.name.len()).max().unwrap_or(0).max(6);
        let mut text = String::new();
        for (kind, title) in [
            (SymbolKind::Bundle, "bundles"),
            (SymbolKind::Word, "words of local memory"),
            (SymbolKind::Constant, "constants"),
        ] {
            let mut entries = self.entries.iter().filter(|e| e.kind == kind).peekable();
            if entries.peek().is_none() {
                continue;
            }
            let _ =
                writeln!(text, "\n{title}\n  {:>8}  {:>6}  {:<width$}", "value", "size", "symbol");
            for e in entries {
                let size = e.size.map_or("-".to_owned(), |s| s.to_string());
                let what = match (e.is_kernel, e.global) {
                    (true, _) => "  kernel",
                    (false, true) => "  global",
                    (false, false) => "",
                };
                let line = format!("  {:>8}  {size:>6}  {:<width$}{what}", e.value, e.name);
                let _ = writeln!(text, "{}", line.trim_end());
            }
        }
        f.write_str(&text)
    }
}
