//! Matrices that products and CG run with: those of NPB and those of users, and what plain loops on the host make of them.

use cp2_kernels::sparse::matrices::{CgClass, DoubleRows, npb_cg_rows};
use cp2_session::sparse::market::MarketDoubles;
use rayon::prelude::*;

/// Matrix with a name by which choices for it are kept.
#[derive(Clone, Debug, PartialEq)]
pub struct NamedMatrix {
    /// Letter of the class; of a user's matrix its sizes, entries and a sum over their places.
    pub name: String,
    /// Rows of the matrix.
    pub rows: DoubleRows,
    /// Number of columns.
    pub columns: usize,
}

impl NamedMatrix {
    /// Returns the matrix of a class of NPB.
    pub fn of_class(class: CgClass) -> Self {
        Self { name: class.name().to_owned(), rows: npb_cg_rows(class), columns: class.order }
    }

    /// Returns a matrix that was read from a file.
    pub fn of_market(matrix: &MarketDoubles) -> Self {
        let mut starts = vec![0; matrix.rows + 1];
        let mut places = 0_u32;
        for &(row, column, _) in &matrix.entries {
            starts[row + 1] += 1;
            places =
                places.rotate_left(5) ^ (row as u32).wrapping_mul(31).wrapping_add(column as u32);
        }
        for row in 0..matrix.rows {
            starts[row + 1] += starts[row];
        }
        let (rows, columns, count) = (matrix.rows, matrix.columns, matrix.entries.len());
        Self {
            name: format!("{rows}x{columns} {count} {places:08x}"),
            rows: DoubleRows {
                starts,
                columns: matrix.entries.iter().map(|entry| entry.1 as u32).collect(),
                values: matrix.entries.iter().map(|entry| entry.2).collect(),
            },
            columns,
        }
    }

    /// Returns each row's sum of the terms of a product, and of their magnitudes.
    fn sums(&self, x: &[f64]) -> Vec<[f64; 2]> {
        let DoubleRows { starts, columns, values } = &self.rows;
        let row = |ends: &[usize]| {
            let terms = (ends[0]..ends[1]).map(|k| values[k] * x[columns[k] as usize]);
            terms.fold([0.0, 0.0], |[sum, size], term| [sum + term, size + term.abs()])
        };
        starts.par_windows(2).with_min_len(1 << 10).map(row).collect()
    }

    /// Returns the most that rounding can change a sum of the terms of a row, for each unit of their magnitudes.
    fn rounding(&self) -> f64 {
        let longest = self.rows.starts.windows(2).map(|ends| ends[1] - ends[0]).max().unwrap_or(0);
        2.0 * f64::EPSILON * (longest + 2) as f64
    }

    /// Returns whether y is the product with x but for rounding.
    pub fn is_product(&self, x: &[f64], y: &[f64]) -> bool {
        let most = self.rounding();
        let sums = self.sums(x);
        sums.len() == y.len()
            && sums.iter().zip(y).all(|([sum, size], y)| (sum - y).abs() <= most * size)
    }

    /// Returns the norm of 1 - A z, and the most that rounding can change it.
    pub fn residual(&self, z: &[f64]) -> (f64, f64) {
        let most = self.rounding();
        let sums = self.sums(z);
        let norm =
            |of: &dyn Fn(&[f64; 2]) -> f64| sums.iter().map(|s| of(s).powi(2)).sum::<f64>().sqrt();
        let exact = norm(&|[sum, _]| 1.0 - sum);
        (exact, norm(&|[_, size]| most * (1.0 + size)) + f64::EPSILON * exact * sums.len() as f64)
    }
}
