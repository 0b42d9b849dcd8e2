//! Errors of reading and writing `.npy` files.

use std::fmt;

/// The reason why the bytes of a `.npy` file cannot be read as an array, or an array cannot be written as one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NpyError {
    /// The bytes are no `.npy` file, or its header cannot be made for an array.
    Format {
        /// Message of the library that reads and writes the format.
        reason: String,
    },
    /// The header of the file is longer than is allowed.
    LongHeader {
        /// Number of bytes of the header, as the file tells it.
        bytes: usize,
        /// Largest number of bytes that a header may have.
        most: usize,
    },
    /// The file ends within its header.
    CutHeader {
        /// Number of bytes of the header that the file has.
        there: usize,
        /// Number of bytes of the header, as the file tells it.
        wanted: usize,
    },
    /// The header of the file nests brackets deeper than is allowed.
    Nested {
        /// Greatest depth of brackets in the header.
        depth: usize,
        /// Greatest depth of brackets that is allowed.
        most: usize,
    },
    /// The shape in the header has more elements than the file has bytes.
    TooManyValues {
        /// Shape as the header has it, without its parentheses.
        shape: String,
        /// Number of bytes of the file.
        bytes: usize,
    },
    /// The array has more axes than are allowed, or a size that does not fit a `usize`.
    TooManyAxes {
        /// Number of axes of the array.
        axes: usize,
    },
    /// The array has neither one axis nor two.
    NoMatrix {
        /// Number of elements of the array along each axis.
        shape: Vec<u64>,
    },
    /// The elements of the array are not complex64.
    NotComplex {
        /// Type of the elements, as the header writes it.
        dtype: String,
    },
    /// The elements of the array are no numbers, but texts, dates, or records of several fields.
    NoNumbers {
        /// Type of the elements, as the header writes it.
        dtype: String,
    },
    /// The elements of the array are numbers of more than 8 bytes, or of none.
    Wide {
        /// Type of the elements, as the header writes it.
        dtype: String,
    },
    /// The elements of the array have a type that [`NumberType`](super::NumberType) does not have.
    Type {
        /// Type of the elements, as the header writes it.
        dtype: String,
    },
    /// The file ends before the last element of the array.
    Cut {
        /// Number of bytes that the file has behind its header.
        there: usize,
        /// Number of bytes that the array takes by its type and shape; `None` if that does not fit a `usize`.
        wanted: Option<usize>,
    },
    /// The file ends before the last element of a complex matrix, as the reader of the format found.
    CutElement {
        /// Message of the library that reads the format.
        reason: String,
    },
    /// The file has more or fewer elements than its shape says.
    Count {
        /// Number of elements in the file.
        values: usize,
        /// Number of rows of the array, by its shape.
        rows: usize,
        /// Number of columns of the array, by its shape.
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
            Self::TooManyAxes { axes } => {
                write!(f, "the array has {axes} axes, which are too many")
            }
            Self::NoMatrix { shape } => write!(
                f,
                "the array has shape {shape:?}; expected two dimensions (vectors, points)"
            ),
            Self::NotComplex { dtype } => write!(
                f,
                "the array has dtype {dtype}; expected '<c8' (complex64): use array.astype('complex64')"
            ),
            Self::NoNumbers { dtype } => write!(f, "elements of type {dtype} are not numbers"),
            Self::Wide { dtype } => write!(f, "elements of type {dtype} have too many bytes"),
            Self::Type { dtype } => write!(
                f,
                "elements of type {dtype} cannot be read; the types are integers, float32, float64, complex64 and complex128"
            ),
            Self::Cut { there, wanted: Some(wanted) } => {
                write!(f, "the array is cut short: {there} of {wanted} bytes")
            }
            Self::Cut { there, wanted: None } => {
                write!(f, "the array is cut short: the file has only {there} bytes of it")
            }
            Self::CutElement { reason } => write!(f, "the array is cut short: {reason}"),
            Self::Count { values, rows, columns } => {
                write!(
                    f,
                    "the array has {values} values, which do not fit the shape ({rows}, {columns})"
                )
            }
        }
    }
}

impl std::error::Error for NpyError {}
