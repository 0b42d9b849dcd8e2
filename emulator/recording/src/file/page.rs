//! Pages: the memories of a machine in parts of 4 KiB, and how these are packed.

use crate::error::RecordingError;
use cp2_emu::memory::PAGE;
use cp2_emu::state::{Quad, State};
use cp2_isa::{BundleBits, MemoryAddress, Storage};
use lz4_flex::block;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// Memory of which a page is a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) enum Space {
    /// Local memory of all sections, by word, then section, little-endian.
    Local,
    /// Instruction memory, little-endian; the upper word of a bundle behind the lower one, on cores that have it.
    Instructions,
    /// System memory as it is.
    System,
}

/// A page of one of the memories.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct PageId {
    pub(crate) space: Space,
    pub(crate) number: u32,
}

/// Returns the address at which a page of system memory begins.
pub(crate) fn address(number: u32) -> MemoryAddress {
    MemoryAddress(u64::from(number) * PAGE as u64)
}

/// Number of words of local memory, in all sections, of a page.
const QUADS: usize = PAGE / size_of::<Quad>();

/// Returns the number of 64-bit words of a bundle.
pub(crate) fn words_of_bundle(state: &State) -> usize {
    if state.count(Storage::IramUpper) > 0 { 2 } else { 1 }
}

/// Returns the number of bundles of a page.
fn bundles_of_page(state: &State) -> usize {
    PAGE / 8 / words_of_bundle(state)
}

/// Returns the pages of local memory and instruction memory.
pub(crate) fn pages_of(state: &State) -> impl Iterator<Item = PageId> + use<> {
    let local = state.lmem.len().div_ceil(QUADS) as u32;
    let instructions = state.iram.len().div_ceil(bundles_of_page(state)) as u32;
    let all = |space, n| (0..n).map(move |number| PageId { space, number });
    all(Space::Local, local).chain(all(Space::Instructions, instructions))
}

/// Returns the part of local memory or instruction memory that a page is, as words; the last may be shorter.
fn part(state: &State, page: PageId) -> Cow<'_, [u64]> {
    let number = page.number as usize;
    match page.space {
        Space::Local => {
            let quads = &state.lmem[number * QUADS..];
            Cow::Borrowed(quads[..quads.len().min(QUADS)].as_flattened())
        }
        Space::Instructions => {
            let (count, width) = (bundles_of_page(state), words_of_bundle(state));
            let bundles = state.iram[number * count..].iter().take(count);
            let words =
                |&bits: &BundleBits| [bits as u64, (bits >> 64) as u64].into_iter().take(width);
            bundles.flat_map(words).collect()
        }
        Space::System => Cow::Borrowed(&[]),
    }
}

/// Words of local memory and instruction memory as they were kept last.
#[derive(Debug, Default)]
pub(crate) struct Shadow(Vec<Box<[u64]>>);

impl Shadow {
    /// Finds the pages that differ from those that were kept last, and keeps them. The first time, all pages that are not 0
    /// differ.
    pub(crate) fn changed(&mut self, state: &State, mut keep: impl FnMut(PageId, &[u8])) {
        if self.0.is_empty() {
            let zero = |page| vec![0; part(state, page).len()].into_boxed_slice();
            self.0 = pages_of(state).map(zero).collect();
        }
        let mut bytes = [0; PAGE];
        for (page, kept) in pages_of(state).zip(&mut self.0) {
            let words = part(state, page);
            if **kept != *words {
                kept.copy_from_slice(&words);
                for (bytes, word) in bytes.as_chunks_mut().0.iter_mut().zip(words.iter()) {
                    *bytes = word.to_le_bytes();
                }
                bytes[words.len() * 8..].fill(0);
                keep(page, &bytes);
            }
        }
    }
}

/// Puts a page of local memory or instruction memory to its place.
pub(crate) fn restore(state: &mut State, page: PageId, bytes: &[u8]) {
    let number = page.number as usize;
    match page.space {
        Space::Local => {
            let quads = &mut state.lmem[number * QUADS..];
            let n = quads.len().min(QUADS);
            for (word, bytes) in quads[..n].as_flattened_mut().iter_mut().zip(bytes.as_chunks().0) {
                *word = u64::from_le_bytes(*bytes);
            }
        }
        Space::Instructions => {
            let (count, width) = (bundles_of_page(state), words_of_bundle(state));
            let bundles = state.iram[number * count..].iter_mut();
            bundles.zip(bundles_in(bytes, width)).for_each(|(to, bits)| *to = bits);
        }
        Space::System => {}
    }
}

/// Returns the bundles that the bytes of a page are, of `width` words each.
pub(crate) fn bundles_in(bytes: &[u8], width: usize) -> impl Iterator<Item = BundleBits> {
    bytes.chunks_exact(8 * width).map(|bundle| {
        let words = bundle.as_chunks().0.iter().rev();
        words.fold(0, |bits, word| bits << 64 | BundleBits::from(u64::from_le_bytes(*word)))
    })
}

/// Whether a page is 0 everywhere.
pub(crate) fn is_zero(bytes: &[u8]) -> bool {
    bytes.as_chunks::<8>().0.iter().all(|chunk| u64::from_ne_bytes(*chunk) == 0)
}

/// Packer of pages. A page that does not become smaller stays as it is, and after some such pages only one of a few is tried,
/// so that results that look like noise cost next to nothing.
#[derive(Debug, Default)]
pub(crate) struct Packer {
    /// Number of pages since one became smaller.
    failures: u32,
}

impl Packer {
    const PATIENCE: u32 = 16;
    const EVERY: u32 = 16;

    /// Appends a page to `to`, packed if it is worth it; bytes that are as many as those of a page are not packed.
    pub(crate) fn pack(&mut self, bytes: &[u8], to: &mut Vec<u8>) {
        if self.failures < Self::PATIENCE || self.failures.is_multiple_of(Self::EVERY) {
            let begin = to.len();
            to.resize(begin + block::get_maximum_output_size(bytes.len()), 0);
            let packed = block::compress_into(bytes, &mut to[begin..]).unwrap_or(usize::MAX);
            if packed < bytes.len() - bytes.len() / 16 {
                to.truncate(begin + packed);
                self.failures = 0;
                return;
            }
            to.truncate(begin);
        }
        self.failures += 1;
        to.extend_from_slice(bytes);
    }
}

/// Returns the bytes of a page that was packed; those of one that was not are `packed` itself.
pub(crate) fn unpack<'a>(
    packed: &'a [u8],
    room: &'a mut [u8; PAGE],
) -> Result<&'a [u8], RecordingError> {
    if packed.len() == PAGE {
        return Ok(packed);
    }
    match block::decompress_into(packed, room) {
        Ok(PAGE) => Ok(room),
        _ => Err(RecordingError::Damaged("a page of memory")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_come_back_packed_or_not() {
        let mut packer = Packer::default();
        let noise = |k: usize| (k as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15).to_le_bytes()[7];
        let noisy: Vec<u8> = (0..PAGE).map(|k| noise(k * k + 3 * k)).collect();
        let smooth: Vec<u8> = (0..PAGE).map(|k| (k / 700) as u8).collect();
        let mut lengths = Vec::new();
        let tried = (0..40).map(|_| &noisy).chain((0..20).map(|_| &smooth));
        for page in tried {
            let mut packed = Vec::new();
            packer.pack(page, &mut packed);
            lengths.push(packed.len());
            assert_eq!(unpack(&packed, &mut [0; PAGE]).unwrap(), page);
        }
        assert!(lengths[..40].iter().all(|&n| n == PAGE));
        assert!(lengths[59] < 200, "{lengths:?}");
    }

    #[test]
    fn a_page_that_says_more_or_less_than_a_page_is_refused() {
        for length in [0, 100, PAGE - 1, PAGE + 1, 3 * PAGE] {
            let packed = block::compress(&vec![7; length]);
            assert!(unpack(&packed, &mut [0; PAGE]).is_err(), "{length}");
        }
    }
}
