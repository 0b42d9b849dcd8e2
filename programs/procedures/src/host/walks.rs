//! Walks through memory and local memory that several procedures use, and transfers of contiguous words. What is moved,
//! and when, is up to the procedures.

use cp2_emu::dma::{Descriptor, LocalWalk, MemoryWalk, Pattern};
use cp2_isa::{MemoryAddress, SECTIONS, WordAddress};
use cp2_session::error::KernelError;

/// Bytes of a complex number in single precision, which is one word of 64 bits.
pub const WORD_BYTES: usize = 8;
/// Beats of the longest burst: a power of two, so that it divides rows.
pub(crate) const BURST_BEATS: usize = 32;

/// Returns the walk through system memory over `rows` rows of `words` words of 64 bits, an even number, from the
/// address `base` on; `pitch` is the number of words from the begin of a row to that of the next.
///
/// # Errors
/// The number of words in a row is odd or 0: a beat has two words.
pub fn rows_of(
    base: MemoryAddress,
    words: usize,
    pitch: usize,
    rows: usize,
) -> Result<MemoryWalk, KernelError> {
    let [beats, rows] = [beats_of(words)?, rows].map(|n| n as u32);
    let pitch = (pitch * WORD_BYTES) as i32;
    MemoryWalk::rows_in_bursts(base, beats, pitch, rows, BURST_BEATS as u32).ok_or(NO_BEATS)
}

/// The error of a transfer of an odd number of words, or of none.
const NO_BEATS: KernelError = KernelError::Internal("the words are not a whole number of beats");

/// Returns the number of beats, of two words each, that carry `words` words.
fn beats_of(words: usize) -> Result<usize, KernelError> {
    if words == 0 || !words.is_multiple_of(2) { Err(NO_BEATS) } else { Ok(words / 2) }
}

/// Returns the walk through system memory over `words` contiguous words of 64 bits, an even number, from an address on.
///
/// # Errors
/// The number of words is odd or 0: a beat has two words.
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

/// Returns the transfer that deals contiguous words of system memory to the sections in turn, beat by beat: `words`
/// words, an even number, to each section, from word `to` of its local memory on.
///
/// # Errors
/// The number of words of a section is odd or 0: a beat has two words.
pub fn get_dealt(
    from: MemoryAddress,
    words: usize,
    to: WordAddress,
) -> Result<Descriptor, KernelError> {
    let local = LocalWalk::interleaved(to, beats_of(words)? as u16);
    Ok(Descriptor::get(run_of(from, words * SECTIONS)?, local, Pattern::dealt(1)))
}

/// Returns the transfer that stores `words` words, an even number, of each section, from word `from` of its local
/// memory on, contiguously in system memory: a beat of each section in turn.
///
/// # Errors
/// The number of words of a section is odd or 0: a beat has two words.
pub fn put_dealt(
    from: WordAddress,
    words: usize,
    to: MemoryAddress,
) -> Result<Descriptor, KernelError> {
    let local = LocalWalk::linear(from, beats_of(words)? as u16);
    Ok(Descriptor::put(run_of(to, words * SECTIONS)?, local, 1))
}

/// Returns the transfer that loads the same `words` contiguous words of system memory, an even number, into every
/// section, from word `to` of its local memory on.
///
/// # Errors
/// The number of words is odd or 0: a beat has two words.
pub fn get_all(
    from: MemoryAddress,
    words: usize,
    to: WordAddress,
) -> Result<Descriptor, KernelError> {
    let local = LocalWalk::linear(to, beats_of(words)? as u16);
    Ok(Descriptor::get(run_of(from, words)?, local, [Pattern::ALL; SECTIONS]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_odd_number_of_words_is_no_transfer() {
        let (memory, local) = (MemoryAddress(64), WordAddress(0));
        for words in [0, 1, 3, 7] {
            assert!(rows_of(memory, words, 8, 2).is_err() && run_of(memory, words).is_err());
            assert!(get_dealt(memory, words, local).is_err(), "{words}");
            assert!(
                put_dealt(local, words, memory).is_err() && get_all(memory, words, local).is_err()
            );
        }
        assert!(get_dealt(memory, 2, local).is_ok() && put_dealt(local, 2, memory).is_ok());
    }
}
