//! Sparse matrices in memory of the native machine, row by row, and their product with a vector in double precision.
//! The forms in which CP2 takes matrices are not here.

use super::SparseError;
use crate::numbers::read;
use std::hash::Hasher;
use std::ops::Range;

/// A sparse matrix of single-precision numbers, stored by rows (CSR): the entries of a row lie together, by ascending
/// column. Rows and columns are numbered from 0. A place without an entry is 0; an entry may be 0, too.
#[derive(Clone, Debug, PartialEq)]
pub struct Csr {
    columns: usize,
    /// Index in `entries` at which each row begins, and the end of the last row.
    starts: Vec<usize>,
    /// Column and value.
    entries: Vec<(usize, f32)>,
}

impl Csr {
    /// Creates a matrix of `rows` x `columns` from its entries (row, column, value), in any order. Zeros are kept as
    /// entries.
    ///
    /// # Errors
    /// There are no rows or no columns, or an entry lies outside of the matrix, is given twice, or is not finite.
    pub fn from_entries(
        rows: usize,
        columns: usize,
        entries: &[(usize, usize, f32)],
    ) -> Result<Self, SparseError> {
        match entries.iter().find(|entry| !entry.2.is_finite()) {
            Some(&(row, column, value)) => Err(SparseError::Entry { row, column, value }),
            None => Self::from_any_entries(rows, columns, entries),
        }
    }

    /// Creates a matrix as [`Self::from_entries`] does, from entries that may be NaN or infinite.
    ///
    /// # Errors
    /// There are no rows or no columns, or an entry lies outside of the matrix or is given twice.
    pub fn from_any_entries(
        rows: usize,
        columns: usize,
        entries: &[(usize, usize, f32)],
    ) -> Result<Self, SparseError> {
        if rows == 0 || columns == 0 {
            return Err(SparseError::Empty { rows, columns });
        }
        if let Some(&(row, column, _)) = entries.iter().find(|e| e.0 >= rows || e.1 >= columns) {
            return Err(SparseError::OutOfRange { row, column, rows, columns });
        }
        let mut sorted = entries.to_vec();
        sorted.sort_by_key(|&(row, column, _)| (row, column));
        if let Some(w) = sorted.windows(2).find(|w| (w[0].0, w[0].1) == (w[1].0, w[1].1)) {
            return Err(SparseError::Duplicate { row: w[0].0, column: w[0].1 });
        }
        let starts = (0..=rows).map(|r| sorted.partition_point(|e| e.0 < r)).collect();
        let entries = sorted.into_iter().map(|(_, column, value)| (column, value)).collect();
        Ok(Self { columns, starts, entries })
    }

    /// Returns the number of rows of the matrix.
    pub fn rows(&self) -> usize {
        self.starts.len() - 1
    }

    /// Returns the number of columns of the matrix.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// Returns the number of stored entries of the matrix whose value is 0.
    pub fn zeros(&self) -> usize {
        self.entries.iter().filter(|entry| entry.1 == 0.0).count()
    }

    /// Feeds the matrix to a hasher: number of columns, rows, and all entries, so that equal matrices have equal
    /// hashes.
    pub fn hash_into(&self, hasher: &mut impl Hasher) {
        hasher.write_usize(self.columns);
        self.starts.iter().for_each(|&start| hasher.write_usize(start));
        for &(column, value) in &self.entries {
            hasher.write_usize(column);
            hasher.write_u32(value.to_bits());
        }
    }

    /// Returns the number of stored entries of the matrix, those of value 0 included.
    pub fn nonzeros(&self) -> usize {
        self.entries.len()
    }

    /// Returns the entries of a row of the matrix as (column, value), by ascending column; empty for a row that the
    /// matrix does not have.
    pub fn row(&self, row: usize) -> &[(usize, f32)] {
        match (self.starts.get(row), self.starts.get(row + 1)) {
            (Some(&start), Some(&end)) => &self.entries[start..end],
            _ => &[],
        }
    }

    /// Returns a square matrix with its rows and columns in another order: row and column i of the result are row and
    /// column `order[i]` of this matrix. `order` has to have every number below the number of rows once; a number that
    /// is too large is a panic.
    pub fn reordered(&self, order: &[usize]) -> Self {
        let mut place = vec![0; order.len()];
        order.iter().enumerate().for_each(|(i, &row)| place[row] = i);
        let mut other = Self { columns: self.columns, starts: vec![0], entries: Vec::new() };
        for &row in order {
            let first = other.entries.len();
            other.entries.extend(self.row(row).iter().map(|&(c, v)| (place[c], v)));
            other.entries[first..].sort_by_key(|entry| entry.0);
            other.starts.push(other.entries.len());
        }
        other
    }

    /// Returns the first entry, row by row, whose value differs from that at the mirrored place (column, row): its row
    /// and column, and both values, its own first. `None` if the matrix is symmetric.
    pub fn asymmetry(&self) -> Option<(usize, usize, [f32; 2])> {
        let value = |row: usize, column: usize| {
            let row = self.row(row);
            let found = row.binary_search_by_key(&column, |entry| entry.0);
            found.map_or(0.0, |k| row[k].1)
        };
        let all = (0..self.rows()).flat_map(|r| self.row(r).iter().map(move |&(c, v)| (r, c, v)));
        let mut pairs = all.map(|(r, c, v)| (r, c, [v, value(c, r)]));
        pairs.find(|(_, _, [v, other])| v != other)
    }

    /// Divides the matrix into blocks of `width` columns, the last with the columns that are left, and returns every
    /// `step`th block from the first on: the range of its columns, and its entries as a matrix whose columns count from
    /// the start of the block. Panics if `width` or `step` is 0.
    pub fn blocks_of_columns(
        &self,
        width: usize,
        step: usize,
    ) -> impl ExactSizeIterator<Item = (Range<usize>, Self)> {
        let count = self.columns.div_ceil(width).div_ceil(step);
        let mut of_block: Vec<Vec<(usize, usize, f32)>> = vec![Vec::new(); count];
        for row in 0..self.rows() {
            for &(column, value) in self.row(row) {
                let block = column / width;
                if block.is_multiple_of(step) {
                    of_block[block / step].push((row, column % width, value));
                }
            }
        }
        let (rows, all) = (self.rows(), self.columns);
        of_block.into_iter().enumerate().map(move |(k, entries)| {
            let first = k * step * width;
            let columns = first..(first + width).min(all);
            (columns.clone(), Self::from_rows(rows, columns.len(), &entries))
        })
    }

    /// Creates a matrix of entries in the order of rows and columns.
    fn from_rows(rows: usize, columns: usize, entries: &[(usize, usize, f32)]) -> Self {
        let mut starts = Vec::with_capacity(rows + 1);
        for (k, &(row, ..)) in entries.iter().enumerate() {
            starts.resize((row + 1).max(starts.len()), k);
        }
        starts.resize(rows + 1, entries.len());
        let entries = entries.iter().map(|&(_, column, value)| (column, value)).collect();
        Self { columns, starts, entries }
    }

    /// Whether some row of a range has an entry. Rows that the matrix does not have are passed over.
    pub fn has_entries(&self, rows: &Range<usize>) -> bool {
        let at = |row: usize| self.starts[row.min(self.rows())];
        at(rows.start) < at(rows.end)
    }

    /// Refuses a vector that cannot be multiplied by the matrix.
    ///
    /// # Errors
    /// [`SparseError::Length`] if the vector has not one element for each column, [`SparseError::Element`] if an
    /// element is not finite.
    pub fn check_vector(&self, x: &[f32]) -> Result<(), SparseError> {
        check_vector(self.columns, x)
    }

    /// Returns the values of all entries, row by row, by ascending column.
    pub fn values(&self) -> impl Iterator<Item = f32> {
        self.entries.iter().map(|entry| entry.1)
    }

    /// Returns the product with the vector `x`, for each row: the sum of its terms in double precision, and the sum of
    /// their magnitudes, to which rounding errors are proportional. Denormals count as zeros, as CP2 reads them. Panics
    /// if `x` is shorter than a row needs.
    pub fn product(&self, x: &[f32]) -> Vec<(f64, f64)> {
        (0..self.rows())
            .map(|r| {
                self.row(r).iter().fold((0.0, 0.0), |(sum, size), &(c, v)| {
                    let term = f64::from(read(v)) * f64::from(read(x[c]));
                    (sum + term, size + term.abs())
                })
            })
            .collect()
    }

    /// Returns how far `y` is from the exact product of the matrix with `x`: the largest deviation of an element, in
    /// units of the error that rounding in single precision allows, so that 1 or less is explained by rounding;
    /// infinite if an element of `y` is a NaN, or if `y` has not one element for each row. Rows in which an entry, or
    /// the element of `x` that it is multiplied by, is not finite are left out. Panics if `x` is shorter than a row
    /// needs.
    ///
    /// A row of k entries takes at most k + 8 roundings (one for each product and addition, some to join partial sums),
    /// each of half a unit in the last place of a number that is at most the sum of the magnitudes. k + 8 bounds the
    /// sum of both kinds because products round once and sums of k terms k - 1 times. A product below the smallest
    /// normal number becomes zero, which is allowed for.
    pub fn deviation(&self, x: &[f32], y: &[f32]) -> f64 {
        let unit = f64::from(f32::EPSILON) / 2.0;
        let is_finite = |&(c, v): &(usize, f32)| v.is_finite() && x[c].is_finite();
        let product = self.product(x);
        if y.len() != product.len() {
            return f64::INFINITY;
        }
        let rows = product.into_iter().zip(y).enumerate();
        let rows = rows.filter(|(r, _)| self.row(*r).iter().all(is_finite));
        rows.map(|(r, ((sum, size), &value))| {
            let terms = self.row(r).len() as f64 + 8.0;
            let bound = terms * (unit * size + f64::from(f32::MIN_POSITIVE));
            (f64::from(value) - sum).abs() / bound
        })
        .fold(0.0, |worst, d| if d.is_nan() { f64::INFINITY } else { d.max(worst) })
    }
}

/// Refuses a vector that cannot be multiplied by a matrix of `columns` columns.
///
/// # Errors
/// [`SparseError::Length`] if the vector has not one element for each column, [`SparseError::Element`] if an element is
/// not finite.
pub fn check_vector(columns: usize, x: &[f32]) -> Result<(), SparseError> {
    if x.len() != columns {
        return Err(SparseError::Length { elements: x.len(), columns });
    }
    match x.iter().position(|v| !v.is_finite()) {
        Some(index) => Err(SparseError::Element { index, value: x[index] }),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_product_of_another_length_is_no_product() {
        let matrix = Csr::from_entries(2, 2, &[(0, 0, 1.0), (1, 1, 2.0)]).expect("a matrix");
        let x = [3.0, 4.0];
        assert_eq!(matrix.deviation(&x, &[3.0, 8.0]), 0.0);
        for y in [&[][..], &[3.0], &[3.0, 8.0, 0.0]] {
            assert_eq!(matrix.deviation(&x, y), f64::INFINITY, "{y:?}");
        }
    }
}
