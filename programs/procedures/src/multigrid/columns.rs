//! Columns of grids, one in each section, through which several operators go plane by plane at once: where the columns begin,
//! and the transfers that bring rows to all sections and back.

use super::grid::{FACES, LEFT, PaddedGrid};
use super::operator::{rows_at, walk};
use crate::host::walks::get_all;
use cp2_emu::dma::{Descriptor, Pattern};
use cp2_isa::{MemoryAddress, SECTIONS, WordAddress};
use cp2_kernels::multigrid::GridBlock;
use cp2_kernels::multigrid::columns::Columns;
use cp2_session::error::KernelError;

/// Position of the sections' columns to each other, a quarter of the grid from one to the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ColumnArrangement {
    /// The columns lie side by side along y: they are as long as the grid.
    Y,
    /// The columns lie one above the other along z: they are a quarter as long as the grid.
    Z,
}

impl ColumnArrangement {
    /// Returns how columns of `points` lie in grids of n points along an axis; `None` if these are not cut into such
    /// columns. Short columns cost more pages that only prepare data for others.
    pub(super) const fn of(n: usize, points: GridBlock) -> Option<Self> {
        let GridBlock { n1, n2, n3 } = points;
        match n.is_multiple_of(n1) {
            true if n.is_multiple_of(SECTIONS * n2) => Some(Self::Y),
            true if n.is_multiple_of(n2) && n.is_multiple_of(SECTIONS * n3) => Some(Self::Z),
            _ => None,
        }
    }

    /// Returns the error for grids that are not cut into these columns.
    pub(super) fn refused(n: usize, columns: Columns) -> KernelError {
        KernelError::Block {
            kernel: "mg",
            given: format!("a grid of {n} points along an axis in columns of {columns} points"),
            allowed: format!("multiples of {}", columns.n1),
        }
    }

    /// Returns the number of planes of a column of a grid of n points along an axis.
    pub(super) const fn planes(self, n: usize) -> usize {
        match self {
            Self::Y => n,
            Self::Z => n / SECTIONS,
        }
    }

    /// Returns the places, along x and y, at which the columns of the first section begin.
    pub(super) fn begins(self, n: usize, points: GridBlock) -> impl Iterator<Item = [isize; 2]> {
        let rows = match self {
            Self::Y => n / SECTIONS,
            Self::Z => n,
        };
        let y = (0..rows).step_by(points.n2);
        y.flat_map(move |y| (0..n).step_by(points.n1).map(move |x| [x as isize, y as isize]))
    }

    /// Returns the bytes from the part of a section to that of the next one.
    const fn step(self, grid: &PaddedGrid) -> usize {
        match self {
            Self::Y => grid.edge() / SECTIONS * grid.row(),
            Self::Z => grid.edge() / SECTIONS * grid.plane(),
        }
    }

    /// Returns the transfer that loads `rows` rows of a plane into all sections, without gaps in local memory. One descriptor
    /// does it for all sections, since each costs the channel a fetch and an empty window.
    pub(super) fn get(
        self,
        grid: &PaddedGrid,
        corner: [isize; 3],
        (words, rows): (usize, usize),
        at: usize,
    ) -> Descriptor {
        self.get_part(grid, corner, (words / 2, rows), (at, words))
    }

    /// Returns the transfer that loads `beats` beats of each of `rows` rows into all sections; a row has `words` words in
    /// local memory.
    pub(super) fn get_part(
        self,
        grid: &PaddedGrid,
        corner: [isize; 3],
        (beats, rows): (usize, usize),
        (at, words): (usize, usize),
    ) -> Descriptor {
        let memory = walk(grid, corner, beats, (rows, grid.row()), (SECTIONS, self.step(grid)));
        let local = rows_at(at, beats, words, rows);
        Descriptor::get(memory, local, Pattern::dealt((beats * rows) as u16))
    }

    /// Returns the transfer that stores the results of a page, of all sections: `beats` beats of each of `rows` rows of a
    /// plane, which have `words` words in local memory, to the grid from `corner` on.
    pub(super) fn put(
        self,
        grid: &PaddedGrid,
        corner: [isize; 3],
        (at, words): (usize, usize),
        (beats, rows): (usize, usize),
    ) -> Descriptor {
        let memory = walk(grid, corner, beats, (rows, grid.row()), (SECTIONS, self.step(grid)));
        Descriptor::put(memory, rows_at(at, beats, words, rows), 0)
    }

    /// Returns the transfers that store the results of a page as [`Self::put`] does, and also as faces on the other side of
    /// the grid.
    pub(super) fn put_with_faces(
        self,
        grid: &PaddedGrid,
        [x, y, z]: [isize; 3],
        (at, words): (usize, usize),
        (beats, rows): (usize, usize),
    ) -> Vec<Descriptor> {
        let (n, is_y) = (grid.edge() as isize, self == Self::Y);
        let planes = Axis { at: z, count: 1, n, faces: FACES as isize, is_dealt: !is_y };
        let rows =
            Axis { at: y, count: rows as isize, faces: FACES as isize, is_dealt: is_y, ..planes };
        let columns = [x, 4 * beats as isize, n, LEFT as isize].map(|points| points / 4);
        let [first, count, n, faces] = columns;
        let columns = Axis { at: first, count, n, faces, is_dealt: false };
        let mut parts = Vec::new();
        for (plane, row) in
            planes.parts().flat_map(|plane| rows.parts().map(move |row| (plane, row)))
        {
            // Sections are dealt out along y or along z.
            let sections = if is_y { row.sections } else { plane.sections };
            let sections = match sections {
                Sections::All => (SECTIONS, self.step(grid)),
                Sections::First => (1, 0),
                // All sections write to the place of the last one, which comes last.
                Sections::Last => (SECTIONS, 0),
            };
            for column in columns.parts() {
                let at = at + row.first * words + 4 / 2 * column.first;
                let corner = [4 * column.to, row.to, plane.to];
                let memory = walk(grid, corner, column.count, (row.count, grid.row()), sections);
                let local = rows_at(at, column.count, words, row.count);
                parts.push(Descriptor::put(memory, local, 0));
            }
        }
        parts
    }
}

/// Sections whose results go to a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sections {
    All,
    First,
    Last,
}

/// Results along an axis of a grid. `at` and `count` are those of the first section; if the axis is dealt out to the
/// sections, the results of each further section lie a quarter of the grid further on.
#[derive(Clone, Copy, Debug)]
struct Axis {
    at: isize,
    /// Number of results.
    count: isize,
    /// Points of the grid along the axis.
    n: isize,
    /// Faces on each side.
    faces: isize,
    is_dealt: bool,
}

/// A part of the results along an axis, and the place to which it goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Part {
    /// Place in the grid.
    to: isize,
    /// Number of the first result.
    first: usize,
    /// Number of results.
    count: usize,
    sections: Sections,
}

impl Axis {
    /// Returns the parts of the results: those at their own place, and those that are faces on the other side.
    fn parts(self) -> impl Iterator<Item = Part> {
        let Self { at, count, n, faces, is_dealt } = self;
        let of =
            |range: std::ops::Range<isize>, from: isize, shift: isize, sections: Sections| Part {
                to: range.start + shift,
                first: (range.start - from).max(0) as usize,
                count: (range.end - range.start).max(0) as usize,
                sections: if is_dealt { sections } else { Sections::All },
            };
        let last = at + if is_dealt { n - n / SECTIONS as isize } else { 0 };
        let own = of(at..at + count, at, 0, Sections::All);
        let behind = of(at..(at + count).min(faces), at, n, Sections::First);
        let before = of(last.max(n - faces)..last + count, last, -n, Sections::Last);
        [own, behind, before].into_iter().filter(|part| part.count > 0)
    }
}

/// Returns the transfer that loads constants, given by address and number of words, to a place of all sections.
pub(super) fn get_constants(
    (address, words): (MemoryAddress, usize),
    to: usize,
) -> Result<Descriptor, KernelError> {
    get_all(address, words, WordAddress::from_index(to))
}

/// A page of a column.
#[derive(Clone, Copy, Debug)]
pub(super) struct ColumnPage {
    /// Place in x at which the column begins in the first section.
    pub(super) x: isize,
    /// Place in y at which the column begins in the first section.
    pub(super) y: isize,
    /// Number of the page in its column; negative for pages that only prepare data for others.
    pub(super) page: isize,
    /// Number of the page among all pages.
    pub(super) number: usize,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(axis: Axis) -> Vec<(isize, usize, usize, Sections)> {
        axis.parts().map(|part| (part.to, part.first, part.count, part.sections)).collect()
    }

    #[test]
    fn results_at_an_end_are_faces_at_the_other() {
        let axis = Axis { at: 0, count: 16, n: 64, faces: 2, is_dealt: true };
        let [all, first, last] = [Sections::All, Sections::First, Sections::Last];
        // A section has 16 places: the first one those at the begin, the last one those at the end.
        assert_eq!(parts(axis), [(0, 0, 16, all), (64, 0, 2, first), (-2, 14, 2, last)]);
        let whole = Axis { is_dealt: false, count: 32, at: 32, ..axis };
        assert_eq!(parts(whole), [(32, 0, 32, all), (-2, 30, 2, all)]);
        // Planes are stored one by one.
        assert_eq!(parts(Axis { at: 1, count: 1, ..axis }), [(1, 0, 1, all), (65, 0, 1, first)]);
        assert_eq!(parts(Axis { at: 14, count: 1, ..axis }), [(14, 0, 1, all), (-2, 0, 1, last)]);
        assert_eq!(parts(Axis { at: 7, count: 1, ..axis }), [(7, 0, 1, all)]);
    }
}
