//! The block format of sparse matrices: small dense blocks, and the conversion to it. The kernel is in `blocks_kernel`.

use super::RowLayout;
use super::packed::Contents;
use super::pages::{self, PagePart, Sizes};
use super::placement::{LANES, Placement};
use super::run::pair;
use cp2_isa::{Core, SECTIONS};
use cp2_session::sparse::{Csr, SparseError};
use std::collections::BTreeMap;

/// Blocks whose addresses lie in one word of the four sections.
pub(super) const BATCH: usize = 8;

/// Batches that a part of a slab has at least: the loop of the kernel is pipelined.
pub(super) const LEAST_BATCHES: usize = 2;

/// Shape of the dense blocks into which [`BlockMatrix`] divides a sparse matrix: `groups` row groups of eight rows, by
/// `width` columns. The eight rows of a group share one operation, two in each section.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockShape {
    /// Number of row groups of eight rows, which share the loads of the block's columns.
    pub groups: usize,
    /// Number of columns of the block, which are neighbours in the matrix.
    pub width: usize,
}

/// Shapes of blocks for which there is a kernel; [`BlockMatrix`] takes no other.
pub const SHAPES: [BlockShape; 9] = [
    BlockShape { groups: 1, width: 1 },
    BlockShape { groups: 2, width: 1 },
    BlockShape { groups: 4, width: 1 },
    BlockShape { groups: 8, width: 1 },
    BlockShape { groups: 1, width: 2 },
    BlockShape { groups: 2, width: 2 },
    BlockShape { groups: 4, width: 2 },
    BlockShape { groups: 1, width: 4 },
    BlockShape { groups: 2, width: 4 },
];

impl BlockShape {
    /// Returns the number of words that the values of a block take in each section, one for a column of a row group; it
    /// is also the number of operations `psmadd` for the block.
    pub fn words(self) -> usize {
        self.groups * self.width
    }

    /// Returns the number of exchange operations for a batch of eight blocks, which one pass of the kernel's loop
    /// takes: for each block a move of its address to a GPR, one to an address register, and the loads of the vector;
    /// half a load for each word of values; and one load of the addresses.
    pub fn exchange(self) -> usize {
        BATCH * (2 + self.width.div_ceil(2)) + BATCH * self.words() / 2 + 1
    }

    /// Returns the number of arithmetic operations for a batch of eight blocks, which one pass of the kernel's loop
    /// takes: a `psmadd` for each word of values, and one that exchanges the halves of the addresses.
    pub fn arithmetic(self) -> usize {
        BATCH * self.words() + 1
    }

    /// Returns the numbers of accesses to local memory for a batch of eight blocks, which one pass of the kernel's loop
    /// takes: first to the vector, then to values and addresses.
    pub fn accesses(self) -> [usize; 2] {
        [BATCH * self.width.div_ceil(2), BATCH * self.words() / 2 + 1]
    }

    /// Returns the fewest cycles for a batch of eight blocks, which one pass of the kernel's loop takes: the operations
    /// of the fuller slot.
    pub fn bound(self) -> usize {
        self.exchange().max(self.arithmetic())
    }
}

/// Blocks of some row groups.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Slab {
    /// Address of the first column of each block; padded to whole batches,
    /// at least two.
    pub(super) addresses: Vec<u32>,
    /// Values of each block: for each column, for each row group, eight lanes.
    pub(super) values: Vec<[f32; LANES]>,
}

/// A sparse matrix converted to dense blocks of one shape, as the kernel of [`multiply_blocks`](super::multiply_blocks)
/// reads it. A *slab* is a number of rows as high as a block, 8 times [`BlockShape::groups`], with its blocks; these
/// are padded with blocks of zeros to whole batches of eight.
#[derive(Clone, Debug, PartialEq)]
pub struct BlockMatrix {
    /// Rows of the matrix.
    pub(super) rows: usize,
    /// Entries of the matrix.
    pub(super) nonzeros: usize,
    /// Shape that every block of the matrix has.
    pub shape: BlockShape,
    /// Placement of the rows and of the vector.
    pub(super) placement: Placement,
    /// Slabs of `shape.groups` row groups each.
    pub(super) slabs: Vec<Slab>,
}

impl BlockMatrix {
    /// Converts a matrix to blocks of a shape; `layout` tells which rows share a row group.
    ///
    /// # Errors
    /// The shape is none of [`SHAPES`].
    pub fn new(matrix: &Csr, shape: BlockShape, layout: RowLayout) -> Result<Self, SparseError> {
        check_shape(shape)?;
        let placement = Placement::new(matrix, layout, shape.groups, shape.width);
        let slabs = (0..placement.groups().div_ceil(shape.groups))
            .map(|slab| slab_of(matrix, shape, &placement, slab))
            .collect();
        Ok(Self { rows: matrix.rows(), nonzeros: matrix.nonzeros(), shape, placement, slabs })
    }

    /// Converts a matrix to blocks of that shape of [`SHAPES`] for which the product takes fewest cycles by
    /// [`Self::bound`]; `layout` tells which rows share a row group.
    ///
    /// # Errors
    /// None: every shape of [`SHAPES`] has a kernel.
    pub fn best(matrix: &Csr, layout: RowLayout) -> Result<Self, SparseError> {
        let mut best = Self::new(matrix, SHAPES[0], layout)?;
        for &shape in &SHAPES[1..] {
            let other = Self::new(matrix, shape, layout)?;
            if other.bound() < best.bound() {
                best = other;
            }
        }
        Ok(best)
    }

    /// Returns the shape that every block of the matrix has.
    pub fn shape(&self) -> BlockShape {
        self.shape
    }

    /// Returns the number of batches of a slab.
    fn batches(&self, slab: usize) -> usize {
        self.slabs[slab].addresses.len() / BATCH
    }

    /// Returns the fewest cycles of the product by the whole matrix: those of all batches of eight blocks by
    /// [`BlockShape::bound`].
    pub fn bound(&self) -> usize {
        (0..self.slabs.len()).map(|s| self.batches(s)).sum::<usize>() * self.shape.bound()
    }

    /// Returns the number of operations `psmadd` that CP2 issues for the whole product, those for padding included.
    pub fn multiplications(&self) -> usize {
        self.slabs.iter().map(|s| s.values.len()).sum()
    }

    /// Returns the size of the converted matrix in bytes, padding included: 4 for each value, and 4 for the address of
    /// each block.
    pub fn bytes(&self) -> usize {
        self.slabs.iter().map(|s| 4 * (s.values.len() * LANES + s.addresses.len())).sum()
    }

    /// Converts a matrix as [`Self::new`] does, but without its values, to predict cycles: pages and their cycles
    /// follow from the blocks alone. With `is_filled` the slabs (rows as high as a block) without entries get blocks of
    /// zeros as by [`Self::fill`].
    ///
    /// # Errors
    /// The shape is none of [`SHAPES`].
    pub fn outline(
        matrix: &Csr,
        (shape, layout): (BlockShape, RowLayout),
        is_filled: bool,
    ) -> Result<Self, SparseError> {
        check_shape(shape)?;
        let placement = Placement::new(matrix, layout, shape.groups, shape.width);
        let slab = |slab: usize| {
            let mut starts = Vec::new();
            if is_empty(matrix, shape, &placement, slab) {
                let blocks = if is_filled { LEAST_BATCHES * BATCH } else { 0 };
                return Slab { addresses: vec![0; blocks], values: Vec::new() };
            }
            let groups = slab * shape.groups..(slab + 1) * shape.groups;
            for (group, lane) in groups.flat_map(|g| (0..LANES).map(move |lane| (g, lane))) {
                let row = placement.row(group, lane).map_or(&[][..], |row| matrix.row(row));
                let start = |column| placement.address(lane, column) / shape.width;
                starts.extend(row.iter().map(|&(column, _)| start(column) as u32));
            }
            starts.sort_unstable();
            starts.dedup();
            let least = if is_filled { LEAST_BATCHES * BATCH } else { 0 };
            starts.resize(padded(starts.len()).max(least), 0);
            Slab { addresses: starts, values: Vec::new() }
        };
        let slabs = (0..placement.groups().div_ceil(shape.groups)).map(slab).collect();
        Ok(Self { rows: matrix.rows(), nonzeros: matrix.nonzeros(), shape, placement, slabs })
    }

    /// Gives slabs (rows as high as a block) without entries two batches of eight blocks of zeros, the fewest that the
    /// kernel takes, so that the product writes results for their rows too.
    pub fn fill(&mut self) {
        let blocks = LEAST_BATCHES * BATCH;
        for slab in self.slabs.iter_mut().filter(|slab| slab.addresses.is_empty()) {
            slab.addresses = vec![0; blocks];
            slab.values = vec![[0.0; LANES]; blocks * self.shape.words()];
        }
    }

    /// Returns the number of slabs into which the rows of the matrix are divided, each as high as a block, those
    /// without entries included.
    pub fn slabs(&self) -> usize {
        self.slabs.len()
    }

    /// Deals the slabs to pages, in order, and returns the list of parts of each page. A page is the part of the matrix
    /// that lies in local memory at once, beside the vector and the next page. The unit of a [`PagePart`] is a batch of
    /// eight blocks.
    ///
    /// # Errors
    /// Local memory has no room for a page beside the vector.
    pub fn pages(&self, core: &Core) -> Result<Vec<Vec<PagePart>>, SparseError> {
        self.pages_beside(core, self.placement.words())
    }

    /// Deals the slabs to pages as [`Self::pages`] does, beside a vector that takes `vector` words of the local memory
    /// of each section.
    ///
    /// # Errors
    /// Local memory has no room for a page beside the vector.
    pub fn pages_beside(
        &self,
        core: &Core,
        vector: usize,
    ) -> Result<Vec<Vec<PagePart>>, SparseError> {
        let batches: Vec<usize> = (0..self.slabs.len()).map(|s| self.batches(s)).collect();
        let sizes = Sizes {
            vector,
            part: self.shape.groups + self.shape.groups % 2 + 2,
            unit: BATCH * self.shape.words() + ADDRESS_WORDS,
            least_units: LEAST_BATCHES,
        };
        pages::deal(core, &batches, sizes)
    }
}

impl BlockMatrix {
    /// Returns the words of the page whose parts are `page`, one of the pages of [`Self::pages`], for a host to put
    /// into local memory. The shape has an even number of row groups.
    pub fn contents(&self, page: &[PagePart]) -> Contents {
        let (groups, words) = (self.shape.groups, self.shape.words());
        let results = page.len() * groups;
        let mut common = vec![0; results];
        let (mut own, mut addresses) = (Vec::new(), Vec::new());
        for part in page {
            common.extend([part.units as u64, 0]);
            let slab = &self.slabs[part.of];
            let blocks = part.first * BATCH..(part.first + part.units) * BATCH;
            let lanes = &slab.values[blocks.start * words..blocks.end * words];
            let of_section =
                |v: &[f32; LANES], s: usize| pair(v[2 * s].to_bits(), v[2 * s + 1].to_bits());
            own.extend(lanes.iter().map(|v| std::array::from_fn(|s| of_section(v, s))));
            let eights = slab.addresses[blocks].chunks(BATCH);
            addresses.extend(eights.map(|a| std::array::from_fn(|s| pair(a[SECTIONS + s], a[s]))));
        }
        let values = own.len();
        own.append(&mut addresses);
        Contents { results, common, values, own }
    }
}

/// Whether a slab is known to have no entries without a look at each of its rows.
fn is_empty(matrix: &Csr, shape: BlockShape, placement: &Placement, slab: usize) -> bool {
    let rows = placement.neighbours(slab * shape.groups, shape.groups);
    rows.is_some_and(|rows| !matrix.has_entries(&rows))
}

fn slab_of(matrix: &Csr, shape: BlockShape, placement: &Placement, slab: usize) -> Slab {
    if is_empty(matrix, shape, placement, slab) {
        return Slab::default();
    }
    let mut blocks: BTreeMap<usize, Vec<[f32; LANES]>> = BTreeMap::new();
    for g in 0..shape.groups {
        for lane in 0..LANES {
            let Some(row) = placement.row(slab * shape.groups + g, lane) else { continue };
            for &(column, value) in matrix.row(row) {
                let address = placement.address(lane, column);
                let start = address / shape.width * shape.width;
                let block = blocks.entry(start).or_insert(vec![[0.0; LANES]; shape.words()]);
                block[(address - start) * shape.groups + g][lane] = value;
            }
        }
    }
    let padded = padded(blocks.len());
    let mut slab = Slab::default();
    for (start, values) in blocks {
        slab.addresses.push(start as u32);
        slab.values.extend(values);
    }
    slab.addresses.resize(padded, 0);
    slab.values.resize(padded * shape.words(), [0.0; LANES]);
    slab
}

/// Returns the number of blocks that a slab is padded to, of which `blocks` are not zero: whole batches.
fn padded(blocks: usize) -> usize {
    match blocks {
        0 => 0,
        n => n.next_multiple_of(BATCH).max(LEAST_BATCHES * BATCH),
    }
}

/// Words of addresses in each section of a batch: two 32-bit numbers in a word.
pub(super) const ADDRESS_WORDS: usize = BATCH / (2 * SECTIONS);

/// Refuses shapes that no kernel has.
pub(super) fn check_shape(shape: BlockShape) -> Result<(), SparseError> {
    if SHAPES.contains(&shape) {
        return Ok(());
    }
    Err(SparseError::Shape {
        what: "the number of operations in a block",
        value: shape.groups.saturating_mul(shape.width),
        allowed: "that of 1, 2, 4 or 8 row groups by 1 column, 1, 2 or 4 by 2, 1 or 2 by 4",
    })
}
