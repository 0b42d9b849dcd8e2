//! Columns of a grid that sections go through plane by plane with several operators in one go.

use super::layout::GridBlock;

/// Cross-section of the columns into which a grid is cut, so that each section goes through one plane by plane, along
/// z: the points of a plane of a column along x and y.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Columns {
    /// Number of points of a plane along x, the direction in which points are contiguous.
    pub n1: usize,
    /// Number of points of a plane along y, which is its number of rows.
    pub n2: usize,
}

impl Columns {
    /// Wide columns of 64 x 16 points: fewer points are computed more than once than in [`Self::SQUARE`] ones. Only
    /// large grids can be cut into them.
    pub const WIDE: Self = Self { n1: 64, n2: 16 };
    /// Square columns of 32 x 32 points: they have fewer rows to move than wide ones, and small grids can be cut into
    /// them.
    pub const SQUARE: Self = Self { n1: 32, n2: 32 };

    /// Returns the number of words in local memory of a row of a plane with four points more on each side, points -4 to
    /// n1 + 3, two points to a word: n1 / 2 + 4. With four points the row is a whole number of the DMA's beats of two
    /// words.
    pub const fn row(self) -> usize {
        self.n1 / 2 + 4
    }

    /// Returns the size of the block of points whose results one section makes at a time, in a page of its column: one
    /// plane, n1 x n2 x 1.
    pub const fn points(self) -> GridBlock {
        GridBlock::new(self.n1, self.n2, 1)
    }
}

impl std::fmt::Display for Columns {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}x{}", self.n1, self.n2)
    }
}
