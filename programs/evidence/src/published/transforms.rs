//! Pages of the published FFTs: whole vectors up to 4096 points, two passes above. Pages alternate
//! between the halves of local memory; kernels work in place.

use super::Reading;
use cp2_emu::dma::{Descriptor, LocalWalk, Pattern};
use cp2_isa::{Bytes, SECTIONS, WordAddress};
use cp2_procedures::fft::long::{Long, Split};
use cp2_procedures::host::pages::{BANK_WORDS, Page};
use cp2_procedures::host::walks::run_of;
use cp2_procedures::host::{Host, pages};
use cp2_session::error::KernelError;

/// Returns the first word of the half of local memory that a page is in, and the first word of the half of that half
/// for factors.
pub(super) fn places(page: usize) -> [WordAddress; 2] {
    let bank = page % 2 * BANK_WORDS;
    [bank, bank + BANK_WORDS / 2].map(WordAddress::from_index)
}

/// Transforms `units` pages of whole vectors, or `units` vectors in passes.
pub(super) fn run(
    host: &mut Host,
    points: usize,
    units: usize,
    reading: &Reading,
) -> Result<(), KernelError> {
    if points > BANK_WORDS {
        return passes(host, points, units, reading);
    }
    let words = reading.page_words.max(points);
    let page_words = words * SECTIONS;
    let array = host.allocate(Bytes::of_words(units * page_words))?;
    let page = |k: usize| {
        let memory = run_of(array.plus_words(k * page_words), page_words)?;
        let walk = LocalWalk::linear(places(k)[0], words as u16 / 2);
        let share = Pattern::dealt(words as u16 / 2);
        Ok(Page {
            prepare: Vec::new(),
            load: vec![Descriptor::get(memory, walk, share)],
            commands: reading.transforms(points, words / points, false, false),
            unload: vec![Descriptor::put(memory, walk, 0)],
        })
    };
    let pages = (0..units).map(page).collect::<Result<Vec<_>, KernelError>>()?;
    pages::run(host, &pages, &mut |_| {})
}

/// Transforms vectors in passes: columns, which are multiplied by factors that come with every page ("sent with the
/// page"), then rows.
fn passes(
    host: &mut Host,
    points: usize,
    vectors: usize,
    reading: &Reading,
) -> Result<(), KernelError> {
    let words = reading.pass_words;
    let long = Long::new(host, Split::required(points)?, words, vectors)?;
    let Split { n1, n2 } = long.split;
    let page = |k: usize| {
        let (block, vector) = (k / vectors, k % vectors);
        let [place, factors] = places(k);
        Ok(Page {
            prepare: Vec::new(),
            load: vec![long.load_block(block, vector, place)?, long.load_table(block, factors)?],
            commands: reading.transforms(n1, words / n1, true, true),
            unload: long.unload_block(block, vector, place),
        })
    };
    let pages = (0..long.blocks() * vectors).map(page);
    pages::run(host, &pages.collect::<Result<Vec<_>, KernelError>>()?, &mut |_| {})?;
    let page = |k: usize| {
        let (group, vector) = (k % long.groups(), k / long.groups());
        let [place, _] = places(k);
        Ok(Page {
            prepare: Vec::new(),
            load: vec![long.load_group(group, vector, place)?],
            commands: reading.transforms(n2, words / n2, false, true),
            unload: vec![long.unload_group(group, vector, place)?],
        })
    };
    let pages = (0..long.groups() * vectors).map(page);
    pages::run(host, &pages.collect::<Result<Vec<_>, KernelError>>()?, &mut |_| {})
}
