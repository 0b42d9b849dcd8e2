//! Copies of the outermost points of a grid to the faces on the other side, through local memory: along
//! x as slabs of four points, then whole rows along y, then whole planes along z, so that edges and
//! corners come along.

use super::grid::Grid;
use crate::error::KernelError;
use crate::host::pages::{BANK_WORDS, Page};
use cp2_emu::dma::{
    Action, Descriptor, Get, LocalStride, LocalWalk, MemoryWalk, Next, Pattern, Stride,
};
use cp2_isa::{SECTIONS, WordAddress};

/// Beats that the bank of a section holds.
const BANK_BEATS: usize = BANK_WORDS / 2;

/// Rows of beats that are copied from a place to another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Slab {
    from: usize,
    to: usize,
    /// Beats of a row.
    beats: usize,
    /// Rows of a plane, and bytes between them.
    rows: (usize, usize),
    /// Planes, and bytes between them.
    planes: (usize, usize),
}

impl Slab {
    fn walk(&self, base: usize) -> Result<MemoryWalk, KernelError> {
        let Self { beats, rows, planes, .. } = *self;
        if beats == 1 {
            let stride =
                |(count, step): (usize, usize)| Stride { step: step as i32, count: count as u32 };
            let (x, y) = (stride(rows), stride(planes));
            return Ok(MemoryWalk { base: base as u32, index: None, burst: 1, x, y });
        }
        MemoryWalk::rows(base as u32, beats as u32, rows.1 as i32, rows.0 as u32).ok_or_else(|| {
            KernelError::Channel(format!("{beats} beats are no whole number of bursts"))
        })
    }

    /// The slab in parts that fit the banks of all sections: of planes if there are several, else of rows.
    fn parts(self) -> Vec<Self> {
        let most = SECTIONS * BANK_BEATS;
        let is_deep = self.planes.0 > 1;
        let (count, step) = if is_deep { self.planes } else { self.rows };
        let of_one = if is_deep { self.beats * self.rows.0 } else { self.beats };
        let most = (most / of_one).max(1);
        // Parts of whole groups of beats can be dealt out to all sections.
        let most = if most > SECTIONS { most / SECTIONS * SECTIONS } else { most };
        (0..count)
            .step_by(most)
            .map(|first| {
                let moved = first * step;
                let (from, to) = (self.from + moved, self.to + moved);
                let part = (most.min(count - first), step);
                if is_deep {
                    Self { from, to, planes: part, ..self }
                } else {
                    Self { from, to, rows: part, ..self }
                }
            })
            .collect()
    }

    fn page(&self, bank: usize) -> Result<Page, KernelError> {
        let beats = self.beats * self.rows.0 * self.planes.0;
        let base = WordAddress::from_index(bank * BANK_WORDS);
        let (local, sections, flow) = if beats.is_multiple_of(SECTIONS) {
            let local = LocalWalk::interleaved(base, (beats / SECTIONS) as u16);
            (local, Pattern::dealt(1), 1)
        } else {
            (LocalWalk::linear(base, beats as u16), Pattern::only(0), 0)
        };
        let back =
            if flow == 1 { LocalWalk::linear(base, (beats / SECTIONS) as u16) } else { local };
        Ok(Page {
            prepare: Vec::new(),
            load: vec![Descriptor::get(self.walk(self.from)?, local, sections)],
            commands: Vec::new(),
            unload: vec![Descriptor::put(self.walk(self.to)?, back, flow)],
        })
    }
}

/// Both slabs of each axis, in their order.
fn slabs(grid: &Grid) -> [[Slab; 2]; 3] {
    let (n, row, plane) = (grid.n as isize, grid.row(), grid.plane());
    let points = grid.n;
    let x = |from: isize, to: isize| Slab {
        from: grid.point([from, 0, 0]),
        to: grid.point([to, 0, 0]),
        beats: 1,
        rows: (points, row),
        planes: (points, plane),
    };
    let y = |from: isize, to: isize| Slab {
        from: grid.point([-4, from, 0]),
        to: grid.point([-4, to, 0]),
        beats: grid.row_beats(),
        rows: (points, plane),
        planes: (1, 0),
    };
    let z = |from: isize, to: isize| Slab {
        from: grid.point([-4, -1, from]),
        to: grid.point([-4, -1, to]),
        beats: grid.row_beats(),
        rows: (points + 2, row),
        planes: (1, 0),
    };
    [[x(0, n), x(n - 4, -4)], [y(0, n), y(n - 1, -1)], [z(0, n), z(n - 1, -1)]]
}

/// The faces along x of a grid of two points along an axis: a row is one beat, whose first word has both points.
/// The same word twice is a beat that serves on either side.
fn pairs(grid: &Grid) -> Page {
    let row = |at: isize| {
        let (x, y) = (
            Stride { step: grid.row() as i32, count: 2 },
            Stride { step: grid.plane() as i32, count: 2 },
        );
        MemoryWalk { base: grid.point([at, 0, 0]) as u32, index: None, burst: 1, x, y }
    };
    let beats = LocalWalk::linear(WordAddress(0), 4);
    let stride = |step: u16, count: u16| LocalStride { step, count, reversed: false };
    // First words behind their own place, second ones where they disturb nothing.
    let shifted =
        LocalWalk { base: WordAddress(1), index: None, x: stride(16, 2), y: stride(2, 4) };
    let mut sections = Pattern::only(0);
    sections[0].outer = 1;
    let again =
        Get { memory: row(0), local: shifted, single_words: true, sections, next: Next::By(1) };
    Page {
        prepare: Vec::new(),
        load: vec![
            Descriptor::get(row(0), beats, Pattern::only(0)),
            Descriptor::new(Action::Get(again)),
        ],
        commands: Vec::new(),
        unload: vec![Descriptor::put(row(0), beats, 0), Descriptor::put(row(-4), beats, 0)],
    }
}

/// The pages that make the faces of a grid what its other side is, axis by axis: those of an axis need the
/// ones before.
pub(super) fn pages(grid: &Grid) -> Result<Vec<Vec<Page>>, KernelError> {
    let of_axis = |(axis, slabs): (usize, [Slab; 2])| {
        let parts = slabs.into_iter().flat_map(Slab::parts).enumerate();
        match axis {
            0 if grid.n == 2 => Ok(vec![pairs(grid)]),
            _ => parts.map(|(k, part)| part.page(k % 2)).collect(),
        }
    };
    slabs(grid).into_iter().enumerate().map(of_axis).collect()
}
