//! Errors of vector operations, which add, scale or multiply vectors. Each names the value and the limit.

use std::fmt;

/// The reason why the vectors x and y and the scalar a of a vector operation are refused. Elements are numbered from 0.
#[derive(Clone, Debug, PartialEq)]
pub enum VectorError {
    /// The vectors x and y have different lengths, or no elements.
    Length {
        /// Number of elements of x.
        x: usize,
        /// Number of elements of y.
        y: usize,
    },
    /// The vectors do not fit local memory.
    TooLong {
        /// Number of elements of each vector.
        elements: usize,
        /// Largest number of elements of each vector that fits.
        limit: usize,
    },
    /// An element of a vector, or the scalar, is NaN or infinite.
    NotFinite {
        /// Name of the vector or scalar: `x`, `y` or `a`.
        which: &'static str,
        /// Index of the element in its vector, from 0; 0 for the scalar.
        index: usize,
        /// Value of the element or the scalar.
        value: f32,
    },
}

impl fmt::Display for VectorError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Length { x, y } => {
                write!(
                    f,
                    "x has {x} elements and y has {y}; both must have the same length, at least 1"
                )
            }
            Self::TooLong { elements, limit } => write!(
                f,
                "the vectors have {elements} elements; one bank of the four local memories holds at most {limit}"
            ),
            Self::NotFinite { which, index, value } => {
                write!(f, "{which}[{index}] is {value}; the input must be finite")
            }
        }
    }
}

impl std::error::Error for VectorError {}
