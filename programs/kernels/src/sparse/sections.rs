//! The product by a matrix in Sliced CSR on a core with the extension section addressing: the places in local memory,
//! and the code that runs the kernel. Format and pages are those of `sliced`, the texts in `sections_kernel`.

use super::Sliced;
use super::packed::{turned_place, word_of};
use super::pages::{PagePart, Sizes};
use super::run::{Machine, Report, pair, words_of_pairs};
use super::sections_kernel::{Gathering, LEAST_TURNS, LEAST_UNITS, TURN, source};
use super::sliced::GROUP;
use cp2_emu::state::Quad;
use cp2_isa::SECTIONS;
use cp2_session::error::KernelError;
use cp2_session::execution::Execution;

/// Returns the number of words of two elements of the vector: as many lie as they are, and as many with their halves
/// exchanged.
pub(super) fn pairs(columns: usize) -> usize {
    columns.div_ceil(2).next_multiple_of(2).max(2 * LEAST_TURNS)
}

/// Returns the word that has an element of the vector in its low half.
pub(super) fn word_of_column(columns: usize, column: usize) -> u16 {
    turned_place(pairs(columns), column)
}

/// Returns the words of a page in each section.
fn sizes(matrix: &Sliced, gathering: Gathering) -> Sizes {
    let rows = matrix.section_rows();
    Sizes {
        vector: 2 * pairs(matrix.columns),
        // Results two to a word, and the counter, which takes two words so that addresses stay even.
        part: rows / 2 + 2,
        unit: (GROUP / 2 + gathering.column_words()) * rows,
        least_units: LEAST_UNITS,
    }
}

/// Multiplies a matrix by the vector `x` on CP2 alone, by the kernel of [`sections_source`](super::sections_source) for
/// a way of gathering. The report counts all pages, and the cycles in which the vector's halves are exchanged.
///
/// # Errors
/// `x` has not one finite element for each column, local memory has no room for a page, the core lacks the extensions
/// that the kernel needs, or a run does not end.
pub fn multiply(
    matrix: &Sliced,
    x: &[f32],
    gathering: Gathering,
    on: &Execution,
) -> Result<Report, KernelError> {
    cp2_session::sparse::check_vector(matrix.columns, x)?;
    let pages = matrix.pages_of(&on.core, sizes(matrix, gathering))?;
    let text = format!("{}{TURN}", source(matrix.height, gathering)?);
    let mut machine = Machine::new("spmv_sections.s", &text, on)?;
    let mut product = Report::new(matrix.order.len().next_multiple_of(matrix.height));
    let units: usize = pages.iter().flatten().map(|part| part.units).sum();
    product.multiplications = (units * matrix.height * GROUP / (2 * SECTIONS)) as u64;
    product.nonzeros = matrix.nonzeros;
    product.bytes = units * matrix.section_rows() * (2 + gathering.column_words()) * 8 * SECTIONS;
    for section in 0..SECTIONS {
        words_of_pairs(machine.lmem(), 0, section, x.iter().map(|v| v.to_bits()));
    }
    let words = pairs(matrix.columns);
    product.spread_cycles = machine.run(1, &[0, words, words / 2])?.cycles;
    for page in &pages {
        multiply_page(&mut machine, matrix, (page, gathering), &mut product)?;
    }
    Ok(product.in_order(&matrix.order, matrix.rows))
}

fn multiply_page(
    machine: &mut Machine,
    matrix: &Sliced,
    (page, gathering): (&[PagePart], Gathering),
    product: &mut Report,
) -> Result<(), KernelError> {
    let rows = matrix.section_rows();
    let results = 2 * pairs(matrix.columns);
    let counters = results + page.len() * rows / 2;
    let values = counters + 2 * page.len();
    let units: usize = page.iter().map(|p| p.units).sum();
    let columns = values + units * rows * GROUP / 2;
    let lmem = machine.lmem();
    let mut group = 0;
    for (i, part) in page.iter().enumerate() {
        lmem[counters + 2 * i] = [part.units as u64; SECTIONS];
        let y = &product.y[part.of * matrix.height..][..matrix.height];
        sums_of(y, &mut lmem[results + i * rows / 2..]);
        for (unit, r) in (part.first..part.first + part.units)
            .flat_map(|unit| (0..rows).map(move |row| (unit, row)))
        {
            for s in 0..SECTIONS {
                let elements = matrix.elements(part.of, unit, r * SECTIONS + s);
                store_group(
                    lmem,
                    (values, columns, group),
                    s,
                    (matrix.columns, elements),
                    gathering,
                );
            }
            group += 1;
        }
    }
    let arguments = [values, columns, results, counters, page.len()];
    product.add_run(&machine.run(0, &arguments)?);
    for (i, part) in page.iter().enumerate() {
        let y = &mut product.y[part.of * matrix.height..][..matrix.height];
        results_of(&machine.lmem()[results + i * rows / 2..], y);
    }
    Ok(())
}

/// Puts the sums of a slice into words: two rows of a section in each, the first one high.
pub(super) fn sums_of(y: &[f32], words: &mut [Quad]) {
    for (two, word) in y.chunks(2 * SECTIONS).zip(words) {
        let at = |k: usize| two[k].to_bits();
        *word = std::array::from_fn(|s| pair(at(s), at(s + SECTIONS)));
    }
}

/// Takes the sums of a slice from words that hold two rows of a section each, the first one high.
pub(super) fn results_of(words: &[Quad], y: &mut [f32]) {
    for (two, word) in y.chunks_mut(2 * SECTIONS).zip(words) {
        for (s, &word) in word.iter().enumerate() {
            two[s] = f32::from_bits((word >> 32) as u32);
            two[s + SECTIONS] = f32::from_bits(word as u32);
        }
    }
}

/// Stores four elements of one row as group `group` of a section.
fn store_group(
    lmem: &mut [Quad],
    (values, columns, group): (usize, usize, usize),
    section: usize,
    (width, elements): (usize, [(u32, f32); GROUP]),
    gathering: Gathering,
) {
    let bits = elements.iter().map(|(_, value)| value.to_bits());
    words_of_pairs(lmem, values + 2 * group, section, bits);
    let places = elements.map(|(column, _)| word_of_column(width, column as usize));
    let at = columns + gathering.column_words() * group;
    if gathering == Gathering::Register {
        lmem[at][section] = word_of(places);
    } else {
        words_of_pairs(lmem, at, section, places.into_iter().map(u32::from));
    }
}
