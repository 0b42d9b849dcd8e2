//! Places of the grids of a small V-cycle in shared memory, and of their points in local memory.
//!
//! A word holds a point of plane s in hi and the one of plane s + 4 in lo. Of each column (x, y) six words
//! follow each other in shared memory, s from -1 to 4: those at the ends are copies of the words of sections 3 and 0
//! with their halves exchanged. So a load of four words that begins one word sooner or later gives each section the
//! planes below or above its own, and no point has to be moved between registers. Points of a section in local
//! memory lie as the DMA leaves rows: plane s, then plane s + 4, two points along x in a word, the first in hi.

use super::super::Operator;
use super::super::layout::word;
use cp2_isa::SECTIONS;

/// Points along each axis of the fine grid on which an [`OperatorSequence`](crate::multigrid::OperatorSequence) works.
pub const N: usize = 8;
pub(super) const COARSE: usize = N / 2;
/// Words of local memory where an array lies as rows: u, which becomes the new one; v, which becomes the residual.
pub(super) const ROWS: [usize; 2] = [0, 64];
/// Words of local memory where an array lies as columns: u, which becomes the new one; v, which becomes the residual.
pub(super) const COLUMNS: [usize; 2] = [128, 192];
/// Word of local memory where the constants begin.
pub(super) const CONSTANTS: usize = 256;
/// Words of a column in shared memory, and of a grid.
pub(super) const COLUMN: usize = SECTIONS + 2;
const GRID: usize = COLUMN * N * N;
/// Words of a grid of coarse columns.
const COARSE_GRID: usize = COLUMN * COARSE * COARSE;
/// Rows that a region works on.
pub(super) const GROUP: usize = 2;

/// The grids in shared memory, and the arrays in local memory: u and what v becomes.
pub(super) const U: usize = 0;
pub(super) const R: usize = 1;

/// Coarse grids that lie behind the fine grids in shared memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Coarse {
    /// The residual summed along x and y: columns as those of the fine grid.
    Sums,
    /// P r in sections 1 and 3, planes 0 and 2, 1 and 3: a word of each section, then those of sections 0 and 1 again, so
    /// that a load that begins two words later gives each section the planes between its own.
    Residual,
    /// The coarse u: the word of section 1, then that of section 3.
    Correction,
}

/// Returns the first word of a column of a grid in shared memory.
pub(super) fn column(grid: usize, x: usize, y: usize) -> usize {
    grid * GRID + (y % N * N + x % N) * COLUMN
}

/// Returns the first word of a coarse column.
pub(super) fn coarse(of: Coarse, x: usize, y: usize) -> usize {
    let column = y % COARSE * COARSE + x % COARSE;
    let first = 2 * GRID + of as usize * COARSE_GRID;
    first + column * if of == Coarse::Correction { 2 } else { COLUMN }
}

/// Words of constants.
pub(super) mod weights {
    use super::CONSTANTS;
    /// Weights of A, then those of S: three each.
    pub(in super::super) const A: usize = CONSTANTS;
    pub(in super::super) const S: usize = CONSTANTS + 3;
    /// Weights of the projection P: 2, 1/16, 1/8.
    pub(in super::super) const P: usize = CONSTANTS + 6;
    /// Weights along z of the words of sections 1 and 3, and of the latter turned; in every section its own.
    pub(in super::super) const Z: usize = CONSTANTS + 9;
    /// Weights of the interpolation Q: 1/2, 1/4.
    pub(in super::super) const Q: usize = CONSTANTS + 12;
}

/// Returns the operators A and S.
pub(super) const fn operators() -> [Operator; 2] {
    [Operator::A, Operator::S_SMALL]
}

/// Returns the words of constants.
pub(super) fn constants() -> Vec<[u64; SECTIONS]> {
    let ([a, s], both) = (operators().map(|of| of.0.map(|x| x as f32)), |x: f32| word(x, x));
    let in_all = |weights: &[f32]| weights.iter().map(|&x| [both(x); SECTIONS]).collect::<Vec<_>>();
    let mut words = in_all(&[a[0], a[2], a[3], s[0], s[1], s[2], 2.0, 1.0 / 16.0, 1.0 / 8.0]);
    // Planes 0 and 4 lie between coarse planes 3 and 0, 1 and 2; 1 and 5 on 0 and 2; and so on.
    let along_z = [[0.5, 1.0, 0.5, 0.0], [0.0, 0.0, 0.5, 1.0], [0.5, 0.0, 0.0, 0.0]];
    words.extend(along_z.map(|of_sections| of_sections.map(both)));
    words.extend(in_all(&[0.5, 0.25]));
    words
}

/// Returns the place of a point in rows: section, word, and whether it is in hi.
pub(super) fn place([x, y, z]: [usize; 3]) -> (usize, usize, bool) {
    (z % SECTIONS, z / SECTIONS * N * N / 2 + (y * N + x) / 2, x.is_multiple_of(2))
}

/// Returns the points of a grid of n x n x n, x fastest.
pub(super) fn points(n: usize) -> impl Iterator<Item = [usize; 3]> {
    (0..n * n * n).map(move |i| [i % n, i / n % n, i / (n * n)])
}
