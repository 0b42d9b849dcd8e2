//! How often each elementary operation was carried out.

use std::ops::{Index, Sub};

/// The kinds of elementary operations that are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ElementaryOperation {
    /// `SET`: all ones.
    Set,
    /// `CLR`: all zeros.
    Clear,
    /// `X := Y` of whole slices or words.
    Copy,
    /// `not`.
    Not,
    /// `and`.
    And,
    /// `or`.
    Or,
    /// `xor`.
    Xor,
    /// `MASK`: ones up to a position.
    Mask,
    /// `SOME` or `ZERO`: whether there is a one.
    Some,
    /// `FND`: the first one.
    Find,
    /// `STEP`: the first one, which is cleared.
    Step,
    /// `FRST`: all but the first one cleared.
    First,
    /// `NUMB`: the number of ones.
    Number,
    /// `Y(i)` read.
    BitRead,
    /// `Y(i)` written.
    BitWrite,
    /// `TRIM`: a part of a word.
    Trim,
    /// `REP`: a part of a word replaced.
    Replace,
    /// `ADD` of words.
    Add,
    /// `LESS` of words.
    Less,
    /// `COL` read.
    ColumnRead,
    /// `COL` written.
    ColumnWrite,
    /// `ROW` read.
    RowRead,
    /// `ROW` written.
    RowWrite,
    /// A point at which all columns of a `forall` have to be done.
    Barrier,
}

impl ElementaryOperation {
    /// All kinds with the name in reports, in the order of reports.
    pub const ALL: [(Self, &'static str); 24] = [
        (Self::Set, "set"),
        (Self::Clear, "clr"),
        (Self::Copy, "copy"),
        (Self::Not, "not"),
        (Self::And, "and"),
        (Self::Or, "or"),
        (Self::Xor, "xor"),
        (Self::Mask, "mask"),
        (Self::Some, "some"),
        (Self::Find, "fnd"),
        (Self::Step, "step"),
        (Self::First, "frst"),
        (Self::Number, "numb"),
        (Self::BitRead, "bit_read"),
        (Self::BitWrite, "bit_write"),
        (Self::Trim, "trim"),
        (Self::Replace, "rep"),
        (Self::Add, "add"),
        (Self::Less, "less"),
        (Self::ColumnRead, "col_read"),
        (Self::ColumnWrite, "col_write"),
        (Self::RowRead, "row_read"),
        (Self::RowWrite, "row_write"),
        (Self::Barrier, "barrier"),
    ];

    /// Returns the name of the kind in reports.
    pub fn name(self) -> &'static str {
        Self::ALL[self as usize].1
    }

    /// Whether the operation has a result over all rows, for which parallel parts of a machine have to wait.
    pub fn is_critical(self) -> bool {
        matches!(self, Self::Some | Self::Find | Self::Step | Self::First | Self::Number)
    }

    /// Whether the operation is bitwise logic on whole slices.
    pub fn is_logic(self) -> bool {
        matches!(self, Self::Not | Self::And | Self::Or | Self::Xor)
    }
}

/// Numbers of elementary operations, by kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ElementaryCounts([u64; ElementaryOperation::ALL.len()]);

impl ElementaryCounts {
    /// Counts one operation more.
    pub fn add(&mut self, operation: ElementaryOperation) {
        self.0[operation as usize] += 1;
    }

    /// Returns the kinds that were carried out, each with its number, in the order of reports.
    pub fn iter(&self) -> impl Iterator<Item = (ElementaryOperation, u64)> + '_ {
        let all = ElementaryOperation::ALL.iter().zip(self.0);
        all.map(|(&(operation, _), count)| (operation, count)).filter(|(_, count)| *count > 0)
    }

    /// Returns the number of operations of the kinds for which `is_counted` holds.
    pub fn of(&self, is_counted: impl Fn(ElementaryOperation) -> bool) -> u64 {
        self.iter().filter(|(operation, _)| is_counted(*operation)).map(|(_, count)| count).sum()
    }

    /// Returns the number of all operations but barriers, which are points in a program and no operations.
    pub fn total(&self) -> u64 {
        self.of(|operation| operation != ElementaryOperation::Barrier)
    }
}

impl Index<ElementaryOperation> for ElementaryCounts {
    type Output = u64;

    fn index(&self, operation: ElementaryOperation) -> &u64 {
        &self.0[operation as usize]
    }
}

impl Sub for ElementaryCounts {
    type Output = Self;

    /// Returns the operations that were counted since `earlier`.
    fn sub(self, earlier: Self) -> Self {
        let mut counts = self.0;
        for (count, before) in counts.iter_mut().zip(earlier.0) {
            *count = count.saturating_sub(before);
        }
        Self(counts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stand_in_the_order_of_the_kinds() {
        for (place, (operation, name)) in ElementaryOperation::ALL.iter().enumerate() {
            assert_eq!((*operation as usize, operation.name()), (place, *name));
        }
    }
}
