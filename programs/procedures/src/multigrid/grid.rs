//! Grids in system memory, cubes or blocks of them, laid out for the kernels on blocks: two extra faces on each side along y and
//! z, which make a grid periodic for one operator and for one more on what it makes, and four points on each
//! side of a row, so that rows of blocks begin at beats both with their faces and without.

use crate::host::Host;
use cp2_isa::MemoryAddress;
use cp2_session::error::KernelError;

/// Bytes of a point.
const POINT_BYTES: usize = 4;
/// Points of a row before the first one that is no face.
pub(super) const LEFT: usize = 4;
/// Faces on each side along y and z.
pub(super) const FACES: usize = 2;
/// Rows behind a grid that a block may read although their contents are not used: a small block is loaded with as many rows
/// as the frame of its kernel has.
const ROWS_BEHIND: usize = 16;

/// Grid of points in system memory: a periodic one, or a block of one whose faces come from other blocks. Rows of points lie
/// along x, each with four more points on either side; along y and z there are two more rows and planes on either side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PaddedGrid {
    /// Points along x, y and z, without faces.
    pub n: [usize; 3],
    /// Address of the grid's first byte.
    at: MemoryAddress,
}

impl PaddedGrid {
    /// Returns the points of a row with its faces and padding: whole beats.
    const fn row_points(n: usize) -> usize {
        (n + 2 * LEFT).next_multiple_of(4)
    }

    /// Creates a cubic grid of n points along each axis and allocates its memory.
    pub(super) fn cube(host: &mut Host, n: usize) -> Result<Self, KernelError> {
        Self::new(host, [n; 3])
    }

    /// Creates a grid and allocates its memory.
    pub(super) fn new(host: &mut Host, n: [usize; 3]) -> Result<Self, KernelError> {
        let rows = (n[1] + 2 * FACES) * (n[2] + 2 * FACES) + ROWS_BEHIND;
        let bytes = rows * Self::row_points(n[0]) * POINT_BYTES;
        Ok(Self { n, at: host.allocate(bytes.into())? })
    }

    /// Returns a grid of this size at no place of system memory.
    pub(super) const fn form(&self) -> Self {
        Self { n: self.n, at: MemoryAddress::FIRST }
    }

    /// Returns the points along an axis of a cubic grid.
    pub(super) const fn edge(&self) -> usize {
        self.n[0]
    }

    /// Returns the bytes from a row to the next.
    pub const fn row(&self) -> usize {
        Self::row_points(self.n[0]) * POINT_BYTES
    }

    /// Returns the beats of a row with its faces and padding.
    pub(super) const fn row_beats(&self) -> usize {
        self.row() / 16
    }

    /// Returns the bytes from a plane to the next.
    pub const fn plane(&self) -> usize {
        self.row() * (self.n[1] + 2 * FACES)
    }

    /// Returns the address of a point; faces are at -1, -2 and on, and at n, n + 1 and on.
    pub const fn point(&self, [x, y, z]: [isize; 3]) -> MemoryAddress {
        let place = (z + FACES as isize) * self.plane() as isize
            + (y + FACES as isize) * self.row() as isize
            + (x + LEFT as isize) * POINT_BYTES as isize;
        MemoryAddress((self.at.0 as isize + place) as u64)
    }

    /// Returns the numbers of the points along an axis, from the faces before 0 to those behind n - 1.
    fn wrapped(&self, axis: usize, faces: usize) -> impl Iterator<Item = usize> + Clone {
        let n = self.n[axis];
        let before = n - faces % n;
        (before..before + n + 2 * faces).map(move |k| k % n)
    }

    /// Writes the points, x fastest, and the faces of the periodic grid, plane by plane.
    pub(super) fn write(&self, host: &mut Host, points: &[f32]) -> Result<(), KernelError> {
        let [n, rows, _] = self.n;
        let columns: Vec<usize> = self.wrapped(0, LEFT).collect();
        let runs: Vec<_> =
            columns.chunk_by(|a, b| a + 1 == *b).map(|run| run[0]..run[0] + run.len()).collect();
        let planes = -(FACES as isize)..;
        for (z, place) in self.wrapped(2, FACES).zip(planes) {
            let mut plane = Vec::with_capacity(self.plane() / POINT_BYTES);
            for y in self.wrapped(1, FACES) {
                let row = &points[(z * rows + y) * n..][..n];
                runs.iter().for_each(|run| plane.extend_from_slice(&row[run.clone()]));
                plane.resize(plane.len().next_multiple_of(Self::row_points(n)), 0.0);
            }
            let first = [-(LEFT as isize), -(FACES as isize), place];
            host.write_floats(self.point(first), &plane)?;
        }
        Ok(())
    }

    /// Reads the points, x fastest.
    pub fn read(&self, host: &Host) -> Result<Vec<f32>, KernelError> {
        let [n, rows, planes] = self.n;
        let mut points = Vec::with_capacity(n * rows * planes);
        for z in 0..planes as isize {
            let plane = host.read_floats(self.point([0, 0, z]), rows * Self::row_points(n))?;
            plane.chunks(Self::row_points(n)).for_each(|row| points.extend(&row[..n]));
        }
        Ok(points)
    }
}
