//! NumPy arrays from and to the bytes of `.npy` files: complex matrices here, arrays of any numbers in `array`. The
//! caller reads and writes the files.

mod array;
mod error;

pub use array::{Array, NumberType, Value, shape_text};
pub use error::NpyError;

use npyz::{DType, Endianness, NpyFile, NpyHeader, Order, TypeChar, WriterBuilder as _};
use num_complex::Complex32;

/// A matrix of single-precision complex numbers, row by row, as [`read_complex64`] reads it from a `.npy` file.
#[derive(Clone, Debug, PartialEq)]
pub struct ComplexMatrix {
    /// Number of rows of the matrix.
    pub rows: usize,
    /// Number of columns of the matrix. The elements of a row are contiguous.
    pub columns: usize,
    /// Whether the array in the file has a single axis, which counts as one row.
    pub is_vector: bool,
    /// The `rows * columns` values, row by row.
    pub values: Vec<Complex32>,
}

/// Returns the error for what the reader of the format says of a file.
fn no_npy(e: &impl ToString) -> NpyError {
    NpyError::Format { reason: cut(e) }
}

/// Reads a complex64 array with two axes, or with one, which counts as one row, from the bytes of a `.npy` file.
///
/// # Errors
/// The bytes are no `.npy` file or are cut short, or the array has another type or another number of axes.
pub fn read_complex64(bytes: &[u8]) -> Result<ComplexMatrix, NpyError> {
    check_header(bytes)?;
    let file = NpyFile::new(bytes).map_err(|e| no_npy(&e))?;
    let (rows, columns) = match *file.shape() {
        [columns] => (1, columns),
        [rows, columns] => (rows, columns),
        ref shape => {
            return Err(NpyError::NoMatrix { shape: shape.to_vec() });
        }
    };
    let is_vector = file.shape().len() == 1;
    let row_major = file.header().order() == Order::C;
    let dtype = file.dtype().descr();
    let values = file
        .data::<Complex32>()
        .map_err(|_| NpyError::NotComplex { dtype })?
        .collect::<Result<Vec<_>, _>>()
        .map_err(|e| NpyError::CutElement { reason: e.to_string() })?;
    let (rows, columns) = (rows as usize, columns as usize);
    if values.len() != rows * columns {
        return Err(NpyError::Count { values: values.len(), rows, columns });
    }
    let values = if row_major { values } else { transposed(&values, rows) };
    Ok(ComplexMatrix { rows, columns, is_vector, values })
}

/// Returns the elements of a `.npy` file as bytes for system memory: big-endian, one element behind the other in the
/// order of the file, the real part of a complex number first.
///
/// # Errors
/// The bytes are no `.npy` file or are cut short, or the elements are no numbers of 1 to 8 bytes, or pairs of such
/// numbers.
pub fn big_endian_bytes(mut file: &[u8]) -> Result<Vec<u8>, NpyError> {
    check_header(file)?;
    let header = NpyHeader::from_reader(&mut file).map_err(|e| no_npy(&e))?;
    let dtype = header.dtype();
    let DType::Plain(element) = &dtype else {
        return Err(NpyError::NoNumbers { dtype: cut(&dtype.descr()) });
    };
    let parts = match element.type_char() {
        TypeChar::Complex => 2,
        TypeChar::Bool | TypeChar::Int | TypeChar::Uint | TypeChar::Float => 1,
        _ => return Err(NpyError::NoNumbers { dtype: cut(&dtype.descr()) }),
    };
    let size = element.size_field() as usize;
    if size == 0 || !size.is_multiple_of(parts) || size / parts > 8 {
        return Err(NpyError::Wide { dtype: cut(&dtype.descr()) });
    }
    let wanted = header.shape().iter().product::<u64>() as usize * size;
    if file.len() < wanted {
        return Err(NpyError::Cut { there: file.len(), wanted: Some(wanted) });
    }
    let mut bytes = file[..wanted].to_vec();
    if element.endianness() == Endianness::Little {
        bytes.chunks_exact_mut(size / parts).for_each(<[u8]>::reverse);
    }
    Ok(bytes)
}

/// Returns the first 120 characters of an error that may repeat the file.
fn cut(e: &impl ToString) -> String {
    let text = e.to_string();
    match text.char_indices().nth(120) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text,
    }
}

/// Deepest nesting of brackets in a header. The time that its parser takes doubles with each; the header
/// of an array without fields has two, that of one with fields a few more.
const DEEPEST: usize = 6;
/// Longest header. That of an array without fields has 118 bytes.
const LONGEST: usize = 1 << 16;

/// Returns the number of bytes that the header shall have, and the bytes behind that number; `None` if a file has no
/// such number.
fn header(bytes: &[u8]) -> Option<(usize, &[u8])> {
    let rest = bytes.strip_prefix(b"\x93NUMPY")?;
    match rest {
        [1, _, a, b, text @ ..] => Some((usize::from(u16::from_le_bytes([*a, *b])), text)),
        [_, _, a, b, c, d, text @ ..] => {
            Some((u32::from_le_bytes([*a, *b, *c, *d]) as usize, text))
        }
        _ => None,
    }
}

/// Returns the depth to which the brackets of a header nest, those in texts too.
fn depth(header: &[u8]) -> usize {
    let (mut depth, mut deepest) = (0_usize, 0);
    for &byte in header {
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        deepest = deepest.max(depth);
    }
    deepest
}

/// Refuses a header for which its parser would ask for more memory than the file has bytes, and a header on which the
/// parser would take for ever. Refuses a shape with more values than the file has bytes, before anyone multiplies it
/// out.
fn check_header(bytes: &[u8]) -> Result<(), NpyError> {
    let Some((length, rest)) = header(bytes) else { return Ok(()) };
    if length > LONGEST {
        return Err(NpyError::LongHeader { bytes: length, most: LONGEST });
    }
    let Some(header) = rest.get(..length) else {
        return Err(NpyError::CutHeader { there: rest.len(), wanted: length });
    };
    let depth = depth(header);
    if depth > DEEPEST {
        return Err(NpyError::Nested { depth, most: DEEPEST });
    }
    check_size(&String::from_utf8_lossy(header), bytes.len())
}

/// Refuses a shape with more values than the file has bytes.
fn check_size(header: &str, bytes: usize) -> Result<(), NpyError> {
    let shape = header
        .split_once("'shape'")
        .and_then(|(_, rest)| rest.split_once('('))
        .and_then(|(_, rest)| rest.split_once(')'))
        .map(|(shape, _)| shape);
    let Some(shape) = shape else { return Ok(()) };
    let numbers = shape.split(',').map(str::trim).filter(|n| !n.is_empty());
    let fits = numbers
        .map(|n| n.parse::<usize>().ok())
        .try_fold(1usize, |product, n| product.checked_mul(n?))
        .is_some_and(|product| product <= bytes);
    if fits {
        return Ok(());
    }
    Err(NpyError::TooManyValues { shape: cut(&shape), bytes })
}

/// Returns values that lie column by column in the order row by row.
fn transposed(values: &[Complex32], rows: usize) -> Vec<Complex32> {
    (0..rows).flat_map(|r| values.iter().skip(r).step_by(rows).copied()).collect()
}

impl From<ComplexMatrix> for Array {
    fn from(matrix: ComplexMatrix) -> Self {
        let ComplexMatrix { rows, columns, is_vector, values } = matrix;
        let shape = if is_vector { vec![columns] } else { vec![rows, columns] };
        Self::from_complex(shape, &values)
    }
}

/// The shape of a complex matrix or vector that is written to a `.npy` file: the number of its rows and columns, and
/// whether the file has one axis or two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MatrixShape {
    /// Number of rows of the matrix.
    pub rows: usize,
    /// Number of columns of the matrix, or of elements of the vector. The elements of a row are contiguous.
    pub columns: usize,
    /// Whether the file is to have a single axis, of `columns` elements; `rows` is then left out.
    pub is_vector: bool,
}

impl ComplexMatrix {
    /// Returns the shape of the matrix.
    pub fn shape(&self) -> MatrixShape {
        let &Self { rows, columns, is_vector, .. } = self;
        MatrixShape { rows, columns, is_vector }
    }
}

/// Returns the bytes with which a `.npy` file of a complex64 array of this shape begins, in C order; the values follow
/// them ([`bytes_complex64`]).
///
/// # Errors
/// [`NpyError::Format`] if the library that writes the header refuses the shape, as it does for no matrix that fits
/// memory.
pub fn header_complex64(shape: MatrixShape) -> Result<Vec<u8>, NpyError> {
    let mut bytes = Vec::new();
    let all = [shape.rows as u64, shape.columns as u64];
    let all = if shape.is_vector { &all[1..] } else { &all[..] };
    let options = npyz::WriteOptions::<Complex32>::new().default_dtype().shape(all);
    // The values follow from elsewhere; that the writer misses them is what it says when it is dropped.
    drop(options.writer(&mut bytes).begin_nd().map_err(|e| no_npy(&e))?);
    Ok(bytes)
}

/// Returns complex values as the bytes that follow the header of [`header_complex64`] in a `.npy` file, in the byte
/// order of the native machine.
pub fn bytes_complex64(values: &[Complex32]) -> Vec<u8> {
    values.iter().flat_map(|x| [x.re.to_ne_bytes(), x.im.to_ne_bytes()]).flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(header: &str, values: usize) -> Vec<u8> {
        let mut bytes = b"\x93NUMPY\x01\0".to_vec();
        bytes.extend((header.len() as u16).to_le_bytes());
        bytes.extend(header.bytes());
        bytes.resize(bytes.len() + 8 * values, 0);
        bytes
    }

    #[test]
    fn brackets_that_nest_too_deep_are_refused_before_they_are_parsed() {
        let with = |value: String| {
            let header = format!(
                "{{'descr': '<c8', 'fortran_order': False, 'shape': (2, 3), 'x': {value}}}"
            );
            read_complex64(&file(&header, 6)).map(|m| (m.rows, m.columns))
        };
        let nested = |depth| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
        for depth in [DEEPEST, 20, 10_000] {
            let message = with(nested(depth)).unwrap_err().to_string();
            let limit = format!("nests brackets {} deep, more than the 6 allowed", depth + 1);
            assert!(message.contains(&limit), "{message}");
        }
        // Quotation marks hide none.
        assert!(with(format!("\"\\\"\", {}", nested(20))).is_err());
        // One less is parsed.
        assert_eq!(with(nested(DEEPEST - 1)).unwrap(), (2, 3));
    }

    #[test]
    fn a_long_header_is_refused() {
        let mut bytes = b"\x93NUMPY\x02\0".to_vec();
        bytes.extend((1_u32 << 17).to_le_bytes());
        bytes.resize(1 << 18, b' ');
        let message = read_complex64(&bytes).unwrap_err().to_string();
        assert!(message.contains("131072 bytes, more than the 65536"), "{message}");
    }

    /// The parser would ask for the whole length before it reads.
    #[test]
    fn a_header_that_is_not_there_is_refused() {
        for length in [24_u32, 1 << 16, u32::MAX] {
            let mut bytes = b"\x93NUMPY\x02\0".to_vec();
            bytes.extend(length.to_le_bytes());
            bytes.extend(b"{'descr': '<c8', 'fort");
            let message = read_complex64(&bytes).unwrap_err().to_string();
            let is_short = message.contains(&format!("cut short: 22 of {length} bytes"));
            assert!(is_short || message.contains("more than the 65536"), "{message}");
            assert!(big_endian_bytes(&bytes).is_err());
        }
    }
}
