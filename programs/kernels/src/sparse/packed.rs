//! Sliced CSR for whole procedures: columns of 16 bits, the vector as it lies in memory, two elements
//! in a word. The format and its pages; the kernel is in `packed_kernel`.

use super::pages::{self, PagePart, Sizes};
use super::run::pair;
use super::sliced::{GROUP, RowOrder, check_height};
use cp2_emu::state::Quad;
use cp2_isa::{Core, SECTIONS};
use cp2_session::sparse::{Csr, SparseError};

/// Rows among which [`RowOrder::Sorted`] sorts: their results find room beside the list that puts them back,
/// wherever pages lie.
pub const WINDOW: usize = 4096;

/// Marks an even column, which lies in the high half of its word.
const EVEN: u16 = 0x8000;

/// Form in which a list of the kernel names the element of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IndexForm {
    /// Address of the word of two elements, and which half.
    Halves,
    /// Address of a word with the element in its low half: where sections have addresses of their own, the vector lies as it
    /// is and, behind this number of words, once more with its halves exchanged.
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

/// Matrix cut into slices: rows in an order, and groups of four elements that the longest row of each slice has.
///
/// Row i of a slice is in section (i / 4) mod 4, so that four results of a section are a beat and all results
/// leave in the order of the slices.
#[derive(Clone, Debug, PartialEq)]
pub struct Packed {
    height: usize,
    places: IndexForm,
    /// Row of the matrix that is row i of the format.
    order: Vec<usize>,
    groups: Vec<usize>,
}

/// Contents of a page in local memory, behind each other: results, counters, values, columns.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Contents {
    /// Words of results in each section.
    pub results: usize,
    /// Words that are the same in every section: as many zeros as results, and the counters.
    pub common: Vec<u64>,
    /// Words of values in each section.
    pub values: usize,
    /// Words that each section has of its own: values, then columns.
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

/// Returns the order in which the rows of `matrix` go to slices; the length of a row counts all columns.
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
    /// Cuts a matrix, or some of its columns, into slices of `height` rows in this order. `is_first` gives
    /// every slice at least one group, so that its results are written.
    ///
    /// # Errors
    /// A height that no kernel has.
    pub fn new(
        matrix: &Csr,
        (height, places): (usize, IndexForm),
        order: &[usize],
        is_first: bool,
    ) -> Result<Self, SparseError> {
        let outline = Self::outline(matrix, (height, places), order, is_first)?;
        Ok(Self { order: order.to_vec(), ..outline })
    }

    /// Cuts a matrix as [`Self::new`] does, without the order: all that pages and their cycles follow from.
    ///
    /// # Errors
    /// A height that no kernel has.
    pub fn outline(
        matrix: &Csr,
        (height, places): (usize, IndexForm),
        order: &[usize],
        is_first: bool,
    ) -> Result<Self, SparseError> {
        check_height(height)?;
        let longest = |rows: &[usize]| rows.iter().map(|&r| matrix.row(r).len()).max();
        let groups = order.chunks(height).map(|rows| longest(rows).unwrap_or(0).div_ceil(GROUP));
        // The loop of the kernel is pipelined; slices without elements are left out.
        let least = least_groups(height, places);
        let filled = |groups| if groups > 0 || is_first { least.max(groups) } else { 0 };
        let groups = groups.map(filled).collect();
        Ok(Self { height, places, order: Vec::new(), groups })
    }

    /// Returns the number of rows of a slice.
    pub fn height(&self) -> usize {
        self.height
    }

    /// Returns the number of slices.
    pub fn slices(&self) -> usize {
        self.groups.len()
    }

    /// Returns the number of elements with their padding.
    pub fn elements(&self) -> usize {
        self.groups.iter().sum::<usize>() * self.height * GROUP
    }

    /// Returns the number of rows of a slice in one section.
    fn section_rows(&self) -> usize {
        self.height / SECTIONS
    }

    /// Returns the words of results of a slice in each section.
    pub fn result_words(&self) -> usize {
        self.section_rows() / 2
    }

    /// Deals the slices to pages, beside a vector of so many words.
    ///
    /// # Errors
    /// Local memory has no room for a page.
    pub fn pages(&self, core: &Core, vector: usize) -> Result<Vec<Vec<PagePart>>, SparseError> {
        let sizes = Sizes {
            vector,
            part: self.result_words() + 2,
            unit: 3 * self.section_rows(),
            least_units: least_groups(self.height, self.places),
        };
        pages::deal_short_first(core, &self.groups, sizes)
    }

    /// Returns the number of passes of the kernel's loop for a part. With addresses of each section one pass takes a group of
    /// every row.
    pub fn passes(&self, part: &PagePart) -> usize {
        match self.places {
            IndexForm::Halves => part.units * self.section_rows() / super::packed_kernel::PASS,
            IndexForm::Turned(_) => part.units,
        }
    }

    /// Returns the contents of a page.
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

/// Returns the list that puts sorted rows back: which of the results is row i of the matrix, for the rows of one window. The
/// list has words for the sections, four rows in each; the results of the window lie at `address`.
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
