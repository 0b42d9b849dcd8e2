//! Where slices and tables lie in local memory: the 64-bit words of a slice in contiguous shares, one for each section.

use cp2_emu::state::Quad;
use cp2_isa::SECTIONS;
use cp2_session::error::KernelError;

/// Rows of a word.
const ROWS: usize = 64;

/// The place of slices of so many rows. A slice takes a run of words at one address in all sections: section 0 has its first words,
/// section 1 those that follow. Row `r`, from 0, is bit `r mod 64` of word `r div 64`. Words behind the last row are 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SliceLayout {
    rows: usize,
    words: usize,
}

impl SliceLayout {
    /// Returns the place of slices of `rows` rows. Words of a section are even in number, for loads of two.
    pub fn new(rows: usize) -> Self {
        Self { rows, words: rows.div_ceil(ROWS * SECTIONS).max(1).next_multiple_of(2) }
    }

    /// Returns the number of rows.
    pub fn rows(self) -> usize {
        self.rows
    }

    /// Returns the number of words of a slice in each section.
    pub fn words(self) -> usize {
        self.words
    }

    /// Returns section, word and bit of a row, which counts from 0.
    pub fn place(self, row: usize) -> (usize, usize, usize) {
        let word = row / ROWS;
        (word / self.words, word % self.words, row % ROWS)
    }

    /// Writes a slice, given as its words of 64 rows, to the begin of a part of local memory.
    pub fn write(self, lmem: &mut [Quad], slice: &[u64]) {
        for (at, place) in lmem.iter_mut().take(self.words).enumerate() {
            for (section, word) in place.iter_mut().enumerate() {
                *word = slice.get(section * self.words + at).copied().unwrap_or(0);
            }
        }
    }

    /// Writes slices one behind the other.
    pub fn write_all(self, lmem: &mut [Quad], slices: &[Vec<u64>]) {
        let places = lmem.chunks_exact_mut(self.words);
        places.zip(slices).for_each(|(place, slice)| self.write(place, slice));
    }

    /// Returns the slice at the begin of a part of local memory, as its words of 64 rows.
    pub fn read(self, lmem: &[Quad]) -> Vec<u64> {
        let word = |word: usize| lmem[word % self.words][word / self.words];
        (0..self.rows.div_ceil(ROWS)).map(word).collect()
    }

    /// Returns slices that lie one behind the other.
    pub fn read_all(self, lmem: &[Quad], count: usize) -> Vec<Vec<u64>> {
        lmem.chunks_exact(self.words).take(count).map(|place| self.read(place)).collect()
    }
}

/// Refuses slices of more words in a section than registers hold in a kernel.
pub(super) fn check_rows(layout: SliceLayout, most_words: usize) -> Result<(), KernelError> {
    if layout.words <= most_words {
        return Ok(());
    }
    let most = ROWS * SECTIONS * most_words;
    let limit =
        format!("at most {most}, for which there are registers; take the rows in parts of so many");
    Err(KernelError::Parameter { what: "number of rows", value: layout.rows, limit })
}
