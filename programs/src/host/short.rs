//! Short FFTs by pages: each section holds whole vectors, dealt out by the channel.

use super::fft::Options;
use super::pages::{self, Page};
use super::session::{Call, Host};
use crate::error::KernelError;
use crate::fft;
use cp2_emu::dma::{Descriptor, LocalStride, LocalWalk, MemoryWalk, Pattern};
use cp2_isa::{BANK_WORDS, SECTIONS};
use num_complex::Complex32;

/// Bytes of a complex number.
const WORD_BYTES: u32 = 8;
/// Beats of a burst: one row of the memory walk is a run of bursts without a gap.
const BURST_BEATS: u32 = 32;

/// `words` words of memory from an address on.
fn run_of(address: u32, words: u32) -> Result<MemoryWalk, KernelError> {
    MemoryWalk::rows_in_bursts(address, words / 2, 0, 1, BURST_BEATS)
        .ok_or_else(|| KernelError::Channel(format!("{words} words are no whole number of beats")))
}

/// The walk that brings the results of a vector into order.
fn results(points: usize, base: u16, words: u16) -> LocalWalk {
    if !fft::is_in_place(points) {
        return LocalWalk::linear(base, words / 2);
    }
    let x = LocalStride { step: 8, count: 1024, reversed: true };
    let y = LocalStride { step: 2048, count: 2, reversed: false };
    LocalWalk { base, index: None, x, y }
}

/// Transforms the vectors and tells where the results are, and how many pages it took.
pub(super) fn run(
    host: &mut Host,
    points: usize,
    input: &[Complex32],
    options: &Options,
    progress: &mut dyn FnMut(usize, usize),
) -> Result<(u32, usize), KernelError> {
    let in_place = fft::is_in_place(points);
    let words = if in_place { BANK_WORDS } else { BANK_WORDS / 2 };
    let page_words = words * SECTIONS;
    let n_pages = input.len().div_ceil(page_words);
    let array = host.allocate(n_pages as u64 * page_words as u64 * u64::from(WORD_BYTES))?;
    host.write(array, input)?;
    let entry = host.install(&format!("fft{points}.s"), &fft::source(points)?)?;
    let vectors = words / points;
    let page = |k: usize| {
        let from = (k % 2 * BANK_WORDS) as u16;
        let to = if in_place { from } else { from + words as u16 };
        let memory = run_of(array + (k * page_words) as u32 * WORD_BYTES, page_words as u32)?;
        let share = LocalWalk::linear(from, words as u16 / 2);
        Ok(Page {
            prepare: Vec::new(),
            load: vec![Descriptor::get(memory, share, Pattern::dealt(words as u16 / 2))],
            call: Call {
                entry,
                arguments: vec![from, to, vectors as u16 - 1],
                least_cycles: vectors as u64 * options.kernel_time.least_cycles(points, false),
            },
            unload: vec![Descriptor::put(memory, results(points, to, words as u16), 0)],
        })
    };
    let pages = (0..n_pages).map(page).collect::<Result<Vec<_>, KernelError>>()?;
    pages::run(host, &pages, &mut |done| progress(done, n_pages))?;
    Ok((array, n_pages))
}
