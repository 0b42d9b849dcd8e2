//! What a program is once it is assembled: bundles and data with their addresses, symbols and
//! source lines. Object files are written from it and read into it.

use crate::interface::Interface;
use crate::promises::Promises;
use cp2_isa::{BundleAddress, BundleBits, Core, Extensions, Resource, WordAddress};
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

pub use crate::place::SourcePosition;

/// An assembled program. Every address is final: bundles count from IRAM 0, words from LMEM 0.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Image {
    /// Kernels in ascending order of address; they do not overlap.
    pub kernels: Vec<Kernel>,
    /// Initial contents of local memory in ascending order of section (all first) and address;
    /// no word is given twice, neighbouring words stand in one chunk.
    pub data: Vec<Chunk>,
    /// Symbols, the local ones first, in the order of their definition.
    pub symbols: Vec<Symbol>,
    /// Source files that the lines refer to.
    pub files: Vec<String>,
    /// Source place of each bundle that came from one, by address.
    pub lines: BTreeMap<BundleAddress, SourcePosition>,
    /// Source place of the exchange operation of each bundle whose two operations come from different lines, and of
    /// each `do` that a `.loop` became, by address.
    pub exchange_lines: BTreeMap<BundleAddress, SourcePosition>,
    /// Notes for the linter.
    pub hints: Hints,
    /// Declarations of kernels, by name; kernels that declare nothing are absent.
    pub interfaces: BTreeMap<String, Interface>,
    /// Promises on which linear code relies, in ascending order of address.
    pub promises: Vec<Promises>,
    /// Extensions that a core needs to run the image.
    pub requires: Extensions,
}

/// A run of bundles with a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kernel {
    /// Name, unique in the image.
    pub name: String,
    /// Address of the first bundle; a run enters here.
    pub start: BundleAddress,
    /// The bundles.
    pub words: Vec<BundleBits>,
}

/// A run of words in local memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chunk {
    /// The section, or all of them.
    pub section: Option<u8>,
    /// Address of the first word.
    pub start: WordAddress,
    /// The words.
    pub words: Vec<u64>,
}

/// The unit of a symbol's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum SymbolKind {
    /// A bundle address.
    Bundle,
    /// A word address in local memory.
    Word,
    /// A number.
    Constant,
}

/// A named value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Symbol {
    /// Name.
    pub name: String,
    /// Value, in the unit that the kind tells.
    pub value: i64,
    /// Unit of the value.
    pub kind: SymbolKind,
    /// Exported by `.global`.
    pub global: bool,
}

/// Notes of the source for the linter. Not part of the machine program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hints {
    /// Codes of lints that are deliberate at a bundle; bundles with the same ones share them.
    pub allowed: BTreeMap<BundleAddress, Arc<[String]>>,
    /// FPRs whose values count after the kernel of this name stops; all for a kernel that is absent here.
    pub live_out: BTreeMap<String, Vec<u8>>,
    /// Banks that the DMA may use while a bundle issues, a bit for each.
    pub dma_banks: BTreeMap<BundleAddress, u8>,
}

/// Returns the chunks in the order of section (all first) and address, with neighbours joined.
pub fn merged(mut chunks: Vec<Chunk>) -> Vec<Chunk> {
    chunks.sort_by_key(|c| (c.section, c.start));
    let mut out: Vec<Chunk> = Vec::new();
    for chunk in chunks {
        match out.last_mut() {
            Some(last)
                if last.section == chunk.section
                    && last.start.index() + last.words.len() == chunk.start.index() =>
            {
                last.words.extend(chunk.words);
            }
            _ => out.push(chunk),
        }
    }
    out
}

impl Kernel {
    /// Returns the places of instruction memory that the kernel takes.
    pub fn range(&self) -> Range<usize> {
        let start = self.start.index();
        start..start + self.words.len()
    }

    /// Whether the kernel has a place in common with another one.
    pub fn overlaps(&self, other: &Self) -> bool {
        let (a, b) = (self.range(), other.range());
        a.start < b.end && b.start < a.end
    }

    /// Returns the bundles of the kernel with their addresses, as far as instruction memory can reach.
    pub fn bundles(&self) -> impl Iterator<Item = (BundleAddress, BundleBits)> {
        (self.start.0..=u16::MAX).map(BundleAddress).zip(self.words.iter().copied())
    }
}

impl Image {
    /// Returns the extensions that the bundles belong to. The image may require more: what no operation shows. A word that is
    /// kept as undefined belongs to none, but for the place of its upper word.
    pub fn used(&self) -> Extensions {
        let words = self.kernels.iter().flat_map(|k| &k.words);
        let is_wide = words.into_iter().any(|word| word >> 64 != 0);
        let width = if is_wide { Extensions::MORE_FPRS } else { Extensions::empty() };
        width | self.defined().map(cp2_isa::extensions_of).collect()
    }

    /// Returns the bundles that are not kept as undefined words by `@allow(C0310)`.
    fn defined(&self) -> impl Iterator<Item = BundleBits> {
        let is_kept =
            |at| self.hints.allowed.get(&at).is_some_and(|all| all.iter().any(|c| c == "C0310"));
        let bundles = self.kernels.iter().flat_map(Kernel::bundles);
        bundles.filter(move |&(at, _)| !is_kept(at)).map(|(_, word)| word)
    }

    /// Returns the highest number of an FPR that a bundle names; words that are kept as undefined name none.
    pub fn last_fpr(&self) -> Option<u8> {
        let mut last = None;
        for bundle in self.defined().filter_map(|word| cp2_isa::decode(word, &Core::WIDEST).ok()) {
            bundle.footprint(&mut |access| {
                if let Resource::Fpr(number, _) = access.resource {
                    last = last.max(Some(number));
                }
            });
        }
        last
    }

    /// Returns the kernel of this name.
    pub fn kernel(&self, name: &str) -> Option<&Kernel> {
        self.kernels.iter().find(|k| k.name == name)
    }

    /// Returns the kernel that covers a bundle address.
    pub fn kernel_at(&self, address: BundleAddress) -> Option<&Kernel> {
        let index = self.kernels.partition_point(|k| k.start <= address);
        let kernel = &self.kernels[index.checked_sub(1)?];
        (usize::from(address - kernel.start) < kernel.words.len()).then_some(kernel)
    }

    /// Returns the word at a bundle address, if some kernel covers it.
    pub fn word(&self, address: BundleAddress) -> Option<BundleBits> {
        let kernel = self.kernel_at(address)?;
        kernel.words.get(usize::from(address - kernel.start)).copied()
    }

    /// Returns the value of a symbol; a global one is preferred.
    pub fn symbol(&self, name: &str) -> Option<i64> {
        let named = || self.symbols.iter().filter(|s| s.name == name);
        named().find(|s| s.global).or_else(|| named().next()).map(|s| s.value)
    }
}
