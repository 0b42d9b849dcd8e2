//! The machine: a back end whose elementary operations are checked and counted.

use super::backend::{Logic, StarBackend};
use super::bits::BitVector;
use super::counts::{ElementaryCounts, ElementaryOperation};
use super::error::ModelError;
use super::table::BitTable;

/// The form in which procedures of the library are carried out; results are the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LibraryForm {
    /// The steps as they are usually written down.
    #[default]
    Plain,
    /// Forms with fewer operations where there are some.
    Cheap,
}

/// Most bits of all tables together without another limit: 1 GiB.
const TABLE_BITS: u64 = 8 << 30;

/// A STAR machine: a back end, the number of rows of its slices and tables, and what it has done so far.
#[derive(Clone, Debug)]
pub struct StarMachine<B> {
    backend: B,
    rows: usize,
    form: LibraryForm,
    counts: ElementaryCounts,
    limit: u64,
}

/// Position as the back end takes it, checked against what there is.
fn checked(
    what: &'static str,
    position: i64,
    (least, limit): (usize, usize),
) -> Result<usize, ModelError> {
    match usize::try_from(position) {
        Ok(at) if (least..=limit).contains(&at) => Ok(at),
        _ => Err(ModelError::Position { what, position, limit, least }),
    }
}

impl<B: StarBackend> StarMachine<B> {
    /// Creates a machine whose slices have `rows` positions.
    pub fn new(backend: B, rows: usize, form: LibraryForm) -> Self {
        Self { backend, rows, form, counts: ElementaryCounts::default(), limit: TABLE_BITS }
    }

    /// Returns the machine with a limit of bits for all tables together.
    #[must_use]
    pub fn with_limit(mut self, bits: u64) -> Self {
        self.limit = bits;
        self
    }

    /// Returns the number of rows of all slices and tables.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Returns the form in which procedures of the library are carried out.
    pub fn form(&self) -> LibraryForm {
        self.form
    }

    /// Returns how often each elementary operation was carried out.
    pub fn counts(&self) -> ElementaryCounts {
        self.counts
    }

    /// Returns the back end; what is done there is not counted.
    pub fn backend(&mut self) -> &mut B {
        &mut self.backend
    }

    /// Counts a point at which all columns have to be done.
    pub fn barrier(&mut self) {
        self.counts.add(ElementaryOperation::Barrier);
    }

    /// Checks that so many bits fit the memory that variables may have; `None` is more than a number can tell.
    ///
    /// # Errors
    /// They do not: the bits and the limit.
    pub fn check_memory(&self, bits: Option<u64>) -> Result<(), ModelError> {
        match bits {
            Some(bits) if bits <= self.limit => Ok(()),
            _ => Err(ModelError::Memory { bits, limit: self.limit }),
        }
    }

    /// Brings bits to the machine, which is not counted.
    pub fn load(&mut self, bits: &BitVector) -> B::Bits {
        self.backend.load(bits)
    }

    /// Brings a table to the machine, which is not counted.
    pub fn load_table(&mut self, table: &BitTable) -> B::Table {
        self.backend.load_table(table)
    }

    /// Brings bits back from the machine, which is not counted.
    pub fn store(&mut self, bits: &B::Bits) -> BitVector {
        self.backend.store(bits)
    }

    /// Brings a table back from the machine, which is not counted.
    pub fn store_table(&mut self, table: &B::Table) -> BitTable {
        self.backend.store_table(table)
    }

    /// Returns zeros that nothing has asked for: the value of a variable before its first assignment. Not counted.
    pub fn fresh(&mut self, length: usize) -> B::Bits {
        self.backend.filled(length, false)
    }

    /// Returns a table of zeros that nothing has asked for. Not counted.
    pub fn fresh_table(&mut self, columns: usize) -> B::Table {
        self.backend.new_table(self.rows, columns)
    }

    /// `SET` and `CLR`: returns `length` ones, or zeros.
    pub fn filled(&mut self, length: usize, bit: bool) -> B::Bits {
        self.counts.add(if bit { ElementaryOperation::Set } else { ElementaryOperation::Clear });
        self.backend.filled(length, bit)
    }

    /// `X := Y`: returns a copy.
    pub fn copy(&mut self, bits: &B::Bits) -> B::Bits {
        self.counts.add(ElementaryOperation::Copy);
        bits.clone()
    }

    /// Returns the result of a bitwise operation of slices or words.
    ///
    /// # Errors
    /// The lengths differ.
    pub fn logic(&mut self, logic: Logic, a: &B::Bits, b: &B::Bits) -> Result<B::Bits, ModelError> {
        let (operation, counted) = match logic {
            Logic::And => ("and", ElementaryOperation::And),
            Logic::Or => ("or", ElementaryOperation::Or),
            Logic::Xor => ("xor", ElementaryOperation::Xor),
        };
        self.same_length(operation, a, b)?;
        self.counts.add(counted);
        Ok(self.backend.logic(logic, a, b))
    }

    /// Checks that two slices or words have the same length.
    pub(crate) fn same_length(
        &self,
        operation: &'static str,
        a: &B::Bits,
        b: &B::Bits,
    ) -> Result<(), ModelError> {
        let (first, second) = (self.backend.length(a), self.backend.length(b));
        let is_same = first == second;
        if is_same { Ok(()) } else { Err(ModelError::Lengths { operation, first, second }) }
    }

    /// `not`: returns ones where there are zeros; bits behind the end stay 0.
    pub fn not(&mut self, a: &B::Bits) -> B::Bits {
        self.counts.add(ElementaryOperation::Not);
        self.backend.not(a)
    }

    /// `MASK`: returns ones in positions 1 to `position` of a slice.
    ///
    /// # Errors
    /// The position is not among 0 to the length.
    pub fn mask(&mut self, length: usize, position: i64) -> Result<B::Bits, ModelError> {
        let position = checked("position", position, (0, length))?;
        self.counts.add(ElementaryOperation::Mask);
        Ok(self.backend.mask(length, position))
    }

    /// `SOME`: whether there is a one. `ZERO` is the opposite and counts as the same operation.
    pub fn some(&mut self, bits: &B::Bits) -> bool {
        self.counts.add(ElementaryOperation::Some);
        self.backend.some(bits)
    }

    /// `FND`: returns the position of the first one; 0 if there is none.
    pub fn find(&mut self, bits: &B::Bits) -> usize {
        self.counts.add(ElementaryOperation::Find);
        self.backend.find(bits)
    }

    /// `STEP`: returns the position of the first one and clears it; 0 if there is none.
    pub fn step(&mut self, bits: &mut B::Bits) -> usize {
        self.counts.add(ElementaryOperation::Step);
        self.backend.step(bits)
    }

    /// `FRST`: clears all ones but the first.
    pub fn keep_first(&mut self, bits: &mut B::Bits) {
        self.counts.add(ElementaryOperation::First);
        self.backend.keep_first(bits);
    }

    /// `NUMB`: returns the number of ones.
    pub fn number(&mut self, bits: &B::Bits) -> usize {
        self.counts.add(ElementaryOperation::Number);
        self.backend.number(bits)
    }

    /// `Y(i)`: returns the bit at a position.
    ///
    /// # Errors
    /// The position is not among 1 to the length.
    pub fn bit(&mut self, bits: &B::Bits, position: i64) -> Result<bool, ModelError> {
        let position = checked("position", position, (1, self.backend.length(bits)))?;
        self.counts.add(ElementaryOperation::BitRead);
        Ok(self.backend.bit(bits, position))
    }

    /// `Y(i) := b`: sets the bit at a position.
    ///
    /// # Errors
    /// The position is not among 1 to the length.
    pub fn put_bit(
        &mut self,
        bits: &mut B::Bits,
        position: i64,
        bit: bool,
    ) -> Result<(), ModelError> {
        let position = checked("position", position, (1, self.backend.length(bits)))?;
        self.counts.add(ElementaryOperation::BitWrite);
        self.backend.put_bit(bits, position, bit);
        Ok(())
    }

    /// Checks a part of a word, and returns its begin and length.
    fn span(&self, bits: &B::Bits, from: i64, to: i64) -> Result<(usize, usize), ModelError> {
        let length = self.backend.length(bits);
        match (usize::try_from(from), usize::try_from(to)) {
            (Ok(first @ 1..), Ok(last)) if first <= last && last <= length => {
                Ok((first, last - first + 1))
            }
            _ => Err(ModelError::Span { from, to, length }),
        }
    }

    /// `TRIM`: returns positions `from` to `to` of a word.
    ///
    /// # Errors
    /// The part does not lie in the word.
    pub fn trim(&mut self, from: i64, to: i64, bits: &B::Bits) -> Result<B::Bits, ModelError> {
        let (first, length) = self.span(bits, from, to)?;
        self.counts.add(ElementaryOperation::Trim);
        Ok(self.backend.trim(bits, first, length))
    }

    /// `REP`: puts `part` in place of positions `from` to `to` of a word.
    ///
    /// # Errors
    /// The part does not lie in the word, or has another length.
    pub fn replace(
        &mut self,
        (from, to): (i64, i64),
        part: &B::Bits,
        bits: &mut B::Bits,
    ) -> Result<(), ModelError> {
        let (first, length) = self.span(bits, from, to)?;
        let second = self.backend.length(part);
        if second != length {
            return Err(ModelError::Lengths { operation: "REP", first: length, second });
        }
        self.counts.add(ElementaryOperation::Replace);
        self.backend.replace(bits, first, part);
        Ok(())
    }

    /// `ADD`: returns the sum of two words as numbers.
    ///
    /// # Errors
    /// The lengths differ, or the sum needs more bits.
    pub fn add(&mut self, a: &B::Bits, b: &B::Bits) -> Result<B::Bits, ModelError> {
        self.same_length("ADD", a, b)?;
        self.counts.add(ElementaryOperation::Add);
        match self.backend.add(a, b) {
            (sum, true) => Ok(sum),
            _ => {
                let (first, second) = (self.store(a).to_string(), self.store(b).to_string());
                Err(ModelError::Sum { first, second })
            }
        }
    }

    /// `LESS`: whether the first of two words is less as a number.
    ///
    /// # Errors
    /// The lengths differ.
    pub fn less(&mut self, a: &B::Bits, b: &B::Bits) -> Result<bool, ModelError> {
        self.same_length("LESS", a, b)?;
        self.counts.add(ElementaryOperation::Less);
        Ok(self.backend.less(a, b))
    }

    /// Returns the number of columns of a table.
    pub fn width(&self, table: &B::Table) -> usize {
        self.backend.width(table)
    }

    /// Returns the length of a slice or word.
    pub fn length(&self, bits: &B::Bits) -> usize {
        self.backend.length(bits)
    }

    /// `COL`: returns a column of a table.
    ///
    /// # Errors
    /// The table does not have the column.
    pub fn column(&mut self, column: i64, table: &B::Table) -> Result<B::Bits, ModelError> {
        let column = checked("column", column, (1, self.backend.width(table)))?;
        Ok(self.read_column(column, table))
    }

    /// `COL`: replaces a column of a table.
    ///
    /// # Errors
    /// The table does not have the column, or the slice has another length.
    pub fn put_column(
        &mut self,
        column: i64,
        table: &mut B::Table,
        bits: &B::Bits,
    ) -> Result<(), ModelError> {
        let column = checked("column", column, (1, self.backend.width(table)))?;
        let (first, second) = (self.backend.rows(table), self.backend.length(bits));
        if first != second {
            return Err(ModelError::Lengths { operation: "COL", first, second });
        }
        self.write_column(column, table, bits);
        Ok(())
    }

    /// `ROW`: returns a row of a table as a word.
    ///
    /// # Errors
    /// The table does not have the row.
    pub fn row(&mut self, row: i64, table: &B::Table) -> Result<B::Bits, ModelError> {
        let row = checked("row", row, (1, self.backend.rows(table)))?;
        self.counts.add(ElementaryOperation::RowRead);
        Ok(self.backend.row(table, row))
    }

    /// `ROW`: replaces a row of a table.
    ///
    /// # Errors
    /// The table does not have the row, or the word has another length than a row.
    pub fn put_row(
        &mut self,
        row: i64,
        table: &mut B::Table,
        bits: &B::Bits,
    ) -> Result<(), ModelError> {
        let row = checked("row", row, (1, self.backend.rows(table)))?;
        let (first, second) = (self.backend.width(table), self.backend.length(bits));
        if first != second {
            return Err(ModelError::Lengths { operation: "ROW", first, second });
        }
        self.counts.add(ElementaryOperation::RowWrite);
        self.backend.put_row(table, row, bits);
        Ok(())
    }
}

/// Operations of which the library has checked the arguments.
impl<B: StarBackend> StarMachine<B> {
    pub(crate) fn read_column(&mut self, column: usize, table: &B::Table) -> B::Bits {
        self.counts.add(ElementaryOperation::ColumnRead);
        self.backend.column(table, column)
    }

    pub(crate) fn write_column(&mut self, column: usize, table: &mut B::Table, bits: &B::Bits) {
        self.counts.add(ElementaryOperation::ColumnWrite);
        self.backend.put_column(table, column, bits);
    }

    pub(crate) fn and(&mut self, a: &B::Bits, b: &B::Bits) -> B::Bits {
        self.counts.add(ElementaryOperation::And);
        self.backend.logic(Logic::And, a, b)
    }

    pub(crate) fn or(&mut self, a: &B::Bits, b: &B::Bits) -> B::Bits {
        self.counts.add(ElementaryOperation::Or);
        self.backend.logic(Logic::Or, a, b)
    }

    pub(crate) fn xor(&mut self, a: &B::Bits, b: &B::Bits) -> B::Bits {
        self.counts.add(ElementaryOperation::Xor);
        self.backend.logic(Logic::Xor, a, b)
    }
}
