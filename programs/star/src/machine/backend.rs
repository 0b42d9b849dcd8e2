//! What carries out elementary operations: the native machine today, others by the same interface. Arguments have been
//! checked by the caller, and nothing is counted here.

use super::bits::BitVector;
use super::table::BitTable;

/// A bitwise operation of two slices or of two words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Logic {
    /// Ones where both have a one.
    And,
    /// Ones where at least one has a one.
    Or,
    /// Ones where exactly one has a one.
    Xor,
}

/// A machine that carries out elementary operations. It is called with arguments that fit: positions, rows and columns
/// are there, lengths are equal. Positions, rows and columns count from 1.
pub trait StarBackend {
    /// A slice or a word that the machine holds; bits behind its end are never seen.
    type Bits: Clone;
    /// A table that the machine holds.
    type Table: Clone;

    /// Brings bits to the machine.
    fn load(&mut self, bits: &BitVector) -> Self::Bits;
    /// Brings bits back from the machine.
    fn store(&mut self, bits: &Self::Bits) -> BitVector;
    /// Brings a table to the machine.
    fn load_table(&mut self, table: &BitTable) -> Self::Table;
    /// Brings a table back from the machine.
    fn store_table(&mut self, table: &Self::Table) -> BitTable;
    /// Returns the number of positions of a slice or word.
    fn length(&self, bits: &Self::Bits) -> usize;
    /// Returns the number of columns of a table.
    fn width(&self, table: &Self::Table) -> usize;
    /// Returns the number of rows of a table.
    fn rows(&self, table: &Self::Table) -> usize;

    /// Returns `length` bits that are all ones or all zeros (`SET`, `CLR`).
    fn filled(&mut self, length: usize, bit: bool) -> Self::Bits;
    /// Returns ones up to a position and zeros behind it (`MASK`); position 0 gives zeros only.
    fn mask(&mut self, length: usize, position: usize) -> Self::Bits;
    /// Returns a table of zeros.
    fn new_table(&mut self, rows: usize, columns: usize) -> Self::Table;
    /// Returns the result of a bitwise operation.
    fn logic(&mut self, operation: Logic, a: &Self::Bits, b: &Self::Bits) -> Self::Bits;
    /// Returns ones where there are zeros.
    fn not(&mut self, a: &Self::Bits) -> Self::Bits;
    /// Whether there is a one (`SOME`).
    fn some(&mut self, bits: &Self::Bits) -> bool;
    /// Returns the position of the first one (`FND`); 0 if there is none.
    fn find(&mut self, bits: &Self::Bits) -> usize;
    /// Returns the position of the first one, which is cleared (`STEP`); 0 if there is none.
    fn step(&mut self, bits: &mut Self::Bits) -> usize;
    /// Clears all ones but the first (`FRST`).
    fn keep_first(&mut self, bits: &mut Self::Bits);
    /// Returns the number of ones (`NUMB`).
    fn number(&mut self, bits: &Self::Bits) -> usize;
    /// Returns the bit at a position.
    fn bit(&mut self, bits: &Self::Bits, position: usize) -> bool;
    /// Sets the bit at a position.
    fn put_bit(&mut self, bits: &mut Self::Bits, position: usize, bit: bool);
    /// Returns the positions from `from` on, `length` of them (`TRIM`).
    fn trim(&mut self, bits: &Self::Bits, from: usize, length: usize) -> Self::Bits;
    /// Puts `part` in place of the positions from `from` on (`REP`).
    fn replace(&mut self, bits: &mut Self::Bits, from: usize, part: &Self::Bits);
    /// Returns the sum of two words as numbers, modulo 2 to the power of their length, and whether it fitted.
    fn add(&mut self, a: &Self::Bits, b: &Self::Bits) -> (Self::Bits, bool);
    /// Whether the first of two words is less as a number.
    fn less(&mut self, a: &Self::Bits, b: &Self::Bits) -> bool;
    /// Returns a column of a table (`COL`).
    fn column(&mut self, table: &Self::Table, column: usize) -> Self::Bits;
    /// Replaces a column of a table (`COL`).
    fn put_column(&mut self, table: &mut Self::Table, column: usize, bits: &Self::Bits);
    /// Returns a row of a table as a word (`ROW`).
    fn row(&mut self, table: &Self::Table, row: usize) -> Self::Bits;
    /// Replaces a row of a table (`ROW`).
    fn put_row(&mut self, table: &mut Self::Table, row: usize, bits: &Self::Bits);
}
