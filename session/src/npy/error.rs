//! Errors in a `.npy` file.

use std::fmt;

/// The reason why a `.npy` file cannot be read as an array that is taken: it is no such file or cut short, or its shape or
/// the type of its elements does not fit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NpyError {
    /// The file is no `.npy` file, or one that cannot be made.
    Format {
        /// Message of the reader of the format.
        reason: String,
    },
    /// The header is longer than one can be.
    LongHeader {
        /// Bytes that the header has.
        bytes: usize,
        /// Bytes that a header may have.
        most: usize,
    },
    /// The file ends in its header.
    CutHeader {
        /// Bytes that there are.
        there: usize,
        /// Bytes that there should be.
        wanted: usize,
    },
    /// The header nests brackets too deep.
    Nested {
        /// Depth of the brackets.
        depth: usize,
        /// Greatest depth that is taken.
        most: usize,
    },
    /// The shape has more values than the file has bytes.
    TooManyValues {
        /// The shape, as the header has it.
        shape: String,
        /// Bytes of the file.
        bytes: usize,
    },
    /// The array has more axes than are taken.
    TooManyAxes {
        /// Axes that the array has.
        axes: usize,
    },
    /// The array has neither one dimension nor two.
    NoMatrix {
        /// Shape of the array.
        shape: Vec<u64>,
    },
    /// The elements are no complex64.
    NotComplex {
        /// Type of the elements, as the header has it.
        dtype: String,
    },
    /// The elements are no numbers.
    NoNumbers {
        /// Type of the elements, as the header has it.
        dtype: String,
    },
    /// The elements have more than 8 bytes for a number, or none.
    Wide {
        /// Type of the elements, as the header has it.
        dtype: String,
    },
    /// The elements have a type of which no array is read.
    Type {
        /// Type of the elements, as the header has it.
        dtype: String,
    },
    /// The file ends in its elements.
    Cut {
        /// Bytes that there are.
        there: usize,
        /// Bytes that there should be, if that can be counted.
        wanted: Option<usize>,
    },
    /// The file ends in an element.
    CutElement {
        /// Message of the reader of the format.
        reason: String,
    },
    /// There are more or fewer values than the shape says.
    Count {
        /// Values.
        values: usize,
        /// Rows of the shape.
        rows: usize,
        /// Columns of the shape.
        columns: usize,
    },
}

impl fmt::Display for NpyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Format { reason } => write!(f, "not a .npy file: {reason}"),
            Self::LongHeader { bytes, most } => {
                write!(f, "the header has {bytes} bytes, more than the {most} allowed")
            }
            Self::CutHeader { there, wanted } => {
                write!(f, "the header is cut short: {there} of {wanted} bytes")
            }
            Self::Nested { depth, most } => write!(
                f,
                "the header nests brackets {depth} deep, more than the {most} allowed; write a plain array"
            ),
            Self::TooManyValues { shape, bytes } => write!(
                f,
                "the shape ({shape}) has more values than the file of {bytes} bytes holds"
            ),
            Self::TooManyAxes { axes } => write!(f, "an array of {axes} axes, which is too large"),
            Self::NoMatrix { shape } => write!(
                f,
                "the array has shape {shape:?}; expected two dimensions (vectors, points)"
            ),
            Self::NotComplex { dtype } => write!(
                f,
                "the array has dtype {dtype}; expected '<c8' (complex64): use array.astype('complex64')"
            ),
            Self::NoNumbers { dtype } => write!(f, "elements of type {dtype} are no numbers"),
            Self::Wide { dtype } => write!(f, "elements of type {dtype} are too wide"),
            Self::Type { dtype } => write!(
                f,
                "elements of type {dtype}; integers, float32, float64, complex64 and complex128 are read"
            ),
            Self::Cut { there, wanted: Some(wanted) } => {
                write!(f, "the array is cut short: {there} of {wanted} bytes")
            }
            Self::Cut { there, wanted: None } => {
                write!(f, "the array is cut short: {there} of more bytes")
            }
            Self::CutElement { reason } => write!(f, "the array is cut short: {reason}"),
            Self::Count { values, rows, columns } => {
                write!(f, "{values} values for the shape ({rows}, {columns})")
            }
        }
    }
}

impl std::error::Error for NpyError {}
