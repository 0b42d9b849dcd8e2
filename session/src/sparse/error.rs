//! Errors in a sparse matrix, in a vector for it, or in a form in which a kernel takes them; each names value and limit.

use std::fmt;

/// An error in a sparse matrix or in a vector for it. Rows and columns count from 0.
#[derive(Clone, Debug, PartialEq)]
pub enum SparseError {
    /// A matrix without rows or columns.
    Empty {
        /// Rows.
        rows: usize,
        /// Columns.
        columns: usize,
    },
    /// An entry outside of the matrix.
    OutOfRange {
        /// Row of the entry.
        row: usize,
        /// Column of the entry.
        column: usize,
        /// Rows of the matrix.
        rows: usize,
        /// Columns of the matrix.
        columns: usize,
    },
    /// Two entries at one place.
    Duplicate {
        /// Row of both.
        row: usize,
        /// Column of both.
        column: usize,
    },
    /// An entry that is NaN or infinite.
    Entry {
        /// Row.
        row: usize,
        /// Column.
        column: usize,
        /// The value.
        value: f32,
    },
    /// An element of the vector that is NaN or infinite.
    Element {
        /// Index.
        index: usize,
        /// The value.
        value: f32,
    },
    /// The vector has not as many elements as the matrix has columns.
    Length {
        /// Elements given.
        elements: usize,
        /// Columns of the matrix.
        columns: usize,
    },
    /// The input vector does not fit local memory.
    TooLong {
        /// Words of local memory that the vector takes.
        words: usize,
        /// Words that there are for the vector.
        limit: usize,
    },
    /// A parameter of a format has a value that the format does not take.
    Shape {
        /// Name of the parameter.
        what: &'static str,
        /// Value of the parameter.
        value: usize,
        /// Values that the parameter may have.
        allowed: &'static str,
    },
    /// No form of those that were named holds the matrix.
    NoForm,
    /// Conjugate gradients with a matrix that is not square.
    NotSquare {
        /// Rows.
        rows: usize,
        /// Columns.
        columns: usize,
    },
    /// Conjugate gradients with a matrix that is not symmetric.
    NotSymmetric {
        /// Row of the entry.
        row: usize,
        /// Column of the entry.
        column: usize,
        /// The entry, and the one with row and column exchanged.
        values: [f32; 2],
    },
    /// Conjugate gradients with a matrix that is not positive definite.
    NotDefinite {
        /// The product of a direction with the matrix times it.
        curvature: f32,
        /// Step in which the curvature was found.
        step: usize,
    },
    /// A quotient of conjugate gradients that single precision does not have.
    Quotient {
        /// The step.
        step: usize,
        /// The number that was divided.
        above: f32,
        /// The number by which it was divided.
        below: f32,
    },
    /// A Matrix Market file that cannot be read.
    Market {
        /// Line, from 1.
        line: usize,
        /// The error in the line.
        message: String,
    },
}

impl fmt::Display for SparseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty { rows, columns } => {
                write!(f, "a matrix of {rows} x {columns}; both must be at least 1")
            }
            Self::OutOfRange { row, column, rows, columns } => {
                write!(f, "entry ({row}, {column}) lies outside of the {rows} x {columns} matrix")
            }
            Self::Duplicate { row, column } => {
                write!(f, "entry ({row}, {column}) is given twice; add the values first")
            }
            Self::Entry { row, column, value } => {
                write!(
                    f,
                    "entry ({row}, {column}) is {value}; entries must be finite; --non-finite lets them through"
                )
            }
            Self::Element { index, value } => {
                write!(f, "element {index} of the vector is {value}; the input must be finite")
            }
            Self::Length { elements, columns } => {
                write!(f, "a vector of {elements} elements for a matrix of {columns} columns")
            }
            Self::TooLong { words, limit } => write!(
                f,
                "the input vector takes {words} words of local memory, of which {limit} are for \
                 it; split the matrix by columns"
            ),
            Self::Shape { what, value, allowed } => {
                write!(f, "{what} is {value}; it can be {allowed}")
            }
            Self::NoForm => f.write_str("the matrix has no form of these names"),
            Self::NotSquare { rows, columns } => {
                write!(f, "the matrix is {rows} x {columns}; conjugate gradients need a square one")
            }
            Self::NotSymmetric { row, column, values: [value, other] } => write!(
                f,
                "the matrix is not symmetric: entry ({r}, {c}) is {value} and ({c}, {r}) is {other}; conjugate gradients need a symmetric one",
                r = row + 1,
                c = column + 1
            ),
            Self::NotDefinite { curvature, step } => write!(
                f,
                "the matrix is not positive definite: p.Ap is {curvature:e} in step {step}; conjugate gradients need a positive definite one"
            ),
            Self::Quotient { step, above, below } => write!(
                f,
                "step {step}: {above:e} divided by {below:e} is no number of single precision; scale the matrix or the right side"
            ),
            Self::Market { line, message } => write!(f, "line {line}: {message}"),
        }
    }
}

impl std::error::Error for SparseError {}
