//! Errors of sparse matrices, of vectors for them, and of the forms in which kernels take them. Each names the value
//! and the limit.

use std::fmt;

/// The reason why a sparse matrix, or a vector that is multiplied by it, is refused. Rows and columns count from 0.
#[derive(Clone, Debug, PartialEq)]
pub enum SparseError {
    /// The matrix has no rows or no columns.
    Empty {
        /// Number of rows of the matrix.
        rows: usize,
        /// Number of columns of the matrix.
        columns: usize,
    },
    /// An entry lies outside of the matrix.
    OutOfRange {
        /// Row of the entry.
        row: usize,
        /// Column of the entry.
        column: usize,
        /// Number of rows of the matrix.
        rows: usize,
        /// Number of columns of the matrix.
        columns: usize,
    },
    /// Two entries are given for one place of the matrix.
    Duplicate {
        /// Row of both entries.
        row: usize,
        /// Column of both entries.
        column: usize,
    },
    /// An entry of the matrix is NaN or infinite.
    Entry {
        /// Row of the entry, from 0.
        row: usize,
        /// Column of the entry, from 0.
        column: usize,
        /// Value of the entry.
        value: f32,
    },
    /// An element of the vector is NaN or infinite.
    Element {
        /// Index of the element in the vector, from 0.
        index: usize,
        /// Value of the element of the vector.
        value: f32,
    },
    /// The vector has not as many elements as the matrix has columns.
    Length {
        /// Number of elements of the vector.
        elements: usize,
        /// Number of columns of the matrix.
        columns: usize,
    },
    /// The vector does not fit local memory beside what else the kernel keeps there.
    TooLong {
        /// Number of words of local memory, in each section, that the vector takes.
        words: usize,
        /// Number of words of local memory, in each section, that there are for the vector.
        limit: usize,
    },
    /// A size that makes up a form of the matrix, or a random matrix, has a value that is not allowed.
    Shape {
        /// Name of the size, as the subject of a sentence, such as `the height of a slice`.
        what: &'static str,
        /// Value of the size.
        value: usize,
        /// Values that are allowed, such as `16, 32, 64 or 128`.
        allowed: &'static str,
    },
    /// No form that the caller allows can hold the matrix.
    NoForm,
    /// The method of conjugate gradients was given a matrix that is not square.
    NotSquare {
        /// Number of rows of the matrix.
        rows: usize,
        /// Number of columns of the matrix.
        columns: usize,
    },
    /// The method of conjugate gradients was given a matrix that is not symmetric.
    NotSymmetric {
        /// Row, from 0, of an entry that differs from the one at the mirrored place.
        row: usize,
        /// Column of that entry, from 0.
        column: usize,
        /// Value of that entry, and value at the mirrored place, with row and column exchanged.
        values: [f32; 2],
    },
    /// The method of conjugate gradients has found that the matrix is not positive definite.
    NotDefinite {
        /// Product p.Ap of a search direction p with the matrix A times p: 0 or less.
        curvature: f32,
        /// Number of the step of conjugate gradients in which this was found, from 1.
        step: usize,
    },
    /// The method of conjugate gradients met a quotient that is not finite in single precision.
    Quotient {
        /// Number of the step of conjugate gradients that divided, from 1.
        step: usize,
        /// Dividend: the number that was divided.
        above: f32,
        /// Divisor: the number by which it was divided.
        below: f32,
    },
    /// A Matrix Market file cannot be read.
    Market {
        /// Number of the line that is wrong, from 1.
        line: usize,
        /// Message that says what is wrong in the line.
        message: String,
    },
}

impl fmt::Display for SparseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty { rows, columns } => {
                write!(
                    f,
                    "the matrix has {rows} rows and {columns} columns; both must be at least 1"
                )
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
                write!(
                    f,
                    "the vector has {elements} elements and the matrix {columns} columns; both must be equal"
                )
            }
            Self::TooLong { words, limit } => write!(
                f,
                "the input vector takes {words} words of local memory, of which {limit} are for \
                 it; split the matrix by columns"
            ),
            Self::Shape { what, value, allowed } => {
                write!(f, "{what} is {value}; it can be {allowed}")
            }
            Self::NoForm => f.write_str("none of these forms is possible for the matrix"),
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
                "step {step}: {above:e} divided by {below:e} is not a number in single precision; scale the matrix or the right side"
            ),
            Self::Market { line, message } => write!(f, "line {line}: {message}"),
        }
    }
}

impl std::error::Error for SparseError {}
