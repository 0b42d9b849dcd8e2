//! The product by a sparse matrix without padding between its rows: the places in local memory, and the code that runs
//! the kernel. Rows are dealt to slices and sections as in `sliced`; the text is in `counted_kernel`.

use super::Sliced;
use super::counted_kernel::source;
use super::packed::word_of;
use super::pages::{PagePart, Sizes};
use super::run::{Machine, Report, pair, words_of_pairs};
use super::sections::{pairs, results_of, sums_of, word_of_column};
use super::sections_kernel::{LEAST_UNITS, TURN};
use super::sliced::GROUP;
use cp2_isa::SECTIONS;
use cp2_session::error::KernelError;
use cp2_session::execution::Execution;
use cp2_session::sparse::Csr;

/// Multiplies a matrix by the vector `x` on CP2 alone, by the kernel of [`counted_source`](super::counted_source),
/// which stores rows without padding. `sliced` is the same matrix cut into slices, which tells the order of rows. The
/// report counts the runs of the kernel on all pages, which are the parts of the matrix that lie in local memory one
/// after the other, and the cycles of copying the vector with the halves of its words exchanged.
///
/// # Errors
/// `x` has not one finite element for each column, local memory has no room for a page, the core lacks the extensions
/// `section-addressing` and `section-counters`, or a run does not end.
pub fn multiply(
    matrix: &Csr,
    sliced: &Sliced,
    x: &[f32],
    on: &Execution,
) -> Result<Report, KernelError> {
    cp2_session::sparse::check_vector(sliced.columns, x)?;
    let rows = sliced.section_rows();
    let words = pairs(sliced.columns);
    let sizes = Sizes {
        vector: 2 * words,
        part: rows / 2 + counter_words(rows),
        // As if all rows were as long as the longest: where a part begins must not depend on the section.
        unit: 3 * rows,
        least_units: LEAST_UNITS,
    };
    let pages = sliced.pages_of(&on.core, sizes)?;
    let text = format!("{}{TURN}", source(sliced.height)?);
    let mut machine = Machine::new("spmv_counted.s", &text, on)?;
    let mut product = Report::new(sliced.order.len().next_multiple_of(sliced.height));
    let units: usize = pages.iter().flatten().map(|part| part.units).sum();
    product.multiplications = (units * sliced.height * GROUP / (2 * SECTIONS)) as u64;
    product.nonzeros = sliced.nonzeros;
    for section in 0..SECTIONS {
        words_of_pairs(machine.lmem(), 0, section, x.iter().map(|v| v.to_bits()));
    }
    product.spread_cycles = machine.run(1, &[0, words, words / 2])?.cycles;
    for page in &pages {
        multiply_page(&mut machine, (matrix, sliced), page, &mut product)?;
    }
    Ok(product.in_order(&sliced.order, sliced.rows))
}

/// Returns the words of counters of a part: two for the longest row, one for two rows.
const fn counter_words(rows: usize) -> usize {
    2 + rows / 2
}

/// Returns the number of groups that a row of a slice has in a part.
fn groups((matrix, sliced): (&Csr, &Sliced), part: &PagePart, row: usize) -> usize {
    let place = sliced.order.get(part.of * sliced.height + row);
    let all = place.map_or(0, |&row| matrix.row(row).len().div_ceil(GROUP));
    all.saturating_sub(part.first).min(part.units)
}

fn multiply_page(
    machine: &mut Machine,
    both: (&Csr, &Sliced),
    page: &[PagePart],
    product: &mut Report,
) -> Result<(), KernelError> {
    let (_, sliced) = both;
    let rows = sliced.section_rows();
    let results = 2 * pairs(sliced.columns);
    let counters = results + page.len() * rows / 2;
    let values = counters + page.len() * counter_words(rows);
    // Groups of each section, in the order in which the loop takes them.
    let mut streams: [Vec<[(u32, f32); GROUP]>; SECTIONS] = Default::default();
    let lmem = machine.lmem();
    for (i, part) in page.iter().enumerate() {
        let count = |r: usize, s: usize| groups(both, part, r * SECTIONS + s);
        let at = counters + i * counter_words(rows);
        for (s, stream) in streams.iter_mut().enumerate() {
            let longest = (0..rows).map(|r| count(r, s)).max().unwrap_or_default();
            lmem[at][s] = longest.max(LEAST_UNITS) as u64;
            for r in (0..rows).step_by(2) {
                lmem[at + 2 + r / 2][s] = pair(count(r + 1, s) as u32, count(r, s) as u32);
            }
            let taken = (0..part.units).flat_map(|unit| (0..rows).map(move |r| (unit, r)));
            stream.extend(
                taken
                    .filter(|&(unit, r)| unit < count(r, s))
                    .map(|(unit, r)| sliced.elements(part.of, part.first + unit, r * SECTIONS + s)),
            );
        }
        let y = &product.y[part.of * sliced.height..][..sliced.height];
        sums_of(y, &mut lmem[results + i * rows / 2..]);
    }
    let longest = streams.iter().map(Vec::len).max().unwrap_or_default();
    let columns = values + longest * GROUP / 2;
    for (s, stream) in streams.iter().enumerate() {
        for (k, elements) in stream.iter().enumerate() {
            let bits = elements.iter().map(|(_, value)| value.to_bits());
            words_of_pairs(lmem, values + GROUP / 2 * k, s, bits);
            let place = |(column, _): (u32, f32)| word_of_column(sliced.columns, column as usize);
            lmem[columns + k][s] = word_of(elements.map(place));
        }
        product.bytes += 8 * (3 * stream.len() + page.len() * counter_words(rows));
    }
    let arguments = [values, columns, results, counters, page.len()];
    product.add_run(&machine.run(0, &arguments)?);
    for (i, part) in page.iter().enumerate() {
        let y = &mut product.y[part.of * sliced.height..][..sliced.height];
        results_of(&machine.lmem()[results + i * rows / 2..], y);
    }
    Ok(())
}
