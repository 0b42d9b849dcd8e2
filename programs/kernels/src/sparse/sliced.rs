//! Sliced CSR: the format, the conversion to it, and how a matrix is cut into pages of local memory. The kernel that
//! multiplies by such a matrix is in `sliced_kernel`.

use super::pages::{self, PagePart, Sizes};
use cp2_isa::{Core, SECTIONS};
use cp2_session::sparse::{Csr, SparseError};

/// Elements of a row that lie together: one DMA beat of four 32-bit words.
pub(super) const GROUP: usize = 4;

/// Rows of a slice that the kernel can be made for.
pub const HEIGHTS: [usize; 4] = [16, 32, 64, 128];

/// A matrix in slices of `height` rows. Row i of a slice belongs to section i mod 4. The rows of
/// a slice are padded with zeros to one length, a multiple of four. A slice is stored group
/// by group: the first four elements of each of its rows, then the next four, and so on; so the
/// beats of a slice go to the sections in turn.
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

/// Order in which rows are dealt to slices.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RowOrder {
    /// Order of the matrix.
    #[default]
    Given,
    /// Descending length, so that rows of a slice need less padding; the result is put back into the matrix's order by the
    /// host.
    Sorted,
}

impl Sliced {
    /// Converts a matrix. `height` is one of [`HEIGHTS`].
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

    /// Returns the values of all slices with their padding, slice by slice.
    pub fn values(&self) -> &[f32] {
        &self.values
    }

    /// Returns the number of slices.
    pub fn slices(&self) -> usize {
        self.pointers.len() - 1
    }

    /// Returns the number of rows of a slice in one section.
    pub fn section_rows(&self) -> usize {
        self.height / SECTIONS
    }

    /// Returns the number of groups of four elements in each row of a slice.
    pub fn groups(&self, slice: usize) -> usize {
        (self.pointers[slice + 1] - self.pointers[slice]) / (self.height * GROUP)
    }

    /// Returns the number of operations `psmadd` that the product takes: two elements in each section.
    pub fn multiplications(&self) -> usize {
        self.values.len() / (2 * SECTIONS)
    }

    /// Returns the bytes of values and columns.
    pub fn bytes(&self) -> usize {
        8 * self.values.len()
    }

    /// Returns the words of local memory that hold the input vector, one element each.
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

    /// Deals the slices to pages; the unit is a group of all rows of a slice.
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
