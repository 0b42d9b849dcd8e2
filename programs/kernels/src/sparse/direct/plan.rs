//! Parts of the code made for one matrix, and the use that it makes of a core: registers, distances, ways of merging.

use super::super::placement::LANES;
use cp2_isa::Core;

/// Way in which the code of [`Direct`](super::Direct), made for one matrix, saves multiplications: several columns of a
/// row group (eight rows, two in each section), each of which has values in one section only, share one `psmadd`. Its
/// operand is a register that has in each section the element of the vector that this section needs. Each section but
/// the first costs an operation in the exchange slot under a predicate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Merging {
    /// Each column of a row group has a `psmadd` of its own.
    None,
    /// The elements are brought together by `psprmsgn` from words of the vector that are in registers.
    Permuted,
    /// The elements are brought together by conditional loads, which need the extension `conditional-memory`.
    Loaded,
}

impl Merging {
    /// Returns the most pairs that pay: more of them take longer to fill and to drain, but longer rings for merging pay at
    /// first. Measured on NPB CG, class S (`specs/src/extensions/more-fprs.md`).
    const fn most_pairs(self) -> usize {
        match self {
            Self::None => 8,
            Self::Permuted | Self::Loaded => 12,
        }
    }
}

/// Use that the code makes of a core: registers, distances, and bundles.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Plan {
    pub core: Core,
    pub merging: Merging,
    /// Registers with partial sums, `f0` and up: half of those that are used.
    pub sums: usize,
    /// Pairs in the ring of value words, and as many in that of vector words and for merging, a quarter of these
    /// registers each, behind the sums.
    pub pairs: usize,
    /// Pairs for merging, at the end.
    pub merged: usize,
    /// Distance from an arithmetic operation, a load, a permutation to a reader, from a comparison to a predicate.
    pub arithmetic: usize,
    pub load: usize,
    pub permute: usize,
    pub condition: usize,
    /// Bundles that a page may have: most of instruction memory.
    pub code: usize,
}

impl Plan {
    pub(super) fn new(core: &Core, merging: Merging) -> Self {
        let pairs = (core.fprs() / 8).min(merging.most_pairs());
        let latencies = core.latencies();
        Self {
            core: *core,
            merging,
            sums: 4 * pairs,
            pairs,
            merged: if merging == Merging::None { 0 } else { pairs * 3 / 8 },
            arithmetic: latencies.arithmetic as usize,
            load: latencies.load as usize,
            permute: latencies.permute as usize,
            condition: latencies.condition as usize,
            code: core.iram_bundles() - core.iram_bundles() / 28,
        }
    }

    /// Returns the number of value words that are kept loaded or under way.
    pub(super) fn ahead(&self) -> usize {
        2 * self.load
    }

    /// Returns the register of a word of values, in the order of their use.
    pub(super) fn value(&self, word: usize) -> usize {
        self.sums + word % (2 * self.pairs)
    }

    /// Returns the number of pairs in the ring of vector words.
    pub(super) fn columns(&self) -> usize {
        self.pairs - self.merged
    }

    /// Returns the first register of a column of the vector.
    pub(super) fn column(&self, column: usize) -> usize {
        self.sums + 2 * self.pairs + column % self.columns() * 2
    }

    /// Returns the registers in which elements are merged. A permutation writes two.
    pub(super) fn merging_registers(&self) -> impl Iterator<Item = usize> {
        let first = self.sums + 2 * self.pairs + 2 * self.columns();
        let step = if self.merging == Merging::Permuted { 2 } else { 1 };
        (first..first + 2 * self.merged).step_by(step)
    }
}

/// Eight values that meet one word of the vector.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct ValueGroup {
    /// Word of the pair, 0 or 1.
    pub word: usize,
    /// Row group, counted within the slab.
    pub group: usize,
    pub lanes: [f32; LANES],
}

impl ValueGroup {
    /// Returns the section that has all values, if one does.
    pub(super) fn section(&self) -> Option<usize> {
        let mut of_values = (0..LANES).filter(|&lane| self.lanes[lane] != 0.0).map(|lane| lane / 2);
        let first = of_values.next()?;
        of_values.all(|section| section == first).then_some(first)
    }
}

/// All blocks of a slab at two neighbouring words of the vector.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Column {
    /// Even address.
    pub address: usize,
    pub blocks: Vec<ValueGroup>,
}
