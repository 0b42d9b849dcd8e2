//! Walks through memory and local memory that several procedures use. What is moved, and when, is up to the procedures.

use cp2_emu::dma::{Descriptor, LocalWalk, MemoryWalk, Pattern};
use cp2_isa::{MemoryAddress, SECTIONS, WordAddress};
use cp2_session::error::KernelError;

/// Bytes of a complex number.
pub const WORD_BYTES: usize = 8;
/// Beats of the longest burst: a power of two, so that it divides rows.
pub(crate) const BURST_BEATS: usize = 32;

/// Returns the walk over `rows` rows of `words` words, `pitch` words apart; `base` is the address of the first one.
pub fn rows_of(
    base: MemoryAddress,
    words: usize,
    pitch: usize,
    rows: usize,
) -> Result<MemoryWalk, KernelError> {
    let [beats, rows] = [words / 2, rows].map(|n| n as u32);
    let pitch = (pitch * WORD_BYTES) as i32;
    MemoryWalk::rows_in_bursts(base, beats, pitch, rows, BURST_BEATS as u32)
        .ok_or(KernelError::Internal("words that are no whole number of beats"))
}

/// Returns the walk over `words` words of memory from an address on.
pub fn run_of(address: MemoryAddress, words: usize) -> Result<MemoryWalk, KernelError> {
    rows_of(address, words, 0, 1)
}

/// Returns the transfer that clears the same words of every section: it loads a burst of zeros at `zeros` again and again, so
/// that four words cost the channel one.
pub(crate) fn clear(zeros: MemoryAddress, local: LocalWalk) -> Result<Descriptor, KernelError> {
    let beats = usize::from(local.x.count.max(1)) * usize::from(local.y.count.max(1));
    let mut memory = run_of(zeros, 2 * beats)?;
    memory.x.step = 0;
    Ok(Descriptor::get(memory, local, [Pattern::ALL; SECTIONS]))
}

/// Returns the transfer that deals words of memory to the sections beat by beat: `words` of them in each, from the place `to`
/// on.
pub fn get_dealt(
    from: MemoryAddress,
    words: usize,
    to: WordAddress,
) -> Result<Descriptor, KernelError> {
    let local = LocalWalk::interleaved(to, (words / 2) as u16);
    Ok(Descriptor::get(run_of(from, words * SECTIONS)?, local, Pattern::dealt(1)))
}

/// Returns the transfer that stores words of all sections beat by beat: `words` of each, from the place `from` on.
pub fn put_dealt(
    from: WordAddress,
    words: usize,
    to: MemoryAddress,
) -> Result<Descriptor, KernelError> {
    let local = LocalWalk::linear(from, (words / 2) as u16);
    Ok(Descriptor::put(run_of(to, words * SECTIONS)?, local, 1))
}

/// Returns the transfer that loads words of memory into every section.
pub fn get_all(
    from: MemoryAddress,
    words: usize,
    to: WordAddress,
) -> Result<Descriptor, KernelError> {
    let local = LocalWalk::linear(to, (words / 2) as u16);
    Ok(Descriptor::get(run_of(from, words)?, local, [Pattern::ALL; SECTIONS]))
}
