//! Columns of a grid that sections go through plane by plane with several operators in one go.

use super::layout::GridBlock;

/// Columns of a grid, by the points of their planes along x and y.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Columns {
    /// Points of a plane along x, the direction in which points are contiguous.
    pub n1: usize,
    /// Points of a plane along y: rows of a plane.
    pub n2: usize,
}

impl Columns {
    /// Wide columns: fewer points to compute again, where a grid can be cut into them.
    pub const WIDE: Self = Self { n1: 64, n2: 16 };
    /// Square columns: fewer rows to move, and for small grids.
    pub const SQUARE: Self = Self { n1: 32, n2: 32 };

    /// Returns the words of a row of points -4 to n1 + 3: whole beats on both sides.
    pub const fn row(self) -> usize {
        self.n1 / 2 + 4
    }

    /// Returns the block of points that a page makes: one plane.
    pub const fn points(self) -> GridBlock {
        GridBlock::new(self.n1, self.n2, 1)
    }
}

impl std::fmt::Display for Columns {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}x{}", self.n1, self.n2)
    }
}
