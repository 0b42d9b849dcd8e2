//! Pages of local memory: the words of a converted matrix, whatever its format, that are in local memory at once,
//! beside the vector.

use cp2_isa::Core;
use cp2_session::sparse::SparseError;

/// Part of a page, where a page is the part of a converted matrix that lies in local memory at once: neighbouring units
/// of one slice or slab. The format tells the unit, such as a group of four elements of every row of a slice. The
/// methods `pages` of the formats make the parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PagePart {
    /// Number of the slice or slab to which the units belong, from 0.
    pub of: usize,
    /// Number of the part's first unit, counted from 0 in the slice or slab.
    pub first: usize,
    /// Number of units of the part.
    pub units: usize,
}

/// Words of local memory, in each section.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Sizes {
    /// Words of the input vector.
    pub vector: usize,
    /// Words of a part besides its units.
    pub part: usize,
    /// Words of a unit.
    pub unit: usize,
    /// Units that a part must have; every slice has as many or none.
    pub least_units: usize,
}

/// Most words of a page, where local memory is larger than that of CP2: nothing is computed while the first page is
/// loaded, so pages that are twice as large cost more than what they save.
const MOST_WORDS: usize = 4096;

/// Returns the words of a page: half of what the vector leaves, so that the next page can be loaded meanwhile.
pub(super) fn page_words(core: &Core, vector: usize) -> usize {
    (core.lmem_words().saturating_sub(vector) / 4 * 2).min(MOST_WORDS)
}

/// Returns the words of the longest vector that leaves room for a page of so many words.
pub(super) fn longest_vector(core: &Core, page: usize) -> usize {
    core.lmem_words().saturating_sub(4 * page.div_ceil(2))
}

/// Deals slices with these numbers of units to pages. A slice that no page holds is cut into equal parts, but for one unit;
/// one without units is left out.
pub(super) fn deal(
    core: &Core,
    units: &[usize],
    sizes: Sizes,
) -> Result<Vec<Vec<PagePart>>, SparseError> {
    deal_from(core, units, sizes, usize::MAX)
}

/// Deals slices to pages of which the first is as short as the number of pages allows: nothing is computed while it is
/// loaded.
pub(super) fn deal_short_first(
    core: &Core,
    units: &[usize],
    sizes: Sizes,
) -> Result<Vec<Vec<PagePart>>, SparseError> {
    /// Parts of a page of which the first page has a whole number.
    const STEPS: usize = 8;
    let whole = deal(core, units, sizes)?;
    let capacity = page_words(core, sizes.vector);
    for step in 1..STEPS {
        let pages = deal_from(core, units, sizes, capacity * step / STEPS)?;
        if pages.len() == whole.len() {
            return Ok(pages);
        }
    }
    Ok(whole)
}

/// Deals slices to pages of which the first has no more words than `short`, if a slice leaves it so many.
fn deal_from(
    core: &Core,
    units: &[usize],
    sizes: Sizes,
    short: usize,
) -> Result<Vec<Vec<PagePart>>, SparseError> {
    let capacity = page_words(core, sizes.vector);
    // Equal parts of more than n units, with at most 2 n - 1 in each, have at least n units.
    let least = sizes.part + (2 * sizes.least_units - 1) * sizes.unit;
    if capacity < least {
        let limit = longest_vector(core, least);
        return Err(SparseError::TooLong { words: sizes.vector, limit });
    }
    let largest = (capacity - sizes.part) / sizes.unit;
    let mut pages: Vec<Vec<PagePart>> = Vec::new();
    let mut free = 0;
    for (of, &units) in units.iter().enumerate() {
        let parts = units.div_ceil(largest);
        for p in 0..parts {
            let first = units * p / parts;
            let part = PagePart { of, first, units: units * (p + 1) / parts - first };
            let words = sizes.part + part.units * sizes.unit;
            match pages.last_mut() {
                Some(page) if words <= free => page.push(part),
                _ => {
                    free = if pages.is_empty() { capacity.min(short) } else { capacity };
                    pages.push(vec![part]);
                }
            }
            free = free.saturating_sub(words);
        }
    }
    Ok(pages)
}
