//! Sliced CSR for whole procedures: columns of 16 bits, and the vector as it lies in memory, two elements in a word.
//! The format and its pages are here; the kernel is in `packed_kernel`.

use super::pages::{self, PagePart, Sizes};
use super::run::pair;
use super::sliced::{GROUP, RowOrder, check_height};
use cp2_emu::state::Quad;
use cp2_isa::{Core, SECTIONS};
use cp2_session::sparse::{Csr, SparseError};

/// Number of neighbouring rows of a matrix, 4096, among which [`order_of`] sorts rows by their length with
/// [`RowOrder::Sorted`]. The results of so many rows find room in local memory beside the list that puts them back into
/// the order of the matrix.
pub const WINDOW: usize = 4096;

/// Marks an even column, which lies in the high half of its word.
const EVEN: u16 = 0x8000;

/// Form of the 16-bit column numbers of a [`Packed`] matrix: how the number beside a value tells the kernel where in
/// local memory the element of the vector lies that the value is multiplied by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IndexForm {
    /// Address of the word that has the element, in the low 15 bits; the highest bit is 1 if the element is in the high
    /// half of the word. [`packed_source`](super::packed_source) makes the kernels for it, which every core runs.
    Halves,
    /// Address of a word that has the element in its low half, for cores whose sections have addresses of their own.
    /// The vector lies in local memory from address 0 on as it is and, this number of words further on, once more with
    /// the halves of each word exchanged. The kernels are those of [`sections_source`](super::sections_source) with
    /// [`Gathering::Register`](super::Gathering::Register).
    Turned(usize),
}

impl IndexForm {
    fn of(self, column: usize) -> u16 {
        match self {
            Self::Halves => place(column),
            Self::Turned(words) => turned_place(words, column),
        }
    }
}

/// Returns the word that has an element in its low half, if the halves are exchanged behind `words` words.
pub(super) const fn turned_place(words: usize, column: usize) -> u16 {
    (column / 2 + if column.is_multiple_of(2) { words } else { 0 }) as u16
}

/// Division of a sparse matrix, or of a block of its columns, into slices of a fixed number of rows: the order of the
/// rows, and for each slice the number of groups of four elements of its longest row, to which all its rows are padded.
/// [`Self::new`] makes it; pages of local memory and their words follow from it. The values stay in the matrix.
///
/// Row i of a slice is in section (i / 4) mod 4, so that four results of a section are a beat of the DMA (16 bytes) and
/// all results leave in the order of the slices.
#[derive(Clone, Debug, PartialEq)]
pub struct Packed {
    height: usize,
    places: IndexForm,
    /// Row of the matrix that is row i of the format.
    order: Vec<usize>,
    groups: Vec<usize>,
}

/// Words of a page of a converted matrix, which is the part of the matrix that lies in local memory at once, for a host
/// to put there; [`Packed::contents`] and [`BlockMatrix::contents`](super::BlockMatrix::contents) make it. In local
/// memory the words follow each other in this order: results, counters, values, columns.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Contents {
    /// Number of words of results in each section, of all parts of the page.
    pub results: usize,
    /// Words that are the same in every section: as many zeros as there are words of results, then two words for each
    /// part of the page: its counter, which is the passes of the kernel's loop for the part, and a 0.
    pub common: Vec<u64>,
    /// Number of words of values in each section, of all parts of the page.
    pub values: usize,
    /// Words that differ from section to section: those of the values, then those of the columns, which are column
    /// numbers or the addresses of blocks.
    pub own: Vec<Quad>,
}

/// Returns the place of a column in the list of a kernel: address of its word, and which half.
pub(super) fn place(column: usize) -> u16 {
    (column / 2) as u16 | if column.is_multiple_of(2) { EVEN } else { 0 }
}

/// Returns a word of four places, the first in the highest bits.
pub(super) fn word_of(places: [u16; GROUP]) -> u64 {
    places.iter().fold(0, |word, &place| word << 16 | u64::from(place))
}

/// Returns the numbers of the rows of `matrix`, from 0, in the order in which they go to slices: with
/// [`RowOrder::Given`] that of the matrix; with [`RowOrder::Sorted`] longer rows first among each [`WINDOW`] rows,
/// where the length of a row counts its entries in all columns.
pub fn order_of(matrix: &Csr, order: RowOrder) -> Vec<usize> {
    let mut rows: Vec<usize> = (0..matrix.rows()).collect();
    if order == RowOrder::Sorted {
        for window in rows.chunks_mut(WINDOW) {
            window.sort_by_key(|&row| std::cmp::Reverse(matrix.row(row).len()));
        }
    }
    rows
}

/// Returns the number of groups that a part of a slice has at least.
fn least_groups(height: usize, places: IndexForm) -> usize {
    match places {
        IndexForm::Halves => (super::packed_kernel::LEAST_PASSES * super::packed_kernel::PASS)
            .div_ceil(height / SECTIONS),
        IndexForm::Turned(_) => super::sections_kernel::LEAST_UNITS,
    }
}

impl Packed {
    /// Cuts a matrix, or a block of its columns as a matrix of its own, into slices of `height` rows. `places` is the
    /// form of the column numbers, and `order` lists the rows as they go to slices. With `is_filled` slices without
    /// entries get groups of zeros, the fewest that the kernel takes, so that the product writes the results of all
    /// rows; the first block of columns wants this. Without it such slices get no groups.
    ///
    /// # Errors
    /// `height` is none of [`HEIGHTS`](super::HEIGHTS).
    pub fn new(
        matrix: &Csr,
        (height, places): (usize, IndexForm),
        order: &[usize],
        is_filled: bool,
    ) -> Result<Self, SparseError> {
        let outline = Self::outline(matrix, (height, places), order, is_filled)?;
        Ok(Self { order: order.to_vec(), ..outline })
    }

    /// Cuts a matrix as [`Self::new`] does, but does not keep the order of the rows, to predict cycles: pages and their
    /// cycles are the same, but [`Self::contents`] would give zeros for all values.
    ///
    /// # Errors
    /// `height` is none of [`HEIGHTS`](super::HEIGHTS).
    pub fn outline(
        matrix: &Csr,
        (height, places): (usize, IndexForm),
        order: &[usize],
        is_filled: bool,
    ) -> Result<Self, SparseError> {
        check_height(height)?;
        let longest = |rows: &[usize]| rows.iter().map(|&r| matrix.row(r).len()).max();
        let groups = order.chunks(height).map(|rows| longest(rows).unwrap_or(0).div_ceil(GROUP));
        // The loop of the kernel is pipelined; slices without elements are left out.
        let least = least_groups(height, places);
        let filled = |groups| if groups > 0 || is_filled { least.max(groups) } else { 0 };
        let groups = groups.map(filled).collect();
        Ok(Self { height, places, order: Vec::new(), groups })
    }

    /// Returns the number of rows of each slice.
    pub fn height(&self) -> usize {
        self.height
    }

    /// Returns the number of slices, those without elements included.
    pub fn slices(&self) -> usize {
        self.groups.len()
    }

    /// Returns the number of elements (pairs of a value and a column number) that all slices store, padding included.
    pub fn elements(&self) -> usize {
        self.groups.iter().sum::<usize>() * self.height * GROUP
    }

    /// Returns the number of rows of a slice in one section.
    fn section_rows(&self) -> usize {
        self.height / SECTIONS
    }

    /// Returns the number of words that the results of one slice take in each section, two results to a word.
    pub fn result_words(&self) -> usize {
        self.section_rows() / 2
    }

    /// Deals the slices to pages, in order, and returns the list of parts of each page. A page is the part of the
    /// matrix that lies in local memory at once, beside a vector that takes `vector` words of each section and beside
    /// the next page. The unit of a [`PagePart`] is a group of four elements of every row of a slice. The first page is
    /// as short as the number of pages allows, as nothing is computed while it is loaded.
    ///
    /// # Errors
    /// Local memory has no room for a page beside the vector.
    pub fn pages(&self, core: &Core, vector: usize) -> Result<Vec<Vec<PagePart>>, SparseError> {
        let sizes = Sizes {
            vector,
            part: self.result_words() + 2,
            unit: 3 * self.section_rows(),
            least_units: least_groups(self.height, self.places),
        };
        pages::deal_short_first(core, &self.groups, sizes)
    }

    /// Returns the number of passes of the kernel's loop for a part of a page, the counter that [`Self::contents`] puts
    /// beside the part. With [`IndexForm::Turned`] one pass takes a group of four elements of every row of the slice,
    /// else two groups of each section.
    pub fn passes(&self, part: &PagePart) -> usize {
        match self.places {
            IndexForm::Halves => part.units * self.section_rows() / super::packed_kernel::PASS,
            IndexForm::Turned(_) => part.units,
        }
    }

    /// Returns the words of the page whose parts are `page`, one of the pages of [`Self::pages`]. `matrix` is the one
    /// that was cut.
    pub fn contents(&self, matrix: &Csr, page: &[PagePart]) -> Contents {
        let rows = self.section_rows();
        let results = page.len() * self.result_words();
        let mut common = vec![0; results];
        for part in page {
            common.extend([self.passes(part) as u64, 0]);
        }
        let units: usize = page.iter().map(|part| part.units).sum();
        let (values, columns) = (2 * units * rows, units * rows);
        let mut own = vec![[0; SECTIONS]; values + columns];
        let groups = page.iter().flat_map(|p| (p.first..p.first + p.units).map(|g| (p.of, g)));
        for (i, (slice, group)) in groups.enumerate() {
            for (r, s) in (0..rows).flat_map(|r| (0..SECTIONS).map(move |s| (r, s))) {
                let at = i * rows + r;
                let [first, second, places] = self.group(matrix, slice, (r, s), group);
                (own[2 * at][s], own[2 * at + 1][s]) = (first, second);
                own[values + at][s] = places;
            }
        }
        Contents { results, common, values, own }
    }

    /// Returns two words of values and one of places: a group of a row of a section.
    fn group(&self, matrix: &Csr, slice: usize, (r, s): (usize, usize), group: usize) -> [u64; 3] {
        let row = slice * self.height + r / GROUP * GROUP * SECTIONS + s * GROUP + r % GROUP;
        let row = self.order.get(row).map_or(&[][..], |&row| matrix.row(row));
        let element = |k: usize| row.get(group * GROUP + k).copied().unwrap_or((0, 0.0));
        let elements: [(usize, f32); GROUP] = std::array::from_fn(element);
        let values = |k: usize| pair(elements[k].1.to_bits(), elements[k + 1].1.to_bits());
        [values(0), values(2), word_of(elements.map(|(column, _)| self.places.of(column)))]
    }
}

/// Returns the list that puts the results of one window of sorted rows ([`WINDOW`] neighbouring rows of the matrix)
/// back into the order of the matrix, for the kernels of [`back_source`](super::back_source) and
/// [`own_back_source`](super::own_back_source). `order` has the rows of the window as they went to slices; the results
/// lie in this order from word `address` on, two in a word. Number i of the list tells where the result of the i-th row
/// of the window lies, in the form of [`IndexForm::Halves`]. A word has the numbers of four rows, and the rows go to
/// the sections in turn by fours; the list is padded to whole passes of the kernels.
pub fn back(order: &[usize], address: usize) -> Vec<Quad> {
    let first = order.iter().min().copied().unwrap_or(0);
    let mut from = vec![0; order.len()];
    for (place, &row) in order.iter().enumerate() {
        from[row - first] = place;
    }
    let word = |beat: usize, s: usize| {
        let at = |k: usize| (beat * SECTIONS + s) * GROUP + k;
        let result = |k: usize| 2 * address + from.get(at(k)).copied().unwrap_or(0);
        word_of(std::array::from_fn(|k| place(result(k))))
    };
    let least = super::packed_kernel::PASS * super::packed_kernel::LEAST_BACK;
    let words = order.len().div_ceil(GROUP * SECTIONS).next_multiple_of(least);
    (0..words).map(|beat| std::array::from_fn(|s| word(beat, s))).collect()
}
