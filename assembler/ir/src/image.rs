//! Assembled programs: bundles and data with their addresses, symbols and source lines. Object files are written from
//! an [`Image`] and read into one.

use crate::interface::Interface;
use crate::promises::Promises;
use cp2_isa::{BundleAddress, BundleBits, Core, Extensions, Resource, WordAddress};
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

pub use crate::place::SourcePosition;

/// An assembled program: kernels of bundles for instruction memory and data for local memory, with final addresses, and
/// what the source says about them. The assembler makes it from source, the readers of object and `.hex` files from a
/// file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Image {
    /// Kernels in ascending order of address; they do not overlap.
    pub kernels: Vec<Kernel>,
    /// Initial contents of local memory in ascending order of section (chunks for all sections first) and address. No
    /// word is given twice, and neighbouring words stand in one chunk.
    pub data: Vec<Chunk>,
    /// Symbols, those that are not global first, each group in the order of definition.
    pub symbols: Vec<Symbol>,
    /// Names of the source files; source positions hold an index into this list.
    pub files: Vec<String>,
    /// Source position of each bundle that comes from a line of source, by bundle address.
    pub lines: BTreeMap<BundleAddress, SourcePosition>,
    /// Source position of the exchange operation by bundle address, where it differs from that in [`Image::lines`]: in
    /// bundles whose two operations come from different lines, and at each `do` that the scheduler made of a `.loop`.
    pub exchange_lines: BTreeMap<BundleAddress, SourcePosition>,
    /// Source positions of operations of linear code whose work the exchange operation of a bundle does beside that of its own line, by bundle
    /// address: the second of two loads that are one double load, the second of two moves that are one permutation.
    pub merged_lines: BTreeMap<BundleAddress, Vec<SourcePosition>>,
    /// Source positions of the macro calls through which a bundle came, by bundle address: the outermost call of either
    /// operation first, each position once. Bundles that stand in a file as they are are absent.
    pub calls: BTreeMap<BundleAddress, Vec<SourcePosition>>,
    /// Notes of the source that only the linter reads: silenced codes, FPRs that hold results, banks that the DMA
    /// channel may use.
    pub hints: Hints,
    /// Declared arguments and arrays of kernels, by the name of the kernel; kernels that declare nothing are absent.
    pub interfaces: BTreeMap<String, Interface>,
    /// Promises on which regions of linear code rely, an entry for each region, in ascending order of address.
    pub promises: Vec<Promises>,
    /// Extensions of CP2 that a core needs to run the image.
    pub requires: Extensions,
}

/// A kernel: consecutive bundles of instruction memory with a name, which a host starts at the first one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kernel {
    /// Name of the kernel, unique in the image.
    pub name: String,
    /// Address of the kernel's first bundle, at which a run begins.
    pub start: BundleAddress,
    /// Encoded bundles of the kernel in ascending order of address.
    pub words: Vec<BundleBits>,
}

/// Consecutive words of local memory with their initial values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chunk {
    /// Number of the section, from 0, that gets the words; `None` if every section gets them.
    pub section: Option<u8>,
    /// Word address of the first word, the same in every section that gets the chunk.
    pub start: WordAddress,
    /// Initial values of the words, in ascending order of address.
    pub words: Vec<u64>,
}

/// The kind of a symbol, which tells the unit of its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum SymbolKind {
    /// The value is a bundle address in instruction memory.
    Bundle,
    /// The value is a word address in local memory.
    Word,
    /// The value is a plain number.
    Constant,
}

/// A symbol: a name with a value that a source defines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Symbol {
    /// Name of the symbol in the source.
    pub name: String,
    /// Value of the symbol, in the unit that [`Symbol::kind`] tells.
    pub value: i64,
    /// Kind of the symbol: an address of a bundle or a word, or a number.
    pub kind: SymbolKind,
    /// True if `.global` exports the symbol to other source files.
    pub global: bool,
}

/// Notes of the source that only the linter reads: silenced codes, FPRs that hold results, banks that the DMA channel
/// may use. The bundles do not depend on them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hints {
    /// Codes of findings that `@allow` or `.allow` silences, by the address of the bundle. Bundles with the same list
    /// share it.
    pub allowed: BTreeMap<BundleAddress, Arc<[String]>>,
    /// Numbers of the FPRs whose values are results of a kernel when it stops, by the name of the kernel. For a kernel
    /// that is absent, every FPR counts as a result.
    pub live_out: BTreeMap<String, Vec<u8>>,
    /// Banks of local memory that the DMA channel may use while a bundle issues (`.dmabank`), by bundle address; bit b
    /// stands for bank b.
    pub dma_banks: BTreeMap<BundleAddress, u8>,
}

/// Returns a map with its addresses moved; `None` if one of them cannot be.
fn moved_keys<T: Clone>(
    map: &BTreeMap<BundleAddress, T>,
    moved: impl Fn(BundleAddress) -> Option<BundleAddress>,
) -> Option<BTreeMap<BundleAddress, T>> {
    map.iter().map(|(at, value)| Some((moved(*at)?, value.clone()))).collect()
}

/// Returns the chunks sorted by section (those for all sections first) and address, with those that follow one another
/// without a gap joined to one.
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
    /// Returns the bundle addresses of the kernel, from its first bundle to one behind its last.
    pub fn range(&self) -> Range<usize> {
        let start = self.start.index();
        start..start + self.words.len()
    }

    /// Returns true if both kernels take a bundle address in common.
    pub fn overlaps(&self, other: &Self) -> bool {
        let (a, b) = (self.range(), other.range());
        a.start < b.end && b.start < a.end
    }

    /// Returns the addresses and encoded bundles of the kernel in ascending order. Bundles at addresses above 65535 are
    /// left out.
    pub fn bundles(&self) -> impl Iterator<Item = (BundleAddress, BundleBits)> {
        (self.start.0..=u16::MAX).map(BundleAddress).zip(self.words.iter().copied())
    }
}

impl Image {
    /// Returns the extensions of CP2 that the image's bundles show to be in use. [`Image::requires`] may have more, for
    /// what no bundle shows. A bundle that `@allow(C0310)` keeps though it has no meaning counts only by its width.
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

    /// Returns the highest number of an FPR that an operation of the image names; `None` if no operation names one.
    /// Bundles that `@allow(C0310)` keeps though they have no meaning are not looked at.
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

    /// Returns the image with its bundles at other addresses, as a host has them that loads the same bundles elsewhere: the
    /// first kernel begins at `first`, and all others are as far from it as before. Addresses in operands stay as they
    /// are. `None` if there is no kernel, or an address would be no bundle address.
    pub fn moved(&self, first: BundleAddress) -> Option<Self> {
        let distance = i64::from(first.0) - i64::from(self.kernels.first()?.start.0);
        let moved =
            |at: BundleAddress| u16::try_from(i64::from(at.0) + distance).ok().map(BundleAddress);
        let mut image = self.clone();
        for kernel in &mut image.kernels {
            kernel.start = moved(kernel.start)?;
        }
        for symbol in image.symbols.iter_mut().filter(|s| s.kind == SymbolKind::Bundle) {
            symbol.value += distance;
        }
        for promises in &mut image.promises {
            (promises.start, promises.end) = (moved(promises.start)?, moved(promises.end)?);
        }
        image.lines = moved_keys(&self.lines, moved)?;
        image.exchange_lines = moved_keys(&self.exchange_lines, moved)?;
        image.merged_lines = moved_keys(&self.merged_lines, moved)?;
        image.calls = moved_keys(&self.calls, moved)?;
        image.hints.allowed = moved_keys(&self.hints.allowed, moved)?;
        image.hints.dma_banks = moved_keys(&self.hints.dma_banks, moved)?;
        Some(image)
    }

    /// Returns the kernel called `name`; `None` if the image has none.
    pub fn kernel(&self, name: &str) -> Option<&Kernel> {
        self.kernels.iter().find(|k| k.name == name)
    }

    /// Returns the kernel that has a bundle at `address`; `None` if no kernel has.
    pub fn kernel_at(&self, address: BundleAddress) -> Option<&Kernel> {
        let index = self.kernels.partition_point(|k| k.start <= address);
        let kernel = &self.kernels[index.checked_sub(1)?];
        (usize::from(address - kernel.start) < kernel.words.len()).then_some(kernel)
    }

    /// Returns the encoded bundle at `address`; `None` if no kernel has a bundle there.
    pub fn word(&self, address: BundleAddress) -> Option<BundleBits> {
        let kernel = self.kernel_at(address)?;
        kernel.words.get(usize::from(address - kernel.start)).copied()
    }

    /// Returns the value of the symbol called `name`: of the global one if there is one, else of the first; `None` if
    /// there is no symbol of that name.
    pub fn symbol(&self, name: &str) -> Option<i64> {
        let named = || self.symbols.iter().filter(|s| s.name == name);
        named().find(|s| s.global).or_else(|| named().next()).map(|s| s.value)
    }
}
