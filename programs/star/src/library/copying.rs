//! Copying, group IV: columns do not depend on each other, so that a machine may treat all of them at once.

use crate::machine::{ModelError, StarBackend, StarMachine};

impl<B: StarBackend> StarMachine<B> {
    /// `CLEAR`: zeros in columns 1 to `columns` of a table.
    ///
    /// # Errors
    /// The table does not have so many columns.
    pub fn clear(&mut self, columns: i64, t: &mut B::Table) -> Result<(), ModelError> {
        let limit = self.width(t);
        let wanted = usize::try_from(columns).ok().filter(|&columns| columns <= limit);
        let Some(wanted) = wanted else {
            return Err(ModelError::Position {
                what: "column",
                position: columns,
                limit,
                least: 0,
            });
        };
        let zeros = self.fresh(self.rows());
        (1..=wanted).for_each(|i| self.write_column(i, t, &zeros));
        Ok(())
    }

    /// `WCOPY`: returns a table with `v` in the rows of `x` and zeros elsewhere.
    ///
    /// # Errors
    /// A bit of `v` is not there; this does not happen.
    pub fn copy_word(&mut self, v: &B::Bits, x: &B::Bits) -> Result<B::Table, ModelError> {
        let mut f = self.fresh_table(self.length(v));
        let zeros = self.fresh(self.rows());
        for i in 1..=self.length(v) {
            let bit = self.bit(v, i as i64)?;
            self.write_column(i, &mut f, if bit { x } else { &zeros });
        }
        Ok(f)
    }

    /// `WMERGE`: puts `v` into the rows of `x` of a table.
    ///
    /// # Errors
    /// `v` has not as many bits as the table has columns.
    pub fn merge_word(
        &mut self,
        v: &B::Bits,
        x: &B::Bits,
        f: &mut B::Table,
    ) -> Result<(), ModelError> {
        let (columns, wanted) = (self.width(f), self.length(v));
        if columns != wanted {
            return Err(ModelError::Width { procedure: "WMERGE", columns, wanted });
        }
        for i in 1..=columns {
            let (column, bit) = (self.read_column(i, f), self.bit(v, i as i64)?);
            let merged = match bit {
                true => self.or(&column, x),
                false => {
                    let others = self.not(x);
                    self.and(&column, &others)
                }
            };
            self.write_column(i, f, &merged);
        }
        Ok(())
    }

    /// `TCOPY`: returns a copy of a table.
    pub fn copy_table(&mut self, t: &B::Table) -> B::Table {
        let mut f = self.fresh_table(self.width(t));
        for i in 1..=self.width(t) {
            let column = self.read_column(i, t);
            self.write_column(i, &mut f, &column);
        }
        f
    }

    /// Returns the column before a band of `width` columns, checked.
    fn band(&self, t: &B::Table, band: i64, width: usize) -> Result<usize, ModelError> {
        let columns = self.width(t);
        let before =
            usize::try_from(band).ok().and_then(|band| band.checked_sub(1)?.checked_mul(width));
        let fits = |&before: &usize| before.checked_add(width).is_some_and(|end| end <= columns);
        before.filter(fits).ok_or(ModelError::Band { band, width, columns })
    }

    /// `TCOPY1`: returns band `j` of a table, `width` columns.
    ///
    /// # Errors
    /// The table does not have the band.
    pub fn copy_from_band(
        &mut self,
        t: &B::Table,
        j: i64,
        width: usize,
    ) -> Result<B::Table, ModelError> {
        let before = self.band(t, j, width)?;
        let mut f = self.fresh_table(width);
        for i in 1..=width {
            let column = self.read_column(before + i, t);
            self.write_column(i, &mut f, &column);
        }
        Ok(f)
    }

    /// `TCOPY2`: puts a table into band `j` of another one.
    ///
    /// # Errors
    /// The other table does not have the band.
    pub fn copy_to_band(
        &mut self,
        t: &B::Table,
        j: i64,
        f: &mut B::Table,
    ) -> Result<(), ModelError> {
        let before = self.band(f, j, self.width(t))?;
        for i in 1..=self.width(t) {
            let column = self.read_column(i, t);
            self.write_column(before + i, f, &column);
        }
        Ok(())
    }

    /// `TMERGE`: puts the rows of `x` of one table into another one.
    ///
    /// # Errors
    /// The tables have different widths.
    pub fn merge_table(
        &mut self,
        t: &B::Table,
        x: &B::Bits,
        f: &mut B::Table,
    ) -> Result<(), ModelError> {
        for i in 1..=self.same_width("TMERGE", t, f)? {
            let (from, to) = (self.read_column(i, t), self.read_column(i, f));
            let different = self.xor(&to, &from);
            let change = self.and(&different, x);
            let merged = self.xor(&to, &change);
            self.write_column(i, f, &merged);
        }
        Ok(())
    }
}
