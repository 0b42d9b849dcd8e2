//! The grid of processes: the grid of points is halved axis by axis in turn, z first and x last, so that blocks are as equal as
//! possible and rows stay long.

use std::error::Error;
use std::fmt;

/// Fewest points of a block along x, a beat, and along y and z, the points that a projection reads together.
const FEWEST: [usize; 3] = [4, 2, 2];

/// Grid of processes along x, y and z. Numbers of processes go along x first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProcessGrid {
    /// Number of processes along each axis, powers of two.
    pub counts: [usize; 3],
}

/// Error of a number of processes that a grid cannot be dealt out to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DecompositionError {
    /// The number is no power of two.
    PowerOfTwo {
        /// Number of processes.
        processes: usize,
    },
    /// Blocks would be too small.
    TooMany {
        /// Number of processes.
        processes: usize,
        /// Points along an axis of the grid.
        points: usize,
        /// Most processes for this grid.
        most: usize,
    },
}

impl fmt::Display for DecompositionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::PowerOfTwo { processes } => {
                let below = if *processes == 0 { 1 } else { 1 << processes.ilog2() };
                write!(
                    f,
                    "{processes} processors: the grid is halved axis by axis, so it takes a power of two; the nearest are {below} and {}",
                    2 * below
                )
            }
            Self::TooMany { processes, points, most } => write!(
                f,
                "{processes} processors: blocks of a grid of {points} points along an axis would be too small to be projected; it takes {most} at most"
            ),
        }
    }
}

impl Error for DecompositionError {}

impl ProcessGrid {
    /// Returns the grid of so many processes for grids of `points` points along an axis.
    ///
    /// # Errors
    /// The number is no power of two, or the blocks of the level below the finest one would be too small.
    pub fn new(processes: usize, points: usize) -> Result<Self, DecompositionError> {
        if !processes.is_power_of_two() {
            return Err(DecompositionError::PowerOfTwo { processes });
        }
        let grid = Self::halved(processes);
        if processes > 1 && !grid.divides(points / 2) {
            let all = (0..).map(|k| 1 << k).take_while(|&n| Self::halved(n).divides(points / 2));
            let most = all.last().unwrap_or(1);
            return Err(DecompositionError::TooMany { processes, points, most });
        }
        Ok(grid)
    }

    /// Halves z, y and x in turn.
    fn halved(processes: usize) -> Self {
        let mut counts = [1; 3];
        for k in 0..processes.trailing_zeros() as usize {
            counts[2 - k % 3] *= 2;
        }
        Self { counts }
    }

    /// Whether blocks of a grid of `points` points along an axis have enough points along each axis that is cut.
    pub(crate) fn divides(&self, points: usize) -> bool {
        let mut axes = self.counts.iter().zip(FEWEST);
        axes.all(|(&count, fewest)| count == 1 || points / count >= fewest)
    }

    /// Returns the number of processes.
    pub fn processes(&self) -> usize {
        self.counts.iter().product()
    }

    /// Returns the place of a process along each axis.
    pub const fn place(&self, rank: usize) -> [usize; 3] {
        let [x, y, z] = self.counts;
        [rank % x, rank / x % y, rank / x / y % z]
    }

    /// Returns the number of the process that is one further along an axis, or one before; ends meet.
    pub const fn neighbour(&self, rank: usize, axis: usize, side: FaceSide) -> usize {
        let mut place = self.place(rank);
        let count = self.counts[axis];
        let step = match side {
            FaceSide::High => 1,
            FaceSide::Low => count - 1,
        };
        place[axis] = (place[axis] + step) % count;
        place[0] + self.counts[0] * (place[1] + self.counts[1] * place[2])
    }

    /// Returns the points of a block of a grid of `points` points along an axis.
    pub fn block(&self, points: usize) -> [usize; 3] {
        self.counts.map(|count| points / count)
    }

    /// Returns the first point of the block of a process.
    pub fn first(&self, rank: usize, points: usize) -> [usize; 3] {
        let (place, block) = (self.place(rank), self.block(points));
        [0, 1, 2].map(|axis| place[axis] * block[axis])
    }

    /// Takes the block of a process out of a grid, x fastest.
    pub fn take(&self, rank: usize, points: usize, grid: &[f32]) -> Vec<f32> {
        let ([x, y, z], [n1, n2, n3]) = (self.first(rank, points), self.block(points));
        let rows = (z..z + n3).flat_map(|z| (y..y + n2).map(move |y| (z, y)));
        let row = |(z, y): (usize, usize)| &grid[(z * points + y) * points + x..][..n1];
        rows.flat_map(row).copied().collect()
    }

    /// Puts the block of a process into a grid, x fastest.
    pub fn put(&self, rank: usize, points: usize, block: &[f32], grid: &mut [f32]) {
        let ([x, y, z], [n1, n2, n3]) = (self.first(rank, points), self.block(points));
        let rows = (z..z + n3).flat_map(|z| (y..y + n2).map(move |y| (z, y)));
        for ((z, y), row) in rows.zip(block.chunks(n1)) {
            grid[(z * points + y) * points + x..][..n1].copy_from_slice(row);
        }
    }
}

/// Side of a block along an axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FaceSide {
    /// Side of the first point.
    Low,
    /// Side of the last point.
    High,
}

impl FaceSide {
    /// Both sides, in the order in which faces are packed and sent.
    pub const BOTH: [Self; 2] = [Self::Low, Self::High];
}
