//! Sparse test matrices: random and banded ones, that of the five-point stencil, and that of NPB CG.

use crate::npb::NpbRandom;
use cp2_session::sparse::{Csr, SparseError};

/// Returns a random value, uniform in [-1, 1) and not 0.
fn value(random: &mut NpbRandom) -> f32 {
    loop {
        let value = (2.0 * random.fraction() - 1.0) as f32;
        // The largest fractions are rounded to 1.
        if value != 0.0 && value < 1.0 {
            return value;
        }
    }
}

/// Creates a matrix of `rows` x `columns` with `nonzeros` entries at different random positions, all equally likely,
/// with values in [-1, 1) other than 0. The same seed gives the same matrix.
///
/// # Errors
/// There are more entries than positions, or there are no rows or no columns.
pub fn random(rows: usize, columns: usize, nonzeros: usize, seed: u64) -> Result<Csr, SparseError> {
    let places = rows * columns;
    if nonzeros > places {
        return Err(SparseError::Shape {
            what: "the number of entries",
            value: nonzeros,
            allowed: "at most rows times columns",
        });
    }
    let mut random = NpbRandom::seeded(seed);
    let mut taken = vec![false; places];
    let mut entries = Vec::with_capacity(nonzeros);
    while entries.len() < nonzeros {
        let place = random.below(places);
        if !std::mem::replace(&mut taken[place], true) {
            entries.push((place / columns, place % columns, value(&mut random)));
        }
    }
    Csr::from_entries(rows, columns, &entries)
}

/// Creates a square matrix with an entry at each place where |row - column| <= `half_width` with probability `fill`,
/// and on the whole diagonal. Values are random in [-1, 1) other than 0; the same seed gives the same matrix.
///
/// # Errors
/// The matrix has no rows.
pub fn banded(rows: usize, half_width: usize, fill: f64, seed: u64) -> Result<Csr, SparseError> {
    let mut random = NpbRandom::seeded(seed);
    let mut entries = Vec::new();
    for row in 0..rows {
        for column in row.saturating_sub(half_width)..(row + half_width + 1).min(rows) {
            if row == column || random.fraction() < fill {
                entries.push((row, column, value(&mut random)));
            }
        }
    }
    Csr::from_entries(rows, rows, &entries)
}

/// Creates the square matrix of the five-point stencil on a grid of `width` x `height` points, with one row for each
/// point, x fastest: 4 on the diagonal, -1 for each neighbour in the grid.
///
/// # Errors
/// The grid has no points.
pub fn five_point(width: usize, height: usize) -> Result<Csr, SparseError> {
    let mut entries = Vec::new();
    for y in 0..height {
        for x in 0..width {
            let row = y * width + x;
            entries.push((row, row, 4.0));
            let beside = [
                (x > 0, row.wrapping_sub(1)),
                (x + 1 < width, row + 1),
                (y > 0, row.wrapping_sub(width)),
                (y + 1 < height, row + width),
            ];
            entries.extend(beside.iter().filter(|b| b.0).map(|b| (row, b.1, -1.0)));
        }
    }
    Csr::from_entries(width * height, width * height, &entries)
}

/// Class of the NPB CG benchmark: the parameters of its matrix, and the result by which a run is verified.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CgClass {
    /// Number of rows of the matrix, and of its columns.
    pub order: usize,
    /// Number of random elements of each sparse vector from which the matrix is made ("nonzer" in NPB).
    pub nonzer: usize,
    /// Number that is subtracted from the diagonal of the matrix.
    pub shift: f64,
    /// Number of outer iterations, each of which solves a system by conjugate gradients.
    pub iterations: usize,
    /// Value to which the outer iterations converge in double precision, by which NPB verifies a run.
    pub zeta: f64,
}

/// Class S of NPB CG, the smallest: 1400 rows.
pub const CLASS_S: CgClass =
    CgClass { order: 1400, nonzer: 7, shift: 10.0, iterations: 15, zeta: 8.597_177_507_864_8 };
/// Class W of NPB CG: 7000 rows.
pub const CLASS_W: CgClass =
    CgClass { order: 7000, nonzer: 8, shift: 12.0, iterations: 15, zeta: 10.362_595_087_124 };
/// Class A of NPB CG, the largest that procedures of CP2 take: 14000 rows.
pub const CLASS_A: CgClass =
    CgClass { order: 14000, nonzer: 11, shift: 20.0, iterations: 15, zeta: 17.130_235_054_029 };

/// Class B of NPB CG: 75000 rows.
const CLASS_B: CgClass =
    CgClass { order: 75000, nonzer: 13, shift: 60.0, iterations: 75, zeta: 22.712_745_482_631 };
/// Class C of NPB CG: 150000 rows.
const CLASS_C: CgClass =
    CgClass { order: 150_000, nonzer: 15, shift: 110.0, iterations: 75, zeta: 28.973_605_592_845 };
/// Class D of NPB CG: 1500000 rows.
const CLASS_D: CgClass = CgClass {
    order: 1_500_000,
    nonzer: 21,
    shift: 500.0,
    iterations: 100,
    zeta: 52.514_532_105_794,
};

impl CgClass {
    /// All classes of NPB CG that procedures of CP2 take, each with its letter.
    pub const ALL: [(&str, Self); 3] = [("S", CLASS_S), ("W", CLASS_W), ("A", CLASS_A)];

    /// All classes of NPB CG that are known here, each with its letter.
    pub const NPB: [(&str, Self); 6] = [
        ("S", CLASS_S),
        ("W", CLASS_W),
        ("A", CLASS_A),
        ("B", CLASS_B),
        ("C", CLASS_C),
        ("D", CLASS_D),
    ];

    /// Returns the letter of the class; an empty text if it is none of [`Self::NPB`].
    pub fn name(self) -> &'static str {
        Self::NPB.iter().find(|(_, class)| *class == self).map_or("", |(letter, _)| letter)
    }

    /// Returns the class of [`Self::ALL`] with this letter, such as `S`; `None` if there is none.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|(letter, _)| *letter == name).map(|(_, class)| class)
    }
}

/// Condition of the matrix of NPB CG, and what is added to its diagonal.
const RCOND: f64 = 0.1;

/// Rows of a sparse matrix in double precision, one behind the other.
#[derive(Clone, Debug, PartialEq)]
pub struct DoubleRows {
    /// Place of the first entry of each row, and the number of all entries at the end.
    pub starts: Vec<usize>,
    /// Column of each entry, ascending in a row.
    pub columns: Vec<u32>,
    /// Value of each entry.
    pub values: Vec<f64>,
}

/// Returns the matrix of NPB 3.3 CG in double precision: the sum over i of w^i v_i v_i^T with sparse random vectors v_i of
/// which element i is 1/2, w^n = 0.1, and `0.1 - shift` added to the diagonal.
pub fn npb_cg_rows(class: CgClass) -> DoubleRows {
    let CgClass { order, nonzer, shift, .. } = class;
    let mut random = NpbRandom::default();
    // The benchmark draws one number before it makes the matrix.
    random.scaled();
    let vectors: Vec<_> =
        (0..order).map(|i| sparse_vector(&mut random, order, nonzer, i)).collect();
    let mut ends = vec![0; order];
    for vector in &vectors {
        vector.iter().for_each(|&(row, _)| ends[row] += vector.len());
    }
    let mut all = 0;
    for end in &mut ends {
        all += std::mem::replace(end, all);
    }
    // The terms of all vectors, row by row in the order of the vectors.
    let mut terms = vec![(0_u32, 0.0); all];
    let ratio = RCOND.powf(1.0 / order as f64);
    let mut size = 1.0;
    for (i, vector) in vectors.iter().enumerate() {
        for &(row, left) in vector {
            let scale = size * left;
            for &(column, right) in vector {
                let mut value = right * scale;
                if row == column && row == i {
                    value += RCOND - shift;
                }
                terms[ends[row]] = (column as u32, value);
                ends[row] += 1;
            }
        }
        size *= ratio;
    }
    let mut rows = DoubleRows { starts: vec![0], columns: Vec::new(), values: Vec::new() };
    let mut first = 0;
    for end in ends {
        let row = &mut terms[first..end];
        row.sort_by_key(|term| term.0);
        for same in row.chunk_by(|a, b| a.0 == b.0) {
            rows.columns.push(same[0].0);
            rows.values.push(same.iter().fold(0.0, |sum, term| sum + term.1));
        }
        rows.starts.push(rows.columns.len());
        first = end;
    }
    rows
}

/// Returns the entries of the matrix of [`npb_cg_rows`] as (row, column, value), row by row by ascending column.
pub fn npb_cg_entries(class: CgClass) -> Vec<(usize, usize, f64)> {
    let rows = npb_cg_rows(class);
    let row = |r: usize| rows.starts[r]..rows.starts[r + 1];
    let entry = |r: usize, k: usize| (r, rows.columns[k] as usize, rows.values[k]);
    (0..class.order).flat_map(|r| row(r).map(move |k| (r, k))).map(|(r, k)| entry(r, k)).collect()
}

/// Creates a vector of `count` elements at different random places, and 1/2 at `own`, in the order of their making.
fn sparse_vector(
    random: &mut NpbRandom,
    order: usize,
    count: usize,
    own: usize,
) -> Vec<(usize, f64)> {
    let range = order.next_power_of_two();
    let mut vector: Vec<(usize, f64)> = Vec::new();
    while vector.len() < count {
        let value = random.fraction();
        let place = random.below(range);
        if place < order && vector.iter().all(|v| v.0 != place) {
            vector.push((place, value));
        }
    }
    match vector.iter_mut().find(|v| v.0 == own) {
        Some(element) => element.1 = 0.5,
        None => vector.push((own, 0.5)),
    }
    vector
}

/// Returns the symmetric matrix of the NPB CG benchmark for a class, with the values of [`npb_cg_entries`] rounded to
/// single precision.
///
/// # Errors
/// The class has no rows, or a value is not finite in single precision; neither is so in a class of NPB.
pub fn npb_cg(class: CgClass) -> Result<Csr, SparseError> {
    let entries: Vec<_> =
        npb_cg_entries(class).into_iter().map(|(r, c, v)| (r, c, v as f32)).collect();
    Csr::from_entries(class.order, class.order, &entries)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_below_one() {
        // The seed whose first number is the largest, 2^46 - 1, which single precision rounds to 2^46.
        let largest = NpbRandom::seeded(10_458_327_048_225);
        assert_eq!(largest.clone().scaled(), NpbRandom::ONE - 1);
        let first = value(&mut largest.clone());
        assert!((-1.0..1.0).contains(&first), "{first}");
    }
}
