//! Images as source text that assembles to the same image.

use crate::image::{Chunk, Image, Kernel, Symbol, SymbolKind};
use crate::names;
use crate::structure;
use cp2_isa::{BundleAddress, BundleBits, Core, decode, encode};
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::fmt::Write as _;

/// Zero words in a row from which on `.zero` is shorter.
const ZERO_RUN: usize = 8;
/// Column of the comments.
const COMMENT: usize = 48;

/// Returns an image as source text for a core. The text assembles to the same bundles, kernels and data. A symbol whose
/// name an earlier one has already, or that the assembler would not accept, becomes a comment.
pub fn disassemble(image: &Image, core: &Core) -> String {
    let mut writer = Text::new(image, core);
    writer.constants();
    for kernel in &image.kernels {
        writer.kernel(kernel);
    }
    for chunk in &image.data {
        writer.chunk(chunk);
    }
    writer.rest();
    writer.out
}

struct Text<'a> {
    image: &'a Image,
    core: Core,
    out: String,
    /// Symbols that can be defined, each name once, in their order.
    symbols: Vec<&'a Symbol>,
    /// Symbols that can be defined, by kind and value.
    places: BTreeMap<(SymbolKind, i64), Vec<&'a Symbol>>,
    written: HashSet<&'a str>,
    broken: BTreeMap<BundleAddress, BTreeSet<&'static str>>,
    section: Option<Option<u8>>,
}

impl<'a> Text<'a> {
    fn new(image: &'a Image, core: &Core) -> Self {
        let mut taken: HashSet<&str> = image.kernels.iter().map(|k| k.name.as_str()).collect();
        let symbols: Vec<&Symbol> = image
            .symbols
            .iter()
            .filter(|s| names::is_symbol_name(&s.name) && taken.insert(&s.name))
            .collect();
        let mut broken: BTreeMap<BundleAddress, BTreeSet<&'static str>> = BTreeMap::new();
        for violation in structure::violations(image, core) {
            broken.entry(violation.address).or_default().insert(violation.code);
        }
        let mut places: BTreeMap<_, Vec<&Symbol>> = BTreeMap::new();
        for &symbol in &symbols {
            places.entry((symbol.kind, symbol.value)).or_default().push(symbol);
        }
        let (out, written, section) = (String::new(), HashSet::new(), None);
        Self { image, core: *core, out, symbols, places, written, broken, section }
    }

    fn line(&mut self, text: &str) {
        let _ = writeln!(self.out, "{text}");
    }

    fn global(&mut self, symbol: &'a Symbol) {
        self.written.insert(&symbol.name);
        if symbol.global {
            self.line(&format!(".global {}", symbol.name));
        }
    }

    fn constants(&mut self) {
        for symbol in self.symbols.clone() {
            if symbol.kind == SymbolKind::Constant {
                self.line(&format!(".equ {}, {}", symbol.name, symbol.value));
                self.global(symbol);
            }
        }
    }

    /// Writes the labels of an address that are still to be written.
    fn labels(&mut self, kind: SymbolKind, address: usize) {
        let here = self.places.get(&(kind, address as i64)).cloned().unwrap_or_default();
        for symbol in here {
            if !self.written.contains(symbol.name.as_str()) {
                self.line(&format!("{}:", symbol.name));
                self.global(symbol);
            }
        }
    }

    fn kernel(&mut self, kernel: &'a Kernel) {
        let name = &kernel.name;
        let name = if names::is_symbol_name(name) {
            name.clone()
        } else {
            format!("kernel_{}", kernel.start)
        };
        let _ = write!(self.out, "\n.kernel {name}\n.org {}\n", kernel.start);
        if let Some(live) = self.image.hints.live_out.get(&kernel.name) {
            let list: Vec<_> = live.iter().map(|r| format!("f{r}")).collect();
            self.line(format!(".live {}", list.join(", ")).trim_end());
        }
        if let Some(interface) = self.image.interfaces.get(&kernel.name) {
            let _ = write!(self.out, "{interface}");
        }
        let mut bank = None;
        for (address, word) in kernel.bundles() {
            self.labels(SymbolKind::Bundle, address.index());
            let here = self.image.hints.dma_banks.get(&address).copied();
            if let Some(banks) = here.filter(|_| here != bank) {
                self.dma_banks(banks);
                bank = here;
            }
            self.bundle(address, word);
        }
        self.labels(SymbolKind::Bundle, kernel.start.index() + kernel.words.len());
    }

    fn dma_banks(&mut self, banks: u8) {
        let which = match banks {
            0 => "none".to_owned(),
            all if all == self.core.bank_mask() => names::all_banks(&self.core).to_owned(),
            one => one.trailing_zeros().to_string(),
        };
        self.line(&format!(".dmabank {which}"));
    }

    fn bundle(&mut self, address: BundleAddress, word: BundleBits) {
        let mut codes = self.broken.remove(&address).unwrap_or_default();
        let mut comment = format!("{address:4}");
        let text = match decode(word, &self.core) {
            Ok(bundle) if encode(&bundle) == word => {
                if let Some(label) = bundle.exch.target().and_then(|to| self.label(to)) {
                    let _ = write!(comment, " -> {label}");
                }
                bundle.to_string()
            }
            Ok(bundle) => {
                let _ = write!(comment, " unused bits set in `{bundle}`");
                raw(word)
            }
            Err(undefined) => {
                codes.insert("C0310");
                let _ = write!(comment, " undefined: {undefined}");
                raw(word)
            }
        };
        let mut codes: BTreeSet<&str> = codes;
        let hints = self.image.hints.allowed.get(&address);
        codes.extend(
            hints
                .into_iter()
                .flat_map(|codes| codes.iter())
                .map(String::as_str)
                .filter(|c| crate::codes::allowable(c).is_ok()),
        );
        let text = match codes.is_empty() {
            true => text,
            false => format!(
                "{text} @allow({})",
                codes.into_iter().map(allowed).collect::<Vec<_>>().join(", ")
            ),
        };
        let _ = writeln!(self.out, "    {text:<COMMENT$} ; {comment}");
    }

    /// Returns the label of a bundle.
    fn label(&self, address: BundleAddress) -> Option<&'a str> {
        let value = i64::from(address);
        let label = self.places.get(&(SymbolKind::Bundle, value)).and_then(|s| s.first());
        let kernel = || self.image.kernels.iter().find(|k| i64::from(k.start) == value);
        label.map(|s| s.name.as_str()).or_else(|| kernel().map(|k| k.name.as_str()))
    }

    fn lmem(&mut self, section: Option<u8>, address: usize) {
        if self.section != Some(section) {
            self.section = Some(section);
            let which = section.map_or("all".to_owned(), |s| s.to_string());
            let _ = write!(self.out, "\n.lmem {which}\n");
        }
        self.line(&format!(".org {address}"));
    }

    fn chunk(&mut self, chunk: &'a Chunk) {
        let start = chunk.start.index();
        self.lmem(chunk.section, start);
        let mut i = 0;
        while i < chunk.words.len() {
            self.labels(SymbolKind::Word, start + i);
            let until = self
                .next_label(start + i)
                .map_or(chunk.words.len(), |a| (a - start).min(chunk.words.len()));
            let words = &chunk.words[i..until];
            let zeros = words.iter().take_while(|w| **w == 0).count();
            if zeros >= ZERO_RUN {
                self.line(&format!("    .zero {zeros}"));
                i += zeros;
            } else {
                let words = &words[..words.len().min(4)];
                let list: Vec<_> = words.iter().map(|w| format!("0x{w:016x}")).collect();
                self.line(&format!("    .quad {}", list.join(", ")));
                i += words.len();
            }
        }
    }

    /// Returns the next address with a label of local memory.
    fn next_label(&self, after: usize) -> Option<usize> {
        let from = (SymbolKind::Word, after as i64 + 1);
        let next = self.places.range(from..=(SymbolKind::Word, i64::MAX)).next();
        next.and_then(|((_, address), _)| usize::try_from(*address).ok())
    }

    /// Writes the symbols that no bundle and no data stand at.
    fn rest(&mut self) {
        for symbol in self.symbols.clone() {
            if self.written.contains(symbol.name.as_str()) {
                continue;
            }
            match (symbol.kind, usize::try_from(symbol.value)) {
                (SymbolKind::Word, Ok(address)) if address < self.core.lmem_words() => {
                    self.lmem(None, address);
                    self.labels(SymbolKind::Word, address);
                }
                _ => {
                    self.line(&format!(".equ {}, {}", symbol.name, symbol.value));
                    self.global(symbol);
                }
            }
        }
        for symbol in &self.image.symbols {
            if !self.symbols.iter().any(|s| s.name == symbol.name)
                && self.image.kernel(&symbol.name).is_none()
            {
                self.line(&format!("; {} = {}", symbol.name, symbol.value));
            }
        }
    }
}

/// Returns a bundle as a number, or as those of its two words.
fn raw(word: BundleBits) -> String {
    let low = format!(".bundle 0x{:016x}", word as u64);
    match word >> 64 {
        0 => low,
        upper => format!("{low}, 0x{upper:x}"),
    }
}

/// Returns a code as `@allow` takes it; objects do not keep the reasons that sources give.
fn allowed(code: &str) -> String {
    let needs_reason =
        crate::codes::find(code).is_some_and(|row| row.tool == crate::codes::Tool::Sanitizer);
    if needs_reason { format!("{code} \"allowed in the source\"") } else { code.to_owned() }
}
