//! Sliced CSR: the format, the conversion to it, and the division of a matrix into pages of local memory. The kernel
//! that multiplies by such a matrix is in `sliced_kernel`.

use super::pages::{self, PagePart, Sizes};
use cp2_isa::{Core, SECTIONS};
use cp2_session::sparse::{Csr, SparseError};

/// Elements of a row that lie together: one DMA beat of four 32-bit words.
pub(super) const GROUP: usize = 4;

/// Heights of slices, in rows, for which there are kernels.
pub const HEIGHTS: [usize; 4] = [16, 32, 64, 128];

/// A sparse matrix in the format Sliced CSR: cut into slices of a fixed number of rows, by [`Self::new`]. Row i of a
/// slice belongs to section i mod 4. The rows of a slice are padded with zeros to one length, a multiple of four. A
/// slice is stored group by group: the first four elements of each of its rows, then the next four, and so on; so the
/// beats of a slice (16 bytes each, which the DMA moves in a cycle) go to the sections in turn.
#[derive(Clone, Debug, PartialEq)]
pub struct Sliced {
    /// Rows of the matrix.
    pub(super) rows: usize,
    /// Columns of the matrix.
    pub(super) columns: usize,
    /// Entries of the matrix.
    pub(super) nonzeros: usize,
    /// Rows of a slice.
    pub(super) height: usize,
    /// Row of the matrix that is row i of the format; i itself but for sorted rows.
    pub(super) order: Vec<usize>,
    /// Values of all slices, with their padding.
    pub(super) values: Vec<f32>,
    /// Columns of all values; 0 in the padding.
    pub(super) indices: Vec<u32>,
    /// Place in `values` at which each slice begins, and the end of the last.
    pub(super) pointers: Vec<usize>,
}

/// Order in which the rows of a sparse matrix are dealt to slices.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RowOrder {
    /// Rows stay in the order of the matrix.
    #[default]
    Given,
    /// Longest rows first, so that the rows of a slice need less padding. The result is put back into the order of the
    /// matrix.
    Sorted,
}

impl Sliced {
    /// Converts a matrix to slices of `height` rows. `order` tells which rows share a slice: neighbours
    /// ([`RowOrder::Given`]), or rows of about the same length, the longest first ([`RowOrder::Sorted`]).
    ///
    /// # Errors
    /// `height` is none of [`HEIGHTS`].
    pub fn new(matrix: &Csr, height: usize, order: RowOrder) -> Result<Self, SparseError> {
        check_height(height)?;
        let mut rows: Vec<usize> = (0..matrix.rows()).collect();
        if order == RowOrder::Sorted {
            rows.sort_by_key(|&r| std::cmp::Reverse(matrix.row(r).len()));
        }
        let mut sliced = Self {
            rows: matrix.rows(),
            columns: matrix.columns(),
            nonzeros: matrix.nonzeros(),
            height,
            order: rows,
            values: Vec::new(),
            indices: Vec::new(),
            pointers: vec![0],
        };
        for slice in 0..sliced.order.len().div_ceil(height) {
            sliced.add_slice(matrix, slice);
        }
        Ok(sliced)
    }

    fn add_slice(&mut self, matrix: &Csr, slice: usize) {
        let first = slice * self.height;
        let rows: Vec<&[(usize, f32)]> = (first..first + self.height)
            .map(|i| self.order.get(i).map_or(&[][..], |&r| matrix.row(r)))
            .collect();
        let groups = rows.iter().map(|r| r.len()).max().unwrap_or(0).div_ceil(GROUP);
        for (group, row) in (0..groups).flat_map(|g| rows.iter().map(move |row| (g, row))) {
            for i in group * GROUP..(group + 1) * GROUP {
                let (column, value) = row.get(i).copied().unwrap_or((0, 0.0));
                self.values.push(value);
                self.indices.push(column as u32);
            }
        }
        self.pointers.push(self.values.len());
    }

    /// Returns the values of all slices, slice by slice as they are stored, the zeros of the padding included.
    pub fn values(&self) -> &[f32] {
        &self.values
    }

    /// Returns the number of slices, those without entries included.
    pub fn slices(&self) -> usize {
        self.pointers.len() - 1
    }

    /// Returns the number of rows of a slice that belong to one section.
    pub fn section_rows(&self) -> usize {
        self.height / SECTIONS
    }

    /// Returns the number of groups of four elements in each row of the slice with the number `slice`, from 0, padding
    /// included.
    pub fn groups(&self, slice: usize) -> usize {
        (self.pointers[slice + 1] - self.pointers[slice]) / (self.height * GROUP)
    }

    /// Returns the number of operations `psmadd` that CP2 issues for the whole product: one for two elements in each
    /// section, padding included.
    pub fn multiplications(&self) -> usize {
        self.values.len() / (2 * SECTIONS)
    }

    /// Returns the size in bytes of the converted matrix, padding included: 4 for each value and 4 for each column
    /// number.
    pub fn bytes(&self) -> usize {
        8 * self.values.len()
    }

    /// Returns the number of words that the input vector takes in the local memory of each section, one element to a
    /// word: the columns of the matrix, rounded up to an even number.
    pub fn vector_words(&self) -> usize {
        self.columns.next_multiple_of(2)
    }

    /// Returns the words in each section of one group of all rows of a slice: values and columns.
    fn group_words(&self) -> usize {
        4 * self.section_rows()
    }

    /// Returns the words in each section of a part of a slice without its groups: results, and the counter (two words, so
    /// that addresses stay even).
    fn part_words(&self) -> usize {
        self.section_rows() + 2
    }

    /// Deals the slices to pages, in order, and returns the list of parts of each page. A page is the part of the
    /// matrix that lies in local memory at once, beside the vector and the next page. The unit of a [`PagePart`] is a
    /// group of four elements of every row of a slice.
    ///
    /// # Errors
    /// Local memory has no room for a page beside the vector.
    pub fn pages(&self, core: &Core) -> Result<Vec<Vec<PagePart>>, SparseError> {
        let sizes = Sizes {
            vector: self.vector_words(),
            part: self.part_words(),
            unit: self.group_words(),
            least_units: 1,
        };
        self.pages_of(core, sizes)
    }

    /// Deals the slices to pages for a kernel that uses local memory otherwise; slices of fewer units than a part has at
    /// least, but of some, have zeros behind them.
    pub(super) fn pages_of(
        &self,
        core: &Core,
        sizes: Sizes,
    ) -> Result<Vec<Vec<PagePart>>, SparseError> {
        let units = |slice: usize| match self.groups(slice) {
            0 => 0,
            groups => groups.max(sizes.least_units),
        };
        let units: Vec<usize> = (0..self.slices()).map(units).collect();
        pages::deal(core, &units, sizes)
    }

    /// Returns four elements of a row of a slice: columns and values, 0 behind the end of the slice.
    pub(super) fn elements(&self, slice: usize, group: usize, row: usize) -> [(u32, f32); GROUP] {
        let first = self.pointers[slice] + (group * self.height + row) * GROUP;
        let is_there = first < self.pointers[slice + 1];
        let element = |k: usize| (self.indices[first + k], self.values[first + k]);
        std::array::from_fn(|k| if is_there { element(k) } else { (0, 0.0) })
    }
}

/// Refuses heights that no kernel has.
pub(super) fn check_height(height: usize) -> Result<(), SparseError> {
    if HEIGHTS.contains(&height) {
        return Ok(());
    }
    let allowed = "16, 32, 64 or 128";
    Err(SparseError::Shape { what: "the height of a slice", value: height, allowed })
}
