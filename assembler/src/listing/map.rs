//! The symbol map: what lies where, and how much room it takes.

use crate::image::{Image, SymbolKind};
use cp2_isa::Core;
use std::fmt::Write as _;

/// A symbol with its place and size.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SymbolEntry {
    /// Name of the symbol.
    pub name: String,
    /// Unit of the symbol's value.
    pub kind: SymbolKind,
    /// Whether a kernel begins at the symbol.
    pub is_kernel: bool,
    /// Bundle address, word address or number.
    pub value: i64,
    /// Bundles or words from the symbol to the next label or the end of what holds the symbol; none of a constant.
    pub size: Option<u64>,
    /// Exported by `.global`, or a kernel.
    pub global: bool,
}

/// The symbols of a program and the room that it takes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SymbolMap {
    /// Bundles first, then words, then constants; by value.
    pub entries: Vec<SymbolEntry>,
    /// Bundles of the program, and those that the core has room for.
    pub bundles: [usize; 2],
    /// The highest word that is given plus one, and the words of a section of local memory.
    pub words: [usize; 2],
}

impl SymbolMap {
    /// Creates the map of an image for a core.
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
