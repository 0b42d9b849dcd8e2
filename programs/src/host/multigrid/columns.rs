//! Columns of grids, one in each section, that are gone through plane by plane with several operators in one go: where
//! they begin, and what brings rows to all sections and back.

use super::faces;
use super::grid::Grid;
use super::operator::{rows_at, walk};
use crate::error::KernelError;
use crate::host::walks::run_of;
use crate::multigrid::Block;
use cp2_emu::dma::{Descriptor, LocalWalk, Pattern};
use cp2_isa::{SECTIONS, WordAddress};

/// How the columns of the sections lie, a quarter of the grid from one to the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Beside {
    /// Side by side along y: columns are as long as the grid.
    Y,
    /// One above the other along z: they are a quarter as long.
    Z,
}

impl Beside {
    /// How columns of so many points lie in grids of n points along an axis; `None` if these are not cut into such
    /// columns. Short columns cost more pages that only make ready what others need.
    pub(super) const fn of(n: usize, points: Block) -> Option<Self> {
        let Block { n1, n2, n3 } = points;
        match n.is_multiple_of(n1) {
            true if n.is_multiple_of(SECTIONS * n2) => Some(Self::Y),
            true if n.is_multiple_of(n2) && n.is_multiple_of(SECTIONS * n3) => Some(Self::Z),
            _ => None,
        }
    }

    /// The refusal of grids that are not cut into columns.
    pub(super) fn refused(n: usize) -> KernelError {
        KernelError::Block {
            kernel: "mg",
            given: format!("a grid of {n} points along an axis for operators in one go"),
            allowed: "multiples of 32".to_owned(),
        }
    }

    /// Planes of a column of a grid of n points along an axis.
    pub(super) const fn planes(self, n: usize) -> usize {
        match self {
            Self::Y => n,
            Self::Z => n / SECTIONS,
        }
    }

    /// Where the columns of the first section begin, along x and y.
    pub(super) fn begins(self, n: usize, points: Block) -> impl Iterator<Item = [isize; 2]> {
        let rows = match self {
            Self::Y => n / SECTIONS,
            Self::Z => n,
        };
        let y = (0..rows).step_by(points.n2);
        y.flat_map(move |y| (0..n).step_by(points.n1).map(move |x| [x as isize, y as isize]))
    }

    /// Bytes from the part of a section to that of the next one.
    const fn step(self, grid: &Grid) -> usize {
        match self {
            Self::Y => grid.n / SECTIONS * grid.row(),
            Self::Z => grid.n / SECTIONS * grid.plane(),
        }
    }

    /// So many rows of a plane to all sections, without gaps to local memory. One descriptor for all sections, since each
    /// costs the channel a fetch and an empty window.
    pub(super) fn get(
        self,
        grid: &Grid,
        corner: [isize; 3],
        (words, rows): (usize, usize),
        at: usize,
    ) -> Descriptor {
        self.get_part(grid, corner, (words / 2, rows), (at, words))
    }

    /// The same for so many beats of each row, which has `words` words in local memory.
    pub(super) fn get_part(
        self,
        grid: &Grid,
        corner: [isize; 3],
        (beats, rows): (usize, usize),
        (at, words): (usize, usize),
    ) -> Descriptor {
        let memory = walk(grid, corner, beats, (rows, grid.row()), (SECTIONS, self.step(grid)));
        let local = rows_at(at, beats, words, rows);
        Descriptor::get(memory, local, Pattern::dealt((beats * rows) as u16))
    }

    /// What a page gives, of all sections: of a plane of results so many rows of `words` words in local memory, which
    /// lie at a point of a grid, `beats` of each row.
    pub(super) fn put(
        self,
        grid: &Grid,
        corner: [isize; 3],
        (at, words): (usize, usize),
        (beats, rows): (usize, usize),
    ) -> Descriptor {
        let memory = walk(grid, corner, beats, (rows, grid.row()), (SECTIONS, self.step(grid)));
        Descriptor::put(memory, rows_at(at, beats, words, rows), 0)
    }

    /// The same with the faces along x that the results are too.
    pub(super) fn put_with_faces(
        self,
        grid: &Grid,
        [x, y, z]: [isize; 3],
        (at, words): (usize, usize),
        (beats, rows): (usize, usize),
    ) -> Vec<Descriptor> {
        let n = grid.n as isize;
        let part = |to: isize, first: usize, beats: usize| {
            self.put(grid, [to, y, z], (at + 2 * first, words), (beats, rows))
        };
        let mut parts = vec![part(x, 0, beats)];
        if faces::go_with_pages(grid) && x == 0 {
            parts.push(part(n, 0, 1));
        }
        if faces::go_with_pages(grid) && x + 4 * beats as isize == n {
            parts.push(part(-4, beats - 1, 1));
        }
        parts
    }
}

/// Constants, at an address and so many words, to a place of all sections.
pub(super) fn get_constants(
    (address, words): (usize, usize),
    to: usize,
) -> Result<Descriptor, KernelError> {
    let local = LocalWalk::linear(WordAddress::from_index(to), (words / 2) as u16);
    Ok(Descriptor::get(run_of(address, words)?, local, [Pattern::ALL; SECTIONS]))
}

/// A page of a column: where the column begins in the first section, the number of the page in it, and of all pages.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    pub(super) x: isize,
    pub(super) y: isize,
    /// Negative for pages that only make ready what others need.
    pub(super) page: isize,
    pub(super) number: usize,
}

impl Place {
    /// The first plane of two that the page is for.
    pub(super) fn z(self) -> isize {
        2 * self.page
    }
}
