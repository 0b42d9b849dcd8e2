//! Copies of boxes of whole beats from one place of memory to another, through local memory.

use cp2_emu::dma::{Descriptor, LocalWalk, MemoryWalk, Pattern, Stride};
use cp2_isa::{Bytes, MemoryAddress, SECTIONS, WordAddress};
use cp2_procedures::host::pages::BANK_WORDS;
use cp2_session::error::KernelError;

/// Beats that a section holds.
const SECTION_BEATS: usize = BANK_WORDS;
/// Most beats of a burst.
const LONGEST_BURST: usize = 63;

/// A box of rows of beats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RowBox {
    /// Beats of a row.
    pub(crate) beats: usize,
    /// Number of rows of a plane.
    pub(crate) rows: usize,
    /// Number of planes.
    pub(crate) planes: usize,
}

/// Place of a box in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BoxPlace {
    /// Address of the first beat.
    pub(crate) at: MemoryAddress,
    /// Bytes from a row to the next, and from a plane to the next.
    pub(crate) pitch: [usize; 2],
}

impl RowBox {
    /// Returns the bytes of the box in a buffer.
    pub(crate) const fn bytes(&self) -> usize {
        self.beats * self.rows * self.planes * super::BEAT
    }

    /// Returns the place of the box in a buffer, without gaps.
    pub(crate) const fn in_buffer(&self, at: MemoryAddress) -> BoxPlace {
        let row = self.beats * super::BEAT;
        BoxPlace { at, pitch: [row, row * self.rows] }
    }

    fn walk(&self, place: BoxPlace) -> Result<MemoryWalk, KernelError> {
        let Self { beats, rows, planes } = *self;
        let BoxPlace { at: base, pitch: [row, plane] } = place;
        if rows == 1 {
            let walk = MemoryWalk::rows(base, beats as u32, plane as i32, planes as u32);
            return walk.ok_or(KernelError::Internal("a copy of rows without beats"));
        }
        if beats > LONGEST_BURST {
            return Err(KernelError::Internal("a row of a box is longer than a burst"));
        }
        let x = Stride { step: row as i32, count: rows as u32 };
        let y = Stride { step: plane as i32, count: planes as u32 };
        Ok(MemoryWalk { base, index: None, burst: beats as u8, x, y })
    }

    /// Returns the planes of the parts in which the box goes through local memory.
    fn parts(&self) -> Vec<usize> {
        let plane = self.beats * self.rows;
        let fits = |planes: &usize| {
            let beats = planes * plane;
            let is_dealt = beats.is_multiple_of(SECTIONS) && beats <= SECTIONS * SECTION_BEATS;
            beats <= SECTION_BEATS || is_dealt
        };
        let (mut left, mut parts) = (self.planes, Vec::new());
        while left > 0 {
            let part = (1..=left).rev().find(fits).unwrap_or(1);
            parts.push(part);
            left -= part;
        }
        parts
    }
}

/// Returns the transfers that copy a box from a place to another, part by part.
pub(crate) fn copies(
    of: &RowBox,
    from: BoxPlace,
    to: BoxPlace,
) -> Result<Vec<Descriptor>, KernelError> {
    let (mut transfers, mut first) = (Vec::new(), 0);
    for planes in of.parts() {
        let part = RowBox { planes, ..*of };
        let [from, to] = [from, to].map(|place| {
            let at = place.at + Bytes::from(first * place.pitch[1]);
            part.walk(BoxPlace { at, ..place })
        });
        transfers.extend(through_local_memory(from?, to?, planes * of.beats * of.rows)?);
        first += planes;
    }
    Ok(transfers)
}

/// Returns the transfers that load beats and store them, dealt out to all sections if they can be.
fn through_local_memory(
    from: MemoryWalk,
    to: MemoryWalk,
    beats: usize,
) -> Result<[Descriptor; 2], KernelError> {
    let base = WordAddress(0);
    if beats.is_multiple_of(SECTIONS) && beats <= SECTIONS * SECTION_BEATS {
        let share = (beats / SECTIONS) as u16;
        let get = Descriptor::get(from, LocalWalk::interleaved(base, share), Pattern::dealt(1));
        return Ok([get, Descriptor::put(to, LocalWalk::linear(base, share), 1)]);
    }
    if beats > SECTION_BEATS {
        return Err(KernelError::Internal("a plane of a box is larger than local memory"));
    }
    let local = LocalWalk::linear(base, beats as u16);
    Ok([Descriptor::get(from, local, Pattern::only(0)), Descriptor::put(to, local, 0)])
}
