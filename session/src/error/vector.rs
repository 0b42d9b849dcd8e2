//! Errors in vectors that are to be added or multiplied; each names value and limit.

use std::fmt;

/// The reason why two vectors and a scalar are not taken. Elements count from 0.
#[derive(Clone, Debug, PartialEq)]
pub enum VectorError {
    /// The two vectors differ in length, or are empty.
    Length {
        /// Elements of x.
        x: usize,
        /// Elements of y.
        y: usize,
    },
    /// The vectors do not fit local memory.
    TooLong {
        /// Elements given.
        elements: usize,
        /// Elements that fit.
        limit: usize,
    },
    /// An element, or the scalar, is NaN or infinite.
    NotFinite {
        /// `x`, `y` or `a`.
        which: &'static str,
        /// Index of the element; 0 for the scalar.
        index: usize,
        /// The value.
        value: f32,
    },
}

impl fmt::Display for VectorError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Length { x, y } => {
                write!(f, "x has {x} elements and y has {y}; both must be as long, and not empty")
            }
            Self::TooLong { elements, limit } => write!(
                f,
                "{elements} elements; one bank of the four local memories holds at most {limit}"
            ),
            Self::NotFinite { which, index, value } => {
                write!(f, "{which}[{index}] is {value}; the input must be finite")
            }
        }
    }
}

impl std::error::Error for VectorError {}
