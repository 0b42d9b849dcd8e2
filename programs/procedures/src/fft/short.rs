//! Short FFTs by pages: each section holds whole vectors, dealt out by the channel.

use crate::host::pages::{BANK_WORDS, Command, Page, in_banks};
use crate::host::walks::run_of;
use crate::host::{Call, Host, pages};
use cp2_emu::dma::{Descriptor, LocalStride, LocalWalk, Pattern};
use cp2_isa::{Bytes, Core, MemoryAddress, SECTIONS, WordAddress};
use cp2_kernels::fft;
use cp2_session::error::KernelError;
use num_complex::Complex32;

/// Returns the walk that brings results of a transform in place into order: the first `words` of all `points`, or of one half
/// of them.
pub(crate) fn in_order(core: &Core, points: usize, base: WordAddress, words: usize) -> LocalWalk {
    let half = points / 2;
    // The reversal is over one bit more than addresses have, so that bit 1 of a point's number becomes the last but one bit
    // of its place in the vector.
    let step = (4 * core.lmem_words() / points) as u16;
    let x = LocalStride { step, count: words.min(half) as u16 / 2, reversed: true };
    let count = words.div_ceil(half) as u16;
    let y = LocalStride { step: half as u16, count, reversed: false };
    LocalWalk { base, index: None, x, y }
}

/// Whether there is a kernel for vectors of this number of points.
pub(crate) fn has_kernel(points: usize) -> bool {
    fft::LENGTHS.contains(&points) || points == fft::LONGEST
}

/// Returns the words of local memory for two pages of vectors of this number of points, or for one on a core that holds no two
/// pages anyway.
pub(super) fn least_words(core: &Core, points: usize) -> usize {
    if pages::overlap(core) { 2 * points } else { points }
}

/// Returns the number of words of a page in each section for vectors of this number of points.
fn words(points: usize) -> usize {
    let most = points.max(BANK_WORDS);
    if fft::is_in_place(points) { most } else { most / 2 }
}

/// Returns the number of vectors of a page in each section.
pub(super) fn vectors(points: usize) -> usize {
    words(points) / points
}

/// Transforms the vectors; returns the address of the results and the number of pages.
pub(crate) fn run(
    host: &mut Host,
    points: usize,
    input: &[Complex32],
    progress: &mut dyn FnMut(usize, usize),
) -> Result<(MemoryAddress, usize), KernelError> {
    let (in_place, words) = (fft::is_in_place(points), words(points));
    let page_words = words * SECTIONS;
    let n_pages = input.len().div_ceil(page_words);
    let array = host.allocate(Bytes::of_words(n_pages * page_words))?;
    host.write(array, input)?;
    let core = *host.config().core();
    let entry = host.install_named(&format!("fft{points}.s"), || fft::source(&core, points))?;
    let vectors = words / points;
    let page = |k: usize| {
        let place =
            |word| WordAddress::from_index(pages::in_quarters(&core, k % 2 * BANK_WORDS + word));
        let (from, to) = (place(0), place(if in_place { 0 } else { words }));
        let memory = run_of(array.plus_words(k * page_words), page_words)?;
        let share = LocalWalk::linear(from, words as u16 / 2);
        let results = match in_place {
            true => in_order(&core, points, to, words),
            false => LocalWalk::linear(to, words as u16 / 2),
        };
        Ok(Page {
            prepare: Vec::new(),
            load: vec![Descriptor::get(memory, share, Pattern::dealt(words as u16 / 2))],
            commands: vec![Command::Run(Call::new(entry, vec![from.0, to.0, vectors as u16 - 1]))],
            unload: vec![Descriptor::put(memory, results, 0)],
        })
    };
    let pages = (0..n_pages).map(page).collect::<Result<Vec<_>, KernelError>>()?;
    pages::run(host, &in_banks(&core, pages), &mut |done| progress(done, n_pages))?;
    Ok((array, n_pages))
}
