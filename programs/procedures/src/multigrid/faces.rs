//! Copies of the outermost points of a grid to the faces on the other side: along x as slabs of four points, which go with
//! the pages of an operator (`operator`), then whole rows along y, then whole planes along z, through local memory, so that
//! edges and corners come along. Memory is read and written in order, so that all copies are one run of descriptors without a
//! wait.

use super::grid::{FACES, PaddedGrid};
use crate::host::pages::BANK_WORDS;
use cp2_emu::dma::{
    Descriptor, DescriptorAction, Get, LocalStride, LocalWalk, MemoryWalk, NextDescriptor, Pattern,
    Stride,
};
use cp2_isa::{Bytes, MemoryAddress, SECTIONS, WordAddress};
use cp2_session::error::KernelError;

/// Beats that a section holds.
const SECTION_BEATS: usize = BANK_WORDS;

/// Rows of beats that are copied from one place in memory to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Slab {
    from: MemoryAddress,
    to: MemoryAddress,
    /// Beats of a row.
    beats: usize,
    /// Number of rows, and bytes from one to the next.
    rows: (usize, usize),
}

impl Slab {
    fn walk(&self, base: MemoryAddress) -> Result<MemoryWalk, KernelError> {
        let Self { beats, rows, .. } = *self;
        MemoryWalk::rows(base, beats as u32, rows.1 as i32, rows.0 as u32)
            .ok_or(KernelError::Internal("the beats are not a whole number of bursts"))
    }

    /// Cuts the slab into parts that fit into all sections.
    fn parts(self) -> Vec<Self> {
        let most = (SECTIONS * SECTION_BEATS / self.beats).max(1);
        // A part of whole groups of rows can be dealt out to all sections.
        let most = if most > SECTIONS { most / SECTIONS * SECTIONS } else { most };
        let (count, step) = self.rows;
        let part = |first: usize| {
            let moved = Bytes::from(first * step);
            let rows = (most.min(count - first), step);
            Self { from: self.from + moved, to: self.to + moved, rows, ..self }
        };
        (0..count).step_by(most).map(part).collect()
    }

    /// Returns the transfers that load the slab and store it. A slab that cannot be dealt out goes through the first section.
    fn copies(&self) -> Result<[Descriptor; 2], KernelError> {
        let beats = self.beats * self.rows.0;
        let (from, to) = (self.walk(self.from)?, self.walk(self.to)?);
        if beats.is_multiple_of(SECTIONS) {
            let share = (beats / SECTIONS) as u16;
            let get = Descriptor::get(
                from,
                LocalWalk::interleaved(WordAddress(0), share),
                Pattern::dealt(1),
            );
            let put = Descriptor::put(to, LocalWalk::linear(WordAddress(0), share), 1);
            return Ok([get, put]);
        }
        let local = LocalWalk::linear(WordAddress(0), beats as u16);
        Ok([Descriptor::get(from, local, Pattern::only(0)), Descriptor::put(to, local, 0)])
    }
}

/// Returns the slabs along y, then those along z, two of each.
fn slabs(grid: &PaddedGrid) -> [[Slab; 2]; 2] {
    let ([_, rows, planes], row, plane) = (grid.n, grid.row(), grid.plane());
    let (faces, first) = (FACES as isize, -(FACES as isize));
    // Neighbouring rows are one run of memory.
    let y = |from: isize, to: isize| Slab {
        from: grid.point([-4, from, 0]),
        to: grid.point([-4, to, 0]),
        beats: FACES * grid.row_beats(),
        rows: (planes, plane),
    };
    let z = |from: isize, to: isize| Slab {
        from: grid.point([-4, first, from]),
        to: grid.point([-4, first, to]),
        beats: grid.row_beats(),
        rows: (FACES * (rows + 2 * FACES), row),
    };
    let [rows, planes] = [rows, planes].map(|n| n as isize);
    [[y(0, rows), y(rows - faces, first)], [z(0, planes), z(planes - faces, first)]]
}

/// Returns the transfers that make the faces along x of a grid of two points along an axis: a row is one beat, whose first
/// word has both points. The same word twice is a beat that serves on either side.
fn pairs(grid: &PaddedGrid) -> [Descriptor; 4] {
    let row = |at: isize| {
        let (x, y) = (
            Stride { step: grid.row() as i32, count: 2 },
            Stride { step: grid.plane() as i32, count: 2 },
        );
        MemoryWalk { base: grid.point([at, 0, 0]), index: None, burst: 1, x, y }
    };
    let beats = LocalWalk::linear(WordAddress(0), 4);
    let stride = |step: u16, count: u16| LocalStride { step, count, reversed: false };
    // The first words of the beats go behind their own place, the second ones where they disturb nothing.
    let shifted =
        LocalWalk { base: WordAddress(1), index: None, x: stride(16, 2), y: stride(2, 4) };
    let mut sections = Pattern::only(0);
    sections[0].outer = 1;
    let again = Get {
        memory: row(0),
        local: shifted,
        single_words: true,
        sections,
        next: NextDescriptor::By(1),
    };
    [
        Descriptor::get(row(0), beats, Pattern::only(0)),
        Descriptor::new(DescriptorAction::Get(again)),
        Descriptor::put(row(0), beats, 0),
        Descriptor::put(row(-4), beats, 0),
    ]
}

/// Whether the faces along x go with the pages of an operator: that needs rows of whole beats.
pub(super) const fn go_with_pages(grid: &PaddedGrid) -> bool {
    grid.n[0] > 2
}

/// Returns the transfers that copy each side of a grid to the faces of the other side, along the axes in which the grid is
/// periodic: those of an axis need those of the axes before. Those along x are there only if they do not go with the pages.
pub(super) fn transfers(
    grid: &PaddedGrid,
    periodic: [bool; 3],
) -> Result<Vec<Descriptor>, KernelError> {
    let mut transfers = Vec::new();
    if periodic[0] && !go_with_pages(grid) {
        transfers.extend(pairs(grid));
    }
    let slabs = slabs(grid).into_iter().zip([periodic[1], periodic[2]]);
    let slabs = slabs.filter(|(_, is_periodic)| *is_periodic).flat_map(|(slabs, _)| slabs);
    for part in slabs.flat_map(Slab::parts) {
        transfers.extend(part.copies()?);
    }
    Ok(transfers)
}
