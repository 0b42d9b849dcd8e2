//! Sparse matrices in memory of the native machine, row by row, and their product in double precision. No format
//! of CP2 here.

use super::SparseError;
use crate::numbers::read;
use std::hash::Hasher;
use std::ops::Range;

/// A sparse matrix: the entries of a row lie together, by ascending column.
#[derive(Clone, Debug, PartialEq)]
pub struct Csr {
    columns: usize,
    /// Index in `entries` at which each row begins, and the end of the last row.
    starts: Vec<usize>,
    /// Column and value.
    entries: Vec<(usize, f32)>,
}

impl Csr {
    /// Creates a matrix of `rows` x `columns` from (row, column, value) in any order. Refuses entries outside of the matrix,
    /// given twice, or not finite; zeros are kept as entries.
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
    /// No rows or columns, and entries outside of the matrix or given twice.
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

    /// Returns the number of rows.
    pub fn rows(&self) -> usize {
        self.starts.len() - 1
    }

    /// Returns the number of columns.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// Returns the number of entries that are 0.
    pub fn zeros(&self) -> usize {
        self.entries.iter().filter(|entry| entry.1 == 0.0).count()
    }

    /// Tells a hasher all that makes the matrix what it is.
    pub fn hash_into(&self, hasher: &mut impl Hasher) {
        hasher.write_usize(self.columns);
        self.starts.iter().for_each(|&start| hasher.write_usize(start));
        for &(column, value) in &self.entries {
            hasher.write_usize(column);
            hasher.write_u32(value.to_bits());
        }
    }

    /// Returns the number of entries.
    pub fn nonzeros(&self) -> usize {
        self.entries.len()
    }

    /// Returns the column and the value of the entries of a row, by ascending column; none for a row that the matrix does not
    /// have.
    pub fn row(&self, row: usize) -> &[(usize, f32)] {
        match (self.starts.get(row), self.starts.get(row + 1)) {
            (Some(&start), Some(&end)) => &self.entries[start..end],
            _ => &[],
        }
    }

    /// Returns the matrix with rows and columns in another order: row i is row `order[i]` of this matrix, which is square.
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

    /// Returns the first entry that differs from the one on the other side of the diagonal: row, column, both values.
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

    /// Returns blocks of `width` columns, the last with what is left: every `step`th of them from the first on, each with its
    /// columns, counted from its start. Entries are looked at once for all blocks.
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

    /// Whether rows of a range have entries; the matrix may end before it.
    pub fn has_entries(&self, rows: &Range<usize>) -> bool {
        let at = |row: usize| self.starts[row.min(self.rows())];
        at(rows.start) < at(rows.end)
    }

    /// Refuses a vector that has not one finite element per column.
    pub fn check_vector(&self, x: &[f32]) -> Result<(), SparseError> {
        check_vector(self.columns, x)
    }

    /// Returns the values of all entries, row by row.
    pub fn values(&self) -> impl Iterator<Item = f32> {
        self.entries.iter().map(|entry| entry.1)
    }

    /// Returns the product with `x` in double precision, of the numbers as CP2 reads them. Beside it is, for each row, the
    /// sum of the magnitudes of its terms, to which rounding errors are proportional.
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

    /// Returns the largest deviation of `y` from the exact product, in units of what rounding allows: 1 and less is rounding.
    /// A row of k entries takes at most k + 8 roundings (one per product and addition, some to join partial sums), each of
    /// half a unit in the last place of a number that is at most the sum of the magnitudes. k + 8 bounds the sum of both
    /// kinds because products round once and sums of k terms k - 1 times. A product below the smallest normal number becomes
    /// zero. Of rows that meet a number that is not finite nothing is asked.
    pub fn deviation(&self, x: &[f32], y: &[f32]) -> f64 {
        let unit = f64::from(f32::EPSILON) / 2.0;
        let is_finite = |&(c, v): &(usize, f32)| v.is_finite() && x[c].is_finite();
        let rows = self.product(x).into_iter().zip(y).enumerate();
        let rows = rows.filter(|(r, _)| self.row(*r).iter().all(is_finite));
        rows.map(|(r, ((sum, size), &value))| {
            let terms = self.row(r).len() as f64 + 8.0;
            let bound = terms * (unit * size + f64::from(f32::MIN_POSITIVE));
            (f64::from(value) - sum).abs() / bound
        })
        .fold(0.0, |worst, d| if d.is_nan() { f64::INFINITY } else { d.max(worst) })
    }
}

/// Refuses a vector that has not one finite element for each of `columns` columns.
pub fn check_vector(columns: usize, x: &[f32]) -> Result<(), SparseError> {
    if x.len() != columns {
        return Err(SparseError::Length { elements: x.len(), columns });
    }
    match x.iter().position(|v| !v.is_finite()) {
        Some(index) => Err(SparseError::Element { index, value: x[index] }),
        None => Ok(()),
    }
}
