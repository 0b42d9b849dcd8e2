//! Cubic grids in system memory, laid out for the kernels on blocks: two extra faces on each side along y and
//! z, which make a grid periodic for one operator and for one more on what it makes, and four points on each
//! side of a row, so that rows of blocks begin at beats both with their faces and without.

use crate::error::KernelError;
use crate::host::session::Host;
use num_complex::Complex32;

/// Bytes of a point.
const POINT_BYTES: usize = 4;
/// Points of a row before the first one that is no face.
pub(super) const LEFT: usize = 4;
/// Faces on each side along y and z.
pub(super) const FACES: usize = 2;
/// Rows behind a grid that a block may read although nobody uses what is there: a small block is
/// loaded with as many rows as the frame of its kernel has.
const ROWS_BEHIND: usize = 16;

/// A periodic grid of n x n x n points.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Grid {
    /// Points along an axis.
    pub(super) n: usize,
    /// Address of its first byte.
    at: usize,
}

impl Grid {
    /// Points of a row with all that is beside it: whole beats.
    const fn row_points(n: usize) -> usize {
        (n + 2 * LEFT).next_multiple_of(4)
    }

    /// Takes memory for a grid.
    pub(super) fn new(host: &mut Host, n: usize) -> Result<Self, KernelError> {
        let rows = (n + 2 * FACES) * (n + 2 * FACES) + ROWS_BEHIND;
        let bytes = rows * Self::row_points(n) * POINT_BYTES;
        Ok(Self { n, at: host.allocate(bytes as u64)? as usize })
    }

    /// Bytes from a row to the next.
    pub(super) const fn row(&self) -> usize {
        Self::row_points(self.n) * POINT_BYTES
    }

    /// Beats of a row with all that is beside it.
    pub(super) const fn row_beats(&self) -> usize {
        self.row() / 16
    }

    /// Bytes from a plane to the next.
    pub(super) const fn plane(&self) -> usize {
        self.row() * (self.n + 2 * FACES)
    }

    /// Address of a point, faces being at -1, -2 and on, n, n + 1 and on.
    pub(super) const fn point(&self, [x, y, z]: [isize; 3]) -> usize {
        let place = (z + FACES as isize) * self.plane() as isize
            + (y + FACES as isize) * self.row() as isize
            + (x + LEFT as isize) * POINT_BYTES as isize;
        (self.at as isize + place) as usize
    }

    /// Writes the points, x fastest, and the faces of the periodic grid.
    pub(super) fn write(&self, host: &mut Host, points: &[f32]) -> Result<(), KernelError> {
        let n = self.n as isize;
        let wrapped = |k: isize| k.rem_euclid(n) as usize;
        let mut row = vec![Complex32::default(); Self::row_points(self.n) / 2];
        let left = -(LEFT as isize);
        let faces = FACES as isize;
        let rows = -faces..n + faces;
        for (z, y) in rows.clone().flat_map(|z| rows.clone().map(move |y| (z, y))) {
            let of_row = &points[(wrapped(z) * self.n + wrapped(y)) * self.n..][..self.n];
            let right = n + LEFT as isize;
            let point = |x: isize| if x < right { of_row[wrapped(x)] } else { 0.0 };
            for (pair, x) in row.iter_mut().zip((left..).step_by(2)) {
                *pair = Complex32::new(point(x), point(x + 1));
            }
            host.write(self.point([left, y, z]) as u32, &row)?;
        }
        Ok(())
    }

    /// The points, x fastest.
    pub(super) fn read(&self, host: &Host) -> Result<Vec<f32>, KernelError> {
        let mut points = Vec::with_capacity(self.n.pow(3));
        for k in 0..self.n * self.n {
            let (y, z) = ((k % self.n) as isize, (k / self.n) as isize);
            let row = host.read(self.point([0, y, z]) as u32, self.n.div_ceil(2))?;
            points.extend(row.iter().flat_map(|pair| [pair.re, pair.im]).take(self.n));
        }
        Ok(points)
    }
}
