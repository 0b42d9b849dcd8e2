//! Short FFTs by pages: each section holds whole vectors, dealt out by the channel.

use super::pages::{self, BANK_WORDS, Command, Page};
use super::session::{Call, Host};
use super::walks::{WORD_BYTES, run_of};
use crate::error::KernelError;
use crate::fft;
use cp2_emu::dma::{Descriptor, LocalStride, LocalWalk, Pattern};
use cp2_isa::{SECTIONS, WordAddress};
use num_complex::Complex32;

/// The walk that brings results of `fft4096` into order: the first `words` of a whole bank, or of one
/// half of it.
pub(super) fn in_order(base: WordAddress, words: usize) -> LocalWalk {
    const HALF: usize = BANK_WORDS / 2;
    let x = LocalStride { step: 8, count: words.min(HALF) as u16 / 2, reversed: true };
    let count = words.div_ceil(HALF) as u16;
    let y = LocalStride { step: HALF as u16, count, reversed: false };
    LocalWalk { base, index: None, x, y }
}

/// Transforms the vectors and tells where the results are, and how many pages it took.
pub(super) fn run(
    host: &mut Host,
    points: usize,
    input: &[Complex32],
    progress: &mut dyn FnMut(usize, usize),
) -> Result<(u32, usize), KernelError> {
    let in_place = fft::is_in_place(points);
    let words = if in_place { BANK_WORDS } else { BANK_WORDS / 2 };
    let page_words = words * SECTIONS;
    let n_pages = input.len().div_ceil(page_words);
    let array = host.allocate((n_pages * page_words * WORD_BYTES) as u64)?;
    host.write(array, input)?;
    let core = *host.config().core();
    let entry = host.install(&format!("fft{points}.s"), || fft::source(&core, points))?;
    let vectors = words / points;
    let page = |k: usize| {
        let from = WordAddress::from_index(k % 2 * BANK_WORDS);
        let to = if in_place { from } else { from.plus(words as u16) };
        let memory = run_of(array as usize + k * page_words * WORD_BYTES, page_words)?;
        let share = LocalWalk::linear(from, words as u16 / 2);
        let results = match in_place {
            true => in_order(to, words),
            false => LocalWalk::linear(to, words as u16 / 2),
        };
        Ok(Page {
            prepare: Vec::new(),
            load: vec![Descriptor::get(memory, share, Pattern::dealt(words as u16 / 2))],
            commands: vec![Command::Run(Call {
                entry,
                arguments: vec![from.0, to.0, vectors as u16 - 1],
                least_cycles: 0,
            })],
            unload: vec![Descriptor::put(memory, results, 0)],
        })
    };
    let pages = (0..n_pages).map(page).collect::<Result<Vec<_>, KernelError>>()?;
    pages::run(host, &pages, &mut |done| progress(done, n_pages))?;
    Ok((array, n_pages))
}
