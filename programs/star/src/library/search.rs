//! Searches, group I (a critical operation in every column) and group II (none). Rows outside of the control slice are
//! not looked at and are 0 in results. Column 1 is the most significant.

use crate::machine::{LibraryForm, ModelError, StarBackend, StarMachine};

/// Column numbers from the most significant to the least, or the other way.
fn columns(width: usize, is_last_first: bool) -> impl Iterator<Item = usize> {
    (1..=width).map(move |i| if is_last_first { width + 1 - i } else { i })
}

impl<B: StarBackend> StarMachine<B> {
    /// Checks that a comparand has a bit for each column of a table; returns how many.
    fn comparand(
        &self,
        procedure: &'static str,
        table: &B::Table,
        v: &B::Bits,
    ) -> Result<usize, ModelError> {
        let (columns, wanted) = (self.width(table), self.length(v));
        let is_same = columns == wanted;
        if is_same { Ok(columns) } else { Err(ModelError::Width { procedure, columns, wanted }) }
    }

    /// Checks that two tables have the same number of columns; returns it.
    pub(super) fn same_width(
        &self,
        procedure: &'static str,
        t: &B::Table,
        f: &B::Table,
    ) -> Result<usize, ModelError> {
        let (wanted, columns) = (self.width(t), self.width(f));
        let is_same = columns == wanted;
        if is_same { Ok(columns) } else { Err(ModelError::Width { procedure, columns, wanted }) }
    }

    /// `MIN`: returns all rows of `x` whose number in the table is the least; none if `x` has none.
    pub fn min(&mut self, t: &B::Table, x: &B::Bits) -> B::Bits {
        let mut z = self.copy(x);
        for i in columns(self.width(t), false) {
            let column = self.read_column(i, t);
            let y = match self.form() {
                LibraryForm::Plain => {
                    let zeros = self.not(&column);
                    self.and(&z, &zeros)
                }
                LibraryForm::Cheap => {
                    let ones = self.and(&z, &column);
                    self.xor(&z, &ones)
                }
            };
            if self.some(&y) {
                z = self.copy(&y);
            }
        }
        z
    }

    /// `MAX`: returns all rows of `x` whose number in the table is the greatest; none if `x` has none.
    pub fn max(&mut self, t: &B::Table, x: &B::Bits) -> B::Bits {
        let mut z = self.copy(x);
        for i in columns(self.width(t), false) {
            let column = self.read_column(i, t);
            let y = self.and(&z, &column);
            if self.some(&y) {
                z = self.copy(&y);
            }
        }
        z
    }

    /// `MATCH`: returns the rows of `x` whose number in the table is `v`.
    ///
    /// # Errors
    /// `v` has not as many bits as the table has columns.
    pub fn equal(&mut self, t: &B::Table, x: &B::Bits, v: &B::Bits) -> Result<B::Bits, ModelError> {
        let width = self.comparand("MATCH", t, v)?;
        let mut z = self.copy(x);
        if self.form() == LibraryForm::Plain {
            for i in columns(width, false) {
                let (mut column, bit) = (self.read_column(i, t), self.bit(v, i as i64)?);
                if !bit {
                    column = self.not(&column);
                }
                z = self.and(&z, &column);
            }
            return Ok(z);
        }
        let mut different = self.filled(self.length(x), false);
        for i in columns(width, false) {
            let column = self.read_column(i, t);
            match self.bit(v, i as i64)? {
                true => z = self.and(&z, &column),
                false => different = self.or(&different, &column),
            }
        }
        let dropped = self.and(&z, &different);
        Ok(self.xor(&z, &dropped))
    }

    /// `LESS`: returns the rows of `x` whose number in the table is less than `v`.
    ///
    /// # Errors
    /// `v` has not as many bits as the table has columns.
    pub fn below(&mut self, t: &B::Table, x: &B::Bits, v: &B::Bits) -> Result<B::Bits, ModelError> {
        let width = self.comparand("LESS", t, v)?;
        if self.form() == LibraryForm::Cheap {
            let not_below = self.last_column_first(t, v, true)?;
            let below = self.not(&not_below);
            return Ok(self.and(x, &below));
        }
        let mut m = self.copy(x);
        let mut y = self.filled(self.length(x), false);
        for i in columns(width, false) {
            let column = self.read_column(i, t);
            let a = self.and(&m, &column);
            let d = self.xor(&m, &a);
            if self.bit(v, i as i64)? {
                y = self.or(&y, &d);
                m = self.copy(&a);
            } else {
                m = self.copy(&d);
            }
        }
        Ok(y)
    }

    /// `GREAT`: returns the rows of `x` whose number in the table is greater than `v`.
    ///
    /// # Errors
    /// `v` has not as many bits as the table has columns.
    pub fn above(&mut self, t: &B::Table, x: &B::Bits, v: &B::Bits) -> Result<B::Bits, ModelError> {
        let width = self.comparand("GREAT", t, v)?;
        if self.form() == LibraryForm::Cheap {
            let above = self.last_column_first(t, v, false)?;
            return Ok(self.and(x, &above));
        }
        let mut m = self.copy(x);
        let mut y = self.filled(self.length(x), false);
        for i in columns(width, false) {
            let column = self.read_column(i, t);
            let a = self.and(&m, &column);
            if self.bit(v, i as i64)? {
                m = self.copy(&a);
            } else {
                y = self.or(&y, &a);
                m = self.xor(&m, &a);
            }
        }
        Ok(y)
    }

    /// Returns the rows whose number is greater than `v`, or equal to it if `is_equal_in`, from the least significant
    /// column to the most.
    fn last_column_first(
        &mut self,
        t: &B::Table,
        v: &B::Bits,
        is_equal_in: bool,
    ) -> Result<B::Bits, ModelError> {
        let mut m = self.filled(self.rows(), is_equal_in);
        for i in columns(self.width(t), true) {
            let column = self.read_column(i, t);
            m = match self.bit(v, i as i64)? {
                true => self.and(&m, &column),
                false => self.or(&m, &column),
            };
        }
        Ok(m)
    }

    /// `GEL`: returns the rows whose number in the table is greater than `v`, and those whose number is less.
    ///
    /// # Errors
    /// `v` has not as many bits as the table has columns.
    pub fn apart(&mut self, t: &B::Table, v: &B::Bits) -> Result<(B::Bits, B::Bits), ModelError> {
        let width = self.comparand("GEL", t, v)?;
        let rows = self.rows();
        let mut m = self.filled(rows, true);
        let (mut greater, mut less) = (self.filled(rows, false), self.filled(rows, false));
        for i in columns(width, false) {
            let column = self.read_column(i, t);
            let a = self.and(&m, &column);
            let d = self.xor(&m, &a);
            if self.bit(v, i as i64)? {
                less = self.or(&less, &d);
                m = self.copy(&a);
            } else {
                greater = self.or(&greater, &a);
                m = self.copy(&d);
            }
        }
        Ok((greater, less))
    }

    /// `HIT`: returns the rows of `x` that are equal in both tables.
    ///
    /// # Errors
    /// The tables have different widths.
    pub fn hit(&mut self, t: &B::Table, f: &B::Table, x: &B::Bits) -> Result<B::Bits, ModelError> {
        let width = self.same_width("HIT", t, f)?;
        if self.form() == LibraryForm::Plain {
            let mut z = self.copy(x);
            for i in columns(width, false) {
                let (a, b) = (self.read_column(i, t), self.read_column(i, f));
                let different = self.xor(&a, &b);
                let equal = self.not(&different);
                z = self.and(&z, &equal);
            }
            return Ok(z);
        }
        let mut e = self.filled(self.length(x), false);
        for i in columns(width, false) {
            let (a, b) = (self.read_column(i, t), self.read_column(i, f));
            let different = self.xor(&a, &b);
            e = self.or(&e, &different);
        }
        let dropped = self.and(x, &e);
        Ok(self.xor(x, &dropped))
    }

    /// `SETMIN`: returns the rows of `x` whose number in the first table is less than in the second.
    ///
    /// # Errors
    /// The tables have different widths.
    pub fn lesser(
        &mut self,
        t: &B::Table,
        f: &B::Table,
        x: &B::Bits,
    ) -> Result<B::Bits, ModelError> {
        match self.form() {
            LibraryForm::Plain => self.first_difference(("SETMIN", t, f), x, false),
            LibraryForm::Cheap => self.lesser_last_first(("SETMIN", t, f), x),
        }
    }

    /// `SETMAX`: returns the rows of `x` whose number in the first table is greater than in the second.
    ///
    /// # Errors
    /// The tables have different widths.
    pub fn greater(
        &mut self,
        t: &B::Table,
        f: &B::Table,
        x: &B::Bits,
    ) -> Result<B::Bits, ModelError> {
        match self.form() {
            LibraryForm::Plain => self.first_difference(("SETMAX", t, f), x, true),
            LibraryForm::Cheap => self.lesser_last_first(("SETMAX", f, t), x),
        }
    }

    /// Returns the rows of `x` in which the first column with a difference has a one in the first table if
    /// `is_first`, else in the second.
    fn first_difference(
        &mut self,
        (procedure, t, f): (&'static str, &B::Table, &B::Table),
        x: &B::Bits,
        is_first: bool,
    ) -> Result<B::Bits, ModelError> {
        let width = self.same_width(procedure, t, f)?;
        let mut m = self.copy(x);
        let mut z = self.filled(self.length(x), false);
        for i in columns(width, false) {
            let (a, b) = (self.read_column(i, t), self.read_column(i, f));
            let different = self.xor(&a, &b);
            let d = self.and(&different, &m);
            let found = self.and(&d, if is_first { &a } else { &b });
            z = self.or(&z, &found);
            m = self.xor(&m, &d);
        }
        Ok(z)
    }

    /// Returns the rows of `x` whose number in the first table is less, from the least significant column to the most.
    fn lesser_last_first(
        &mut self,
        (procedure, t, f): (&'static str, &B::Table, &B::Table),
        x: &B::Bits,
    ) -> Result<B::Bits, ModelError> {
        let width = self.same_width(procedure, t, f)?;
        let mut less = self.filled(self.length(x), false);
        for i in columns(width, true) {
            let (a, b) = (self.read_column(i, t), self.read_column(i, f));
            let changed = self.xor(&less, &b);
            let different = self.xor(&a, &b);
            let change = self.and(&changed, &different);
            less = self.xor(&less, &change);
        }
        Ok(self.and(&less, x))
    }
}
