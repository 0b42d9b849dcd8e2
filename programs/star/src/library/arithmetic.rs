//! Arithmetic, group III: column by column from the least significant, with a slice of carries or borrows that at the end
//! marks exactly the rows of `x` whose result does not fit. Results are modulo 2 to the power of the width.

use crate::machine::{LibraryForm, ModelError, StarBackend, StarMachine};

/// A table of results, and the rows whose result does not fit.
type Results<B> = Result<(<B as StarBackend>::Table, <B as StarBackend>::Bits), ModelError>;

/// Sum or difference.
#[derive(Clone, Copy, PartialEq)]
enum Sense {
    Add,
    Subtract,
}

/// The value of rows outside of the control slice in a result.
#[derive(Clone, Copy, PartialEq)]
enum OtherRows {
    Zero,
    Unchanged,
}

impl<B: StarBackend> StarMachine<B> {
    /// `ADDV`: returns the sums of two tables in the rows of `x`, 0 in others, and the rows whose sum does not fit.
    ///
    /// # Errors
    /// The tables have different widths.
    pub fn add_tables(&mut self, t: &B::Table, r: &B::Table, x: &B::Bits) -> Results<B> {
        self.of_tables(("ADDV", t, r), x, Sense::Add)
    }

    /// `SUBTV`: returns the differences of two tables in the rows of `x`, 0 in others, and the rows whose difference
    /// is negative.
    ///
    /// # Errors
    /// The tables have different widths.
    pub fn subtract_tables(&mut self, t: &B::Table, r: &B::Table, x: &B::Bits) -> Results<B> {
        self.of_tables(("SUBTV", t, r), x, Sense::Subtract)
    }

    fn of_tables(
        &mut self,
        (procedure, t, r): (&'static str, &B::Table, &B::Table),
        x: &B::Bits,
        sense: Sense,
    ) -> Results<B> {
        let width = self.same_width(procedure, t, r)?;
        let mut results = self.fresh_table(width);
        let mut b = self.filled(self.length(x), false);
        for i in (1..=width).rev() {
            let (left, right) = (self.read_column(i, t), self.read_column(i, r));
            let p = self.xor(&left, &right);
            let digit = self.xor(&p, &b);
            let digit = self.and(x, &digit);
            self.write_column(i, &mut results, &digit);
            b = match (self.form(), sense) {
                (LibraryForm::Plain, Sense::Add) => {
                    let both = self.and(&left, &right);
                    let carried = self.and(&p, &b);
                    let carry = self.or(&both, &carried);
                    self.and(x, &carry)
                }
                (LibraryForm::Plain, Sense::Subtract) => {
                    let (zeros, equal) = (self.not(&left), self.not(&p));
                    let lent = self.and(&zeros, &right);
                    let carried = self.and(&equal, &b);
                    let borrow = self.or(&lent, &carried);
                    self.and(x, &borrow)
                }
                (LibraryForm::Cheap, Sense::Add) => {
                    let change = self.xor(&left, &b);
                    let change = self.and(&change, &p);
                    self.xor(&left, &change)
                }
                (LibraryForm::Cheap, Sense::Subtract) => {
                    let change = self.xor(&b, &right);
                    let change = self.and(&change, &p);
                    self.xor(&b, &change)
                }
            };
        }
        if self.form() == LibraryForm::Cheap {
            b = self.and(&b, x);
        }
        Ok((results, b))
    }

    /// `ADDC`: returns the numbers of the table plus `v` in the rows of `x`, 0 in others, and the rows whose sum does
    /// not fit.
    ///
    /// # Errors
    /// `v` has not as many bits as the table has columns.
    pub fn add_word(&mut self, t: &B::Table, x: &B::Bits, v: &B::Bits) -> Results<B> {
        self.of_word(("ADDC", t), x, v, (Sense::Add, OtherRows::Zero))
    }

    /// `ADDC1`: returns the numbers of the table plus `v` in the rows of `x`, unchanged in others, and the rows whose
    /// sum does not fit.
    ///
    /// # Errors
    /// `v` has not as many bits as the table has columns.
    pub fn add_word_within(&mut self, t: &B::Table, x: &B::Bits, v: &B::Bits) -> Results<B> {
        self.of_word(("ADDC1", t), x, v, (Sense::Add, OtherRows::Unchanged))
    }

    /// `SUBTC`: returns the numbers of the table less `v` in the rows of `x`, 0 in others, and the rows whose
    /// difference is negative.
    ///
    /// # Errors
    /// `v` has not as many bits as the table has columns.
    pub fn subtract_word(&mut self, t: &B::Table, x: &B::Bits, v: &B::Bits) -> Results<B> {
        self.of_word(("SUBTC", t), x, v, (Sense::Subtract, OtherRows::Zero))
    }

    /// `SUBTC1`: returns the numbers of the table less `v` in the rows of `x`, unchanged in others, and the rows whose
    /// difference is negative.
    ///
    /// # Errors
    /// `v` has not as many bits as the table has columns.
    pub fn subtract_word_within(&mut self, t: &B::Table, x: &B::Bits, v: &B::Bits) -> Results<B> {
        self.of_word(("SUBTC1", t), x, v, (Sense::Subtract, OtherRows::Unchanged))
    }

    fn of_word(
        &mut self,
        (procedure, t): (&'static str, &B::Table),
        x: &B::Bits,
        v: &B::Bits,
        (sense, others): (Sense, OtherRows),
    ) -> Results<B> {
        let (columns, wanted) = (self.width(t), self.length(v));
        if columns != wanted {
            return Err(ModelError::Width { procedure, columns, wanted });
        }
        let mut results = self.fresh_table(columns);
        let mut b = self.filled(self.length(x), false);
        for i in (1..=columns).rev() {
            let (column, bit) = (self.read_column(i, t), self.bit(v, i as i64)?);
            let digit = match self.form() {
                LibraryForm::Plain => {
                    let digit = self.plain_digit((&column, bit), x, &mut b, sense);
                    self.among_others(&digit, &column, x, others)
                }
                LibraryForm::Cheap => {
                    let seen = match others {
                        OtherRows::Zero => self.and(&column, x),
                        OtherRows::Unchanged => column,
                    };
                    self.cheap_digit((&seen, bit), x, &mut b, sense)
                }
            };
            self.write_column(i, &mut results, &digit);
        }
        Ok((results, b))
    }

    /// Returns a column of results before rows outside of `x` are seen to, and moves the carry on.
    fn plain_digit(
        &mut self,
        (column, bit): (&B::Bits, bool),
        x: &B::Bits,
        b: &mut B::Bits,
        sense: Sense,
    ) -> B::Bits {
        let mut m = self.xor(column, b);
        if bit {
            m = self.not(&m);
        }
        let next = match (sense, bit) {
            (Sense::Add, true) => self.or(b, column),
            (Sense::Add, false) => self.and(b, column),
            (Sense::Subtract, true) => self.or(&m, b),
            (Sense::Subtract, false) => {
                let zeros = self.not(column);
                self.and(b, &zeros)
            }
        };
        *b = self.and(x, &next);
        m
    }

    fn among_others(
        &mut self,
        digit: &B::Bits,
        column: &B::Bits,
        x: &B::Bits,
        others: OtherRows,
    ) -> B::Bits {
        let inside = self.and(x, digit);
        if others == OtherRows::Zero {
            return inside;
        }
        let outside = self.not(x);
        let unchanged = self.and(column, &outside);
        self.or(&inside, &unchanged)
    }

    /// Returns a column of results and moves the carry on, which never leaves `x`; rows outside keep what they are.
    fn cheap_digit(
        &mut self,
        (column, bit): (&B::Bits, bool),
        x: &B::Bits,
        b: &mut B::Bits,
        sense: Sense,
    ) -> B::Bits {
        if !bit {
            let digit = self.xor(column, b);
            let both = self.and(b, column);
            *b = match sense {
                Sense::Add => both,
                Sense::Subtract => self.xor(b, &both),
            };
            return digit;
        }
        let q = self.xor(x, b);
        let digit = self.xor(column, &q);
        let both = self.and(column, &q);
        *b = match sense {
            Sense::Add => self.or(b, &both),
            Sense::Subtract => self.xor(x, &both),
        };
        digit
    }
}
