//! Shortest paths: distances, parents and all slices stay in local memory, the table of weights too while it fits; else the band of
//! weights of one vertex comes from system memory for each pass, in two pages of columns.
//!
//! A pass adds the distance of its vertex to the band, lets rows that get nearer take the sums and the number of the vertex, and takes
//! the next vertex. The texts of these steps are in `steps`, those that take a vertex in `take`.

mod steps;
mod take;

use super::layout::SliceLayout;
use cp2_isa::Core;
use cp2_session::error::KernelError;
use std::ops::Range;

/// Most words of a column that registers hold at once; longer columns are gone through in parts.
const PART: usize = 8;

/// The vertex that is taken next among those that got nearer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PathOrder {
    /// The nearest; among equal ones the first. Each vertex that gets nearer is taken once.
    Nearest,
    /// The first, which may be taken again.
    First,
}

/// Kernels of shortest paths for one number of vertices and bits of a weight, and the places of what they use in local memory.
/// Weights, distances and numbers of parents are tables with the most significant column first, all ones for no arc and no path.
#[derive(Clone, Debug)]
pub struct PathsKernels {
    layout: SliceLayout,
    bits: usize,
    order: PathOrder,
    is_resident: bool,
    /// Pages of a band that does not stay, 1 or 2.
    pages: usize,
}

impl PathsKernels {
    /// Most bits of a weight: a distance is a number of half a word.
    pub const MOST_BITS: usize = 32;
    /// Most vertices: positions in a section are numbers of an operation.
    pub const MOST_VERTICES: usize = 1 << 14;

    /// Plans the kernels for so many vertices and bits of a weight. The weights stay in local memory if it has room for them; else a band
    /// comes in two pages.
    ///
    /// # Errors
    /// The bits are not 1 to 32, there are more than 16384 vertices, or local memory does not hold what stays there.
    pub fn new(
        vertices: usize,
        bits: usize,
        order: PathOrder,
        core: &Core,
    ) -> Result<Self, KernelError> {
        if bits == 0 || bits > Self::MOST_BITS {
            let limit = format!("1 to {}, so that a distance is half a word", Self::MOST_BITS);
            return Err(KernelError::Parameter { what: "bits of a weight", value: bits, limit });
        }
        if vertices == 0 || vertices > Self::MOST_VERTICES {
            let limit = format!("1 to {}", Self::MOST_VERTICES);
            let what = "number of vertices";
            return Err(KernelError::Parameter { what, value: vertices, limit });
        }
        let layout = SliceLayout::new(vertices);
        let plan = |is_resident| Self { layout, bits, order, is_resident, pages: 2 };
        let fits = |plan: &Self| plan.words() <= core.lmem_words();
        if let Some(plan) = [true, false].map(plan).into_iter().find(fits) {
            return Ok(plan);
        }
        let limit = format!(
            "at most {} of a core: {vertices} vertices with weights of {bits} bits take them for distances, sums, parents and one band \
             of weights; take fewer vertices, fewer bits, or a core with more local memory",
            core.lmem_words()
        );
        let value = plan(false).words();
        Err(KernelError::Parameter { what: "words of local memory", value, limit })
    }

    /// Returns the plan with bands in one page, for which CP2 waits.
    #[must_use]
    pub fn in_one_page(self) -> Self {
        Self { pages: 1, ..self }
    }

    /// Returns the place of slices.
    pub fn layout(&self) -> SliceLayout {
        self.layout
    }

    /// Returns the number of bits of a weight.
    pub fn bits(&self) -> usize {
        self.bits
    }

    /// Returns the number of bits of the number of a parent, which is 0 where there is none.
    pub fn parent_bits(&self) -> usize {
        (self.layout.rows() + 1).next_power_of_two().trailing_zeros() as usize
    }

    /// Whether the whole table of weights stays in local memory.
    pub fn is_resident(&self) -> bool {
        self.is_resident
    }

    /// Returns the columns of a band, from 0, page by page, as passes take them: those of the least significant bits first.
    pub fn pages(&self) -> Vec<Range<usize>> {
        let whole = 0..self.bits;
        if self.is_resident || self.bits == 1 || self.pages == 1 {
            return vec![whole];
        }
        let middle = self.bits / 2;
        vec![middle..self.bits, 0..middle]
    }

    /// Returns the words of a table of so many columns in a section.
    fn table(&self, columns: usize) -> usize {
        columns * self.layout.words()
    }

    /// Returns the address of the band of a vertex, which counts from 0; all have the same place if the table does not stay.
    pub fn band_address(&self, vertex: usize) -> usize {
        if self.is_resident { vertex * self.table(self.bits) } else { 0 }
    }

    /// Returns the address of the distances.
    pub fn distances_address(&self) -> usize {
        let bands = if self.is_resident { self.layout.rows() } else { 1 };
        bands * self.table(self.bits)
    }

    fn sums(&self) -> usize {
        self.distances_address() + self.table(self.bits)
    }

    /// Returns the address of the numbers of the parents.
    pub fn parents_address(&self) -> usize {
        self.sums() + self.table(self.bits)
    }

    /// Address of the carries, of what is known of the comparison, and of the rows without an arc, between two pages of a band.
    fn state(&self) -> usize {
        self.parents_address() + self.table(self.parent_bits())
    }

    /// Returns the address of the slice of the vertices that are still to be taken.
    pub fn open_address(&self) -> usize {
        self.state() + self.table(3)
    }

    /// Address of the rows that got nearer in a pass.
    fn nearer(&self) -> usize {
        self.open_address() + self.table(1)
    }

    /// Address of the rows that may be taken, those with the least distance of their word.
    fn candidates(&self) -> usize {
        self.nearer() + self.table(1)
    }

    /// Address of the least distance of each word.
    fn bests(&self) -> usize {
        self.candidates() + self.table(1)
    }

    /// Address of the least distance of each part of the words.
    fn part_bests(&self) -> usize {
        self.bests() + self.table(1)
    }

    /// Address of the distance of the vertex that was taken, a word of ones or zeros for each column.
    fn distance_masks(&self) -> usize {
        self.part_bests() + self.parts().count()
    }

    /// Address of the number of the vertex that was taken, in the same form.
    fn number_masks(&self) -> usize {
        self.distance_masks() + self.bits
    }

    /// Address of the word that is ones if the vertex that was taken is reached.
    fn reached(&self) -> usize {
        self.number_masks() + self.parent_bits()
    }

    /// Returns the address of two words, of which the first has in its low half the vertex that was taken, counted from 1; 0 if there
    /// was none.
    pub fn result_address(&self) -> usize {
        (self.reached() + 1).next_multiple_of(2)
    }

    /// Returns the words of local memory that the kernels use.
    pub fn words(&self) -> usize {
        self.result_address() + 2
    }

    /// Returns the words of a column that are gone through together, one part after the other.
    fn parts(&self) -> impl Iterator<Item = Range<usize>> {
        let w = self.layout.words();
        (0..w).step_by(PART).map(move |first| first..(first + PART).min(w))
    }

    /// Returns the fewest cycles of a pass: the fuller slot of the loops over columns, or the chain of `MIN`.
    pub fn pass_bound(&self, core: &Core) -> usize {
        let l = core.latencies();
        let decision = l.arithmetic + l.condition + 2 * l.permute;
        let of_part = |words: Range<usize>| {
            let w = words.len();
            // A carry and a comparison are chains of three operations.
            let sums = (10 * w).max(3 * l.arithmetic as usize);
            let least = (4 * w + 1).max(decision as usize);
            self.bits * (sums + 3 * w + least) + self.parent_bits() * 3 * w
        };
        self.parts().map(of_part).sum()
    }

    /// Returns the text of the kernels, in this order: `star_paths_take` takes a vertex; `star_paths_low`, if a band has two pages, adds
    /// the first page; `star_paths_pass` adds the last one, takes the sums over, and takes the next vertex. If the table stays in local
    /// memory, the last takes in `g0` the address of the band.
    pub fn source(&self) -> String {
        let mut out = format!(
            "; shortest paths: {} vertices, {} bits; generated by programs/kernels/src/star/paths.rs.\n",
            self.layout.rows(),
            self.bits
        );
        let take = "        calli   take\n        nop\n        stopi   0\n";
        out += "        .kernel star_paths_take\n";
        out += take;
        let pages = self.pages();
        if let [first, _] = &pages[..] {
            out += "        .kernel star_paths_low\n";
            self.add(&mut out, first);
            out += "        stopi   0\n";
        }
        out += "        .kernel star_paths_pass\n";
        if let Some(last) = pages.last() {
            self.add(&mut out, last);
        }
        self.merge(&mut out);
        out += take;
        self.take(&mut out);
        out
    }
}
