//! Tables on the native machine. Nothing is counted here.

use super::bits::BitVector;

/// A table on the native machine: bits in rows and columns, both counted from 1, stored column by column.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct BitTable {
    rows: usize,
    columns: Vec<BitVector>,
}

impl BitTable {
    /// Creates a table of zeros.
    pub fn zeros(rows: usize, columns: usize) -> Self {
        Self { rows, columns: vec![BitVector::zeros(rows); columns] }
    }

    /// Creates a table from the numbers of its rows, `width` bits each with the most significant bit in column 1.
    /// Bits of a number that do not fit are dropped.
    pub fn from_numbers(width: usize, numbers: &[u64]) -> Self {
        let mut table = Self::zeros(numbers.len(), width);
        for (row, &number) in numbers.iter().enumerate() {
            table.put_number(row + 1, 1..width + 1, number);
        }
        table
    }

    /// Returns the number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Returns the number of columns.
    pub fn width(&self) -> usize {
        self.columns.len()
    }

    /// Returns the columns, the first one first.
    pub fn columns(&self) -> &[BitVector] {
        &self.columns
    }

    /// Returns a column, which counts from 1; `None` if the table does not have it.
    pub fn column(&self, column: usize) -> Option<&BitVector> {
        self.columns.get(column.wrapping_sub(1))
    }

    /// Replaces a column, which counts from 1; outside of the table nothing happens.
    pub fn put_column(&mut self, column: usize, bits: BitVector) {
        if let Some(place) = self.columns.get_mut(column.wrapping_sub(1)) {
            *place = bits;
        }
    }

    /// Returns a bit, row and column counted from 1; false outside of the table.
    pub fn get(&self, row: usize, column: usize) -> bool {
        self.column(column).is_some_and(|bits| bits.get(row))
    }

    /// Sets a bit, row and column counted from 1; outside of the table nothing happens.
    pub fn put(&mut self, row: usize, column: usize, bit: bool) {
        if let Some(bits) = self.columns.get_mut(column.wrapping_sub(1)) {
            bits.put(row, bit);
        }
    }

    /// Returns a row as a word, which counts from 1.
    pub fn row(&self, row: usize) -> BitVector {
        BitVector::from_bits(self.columns.iter().map(|bits| bits.get(row)))
    }

    /// Sets the bits of some columns of a row to a number, whose least significant bit goes to the last of them.
    pub fn put_number(&mut self, row: usize, columns: std::ops::Range<usize>, number: u64) {
        for (bit, column) in columns.rev().enumerate() {
            self.put(row, column, bit < 64 && number >> bit & 1 == 1);
        }
    }

    /// Returns the numbers of the rows in a band: columns `(band - 1) width + 1` to `band width`. `None` stands for a
    /// number of more than 64 bits.
    pub fn numbers(&self, band: usize, width: usize) -> Vec<Option<u64>> {
        let first = (band - 1) * width + 1;
        (1..=self.rows).map(|row| self.row(row).part(first, width).number()).collect()
    }
}
