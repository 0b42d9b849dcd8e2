//! Decides which pages of system memory a recording keeps. A page that the run has written can be computed again from the
//! checkpoint before, so it is kept only when it is used again behind the checkpoint after: then the cycles there depend on
//! it. So results that are not read again are not kept, and to compute a page never takes more than the cycles between two
//! checkpoints.

use cp2_emu::memory::{Marks, PAGE, PIECE, SystemMemory};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Number of pages of a piece.
pub(crate) const PAGES: usize = PIECE / PAGE;

/// Piece of memory, as far as it is not kept, as it was at the checkpoint behind which it was not used.
#[derive(Debug)]
struct Held {
    bytes: Arc<[u8]>,
    /// Set of the pages that are not kept, one bit each.
    pages: u16,
    /// Number of the checkpoint since which each page is unchanged.
    since: [u32; PAGES],
}

/// Decision about a page at a checkpoint.
#[derive(Debug)]
pub(crate) enum Fate<'a> {
    /// The page is kept: its number, the number of the checkpoint since which it is unchanged, its bytes.
    Kept(u32, u32, &'a [u8]),
    /// The page can be computed from the checkpoint before: its number.
    Computed(u32),
}

/// Pages that are not kept, by piece.
#[derive(Debug, Default)]
pub(crate) struct System(BTreeMap<usize, Held>);

fn bits(mask: u16) -> impl Iterator<Item = usize> {
    (0..PAGES).filter(move |k| mask >> k & 1 == 1)
}

/// Returns the number of a page in memory.
fn number(piece: usize, page: usize) -> u32 {
    (piece * PAGES + page) as u32
}

fn page_of(bytes: &[u8], page: usize) -> &[u8] {
    &bytes[page * PAGE..][..PAGE]
}

/// Returns the numbers of the pages that were touched.
pub(crate) fn touched(marks: &[(usize, Marks)]) -> impl Iterator<Item = u32> {
    marks.iter().flat_map(|&(piece, m)| bits(m.touched).map(move |page| number(piece, page)))
}

impl System {
    /// Keeps all of a memory, for a first checkpoint: nothing can be computed from an earlier one.
    pub(crate) fn begin(memory: &SystemMemory, keep: &mut dyn FnMut(Fate<'_>)) {
        for (piece, bytes) in memory.pieces() {
            for page in 0..PAGES {
                let bytes = page_of(bytes, page);
                if !crate::file::page::is_zero(bytes) {
                    keep(Fate::Kept(number(piece, page), 0, bytes));
                }
            }
        }
    }

    /// Decides about the pages that were used before checkpoint `now`. Behind a cut (`is_cut`) no page can be computed.
    pub(crate) fn checkpoint(
        &mut self,
        memory: &SystemMemory,
        marks: &[(usize, Marks)],
        (now, is_cut): (u32, bool),
        keep: &mut dyn FnMut(Fate<'_>),
    ) {
        for &(piece, Marks { touched, written }) in marks {
            if let Some(held) = self.0.get_mut(&piece) {
                for page in bits(held.pages & touched) {
                    let bytes = page_of(&held.bytes, page);
                    keep(Fate::Kept(number(piece, page), held.since[page], bytes));
                }
                held.pages &= !touched;
            }
            let Some(bytes) = memory.piece(piece) else { continue };
            if is_cut {
                for page in bits(written) {
                    keep(Fate::Kept(number(piece, page), now, page_of(&bytes, page)));
                }
            } else if written != 0 {
                let new = || Held { bytes: bytes.clone(), pages: 0, since: [0; PAGES] };
                let held = self.0.entry(piece).or_insert_with(new);
                held.bytes = bytes.clone();
                held.pages |= written;
                for page in bits(written) {
                    held.since[page] = now;
                    keep(Fate::Computed(number(piece, page)));
                }
            }
            if self.0.get(&piece).is_some_and(|held| held.pages == 0) {
                self.0.remove(&piece);
            }
        }
    }
}
