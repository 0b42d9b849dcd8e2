//! NumPy arrays (`.npy`) from and to bytes. Files are the caller's business.

use crate::error::KernelError;
use npyz::{DType, Endianness, NpyFile, NpyHeader, Order, TypeChar, WriterBuilder};
use num_complex::Complex32;

/// A matrix of complex numbers, row by row.
#[derive(Clone, Debug, PartialEq)]
pub struct ComplexMatrix {
    /// Rows.
    pub rows: usize,
    /// Columns.
    pub columns: usize,
    /// The array has one dimension only, which counts as one row.
    pub is_vector: bool,
    /// `rows * columns` values.
    pub values: Vec<Complex32>,
}

fn error<T>(message: String) -> Result<T, KernelError> {
    Err(KernelError::Array(message))
}

/// Reads a complex64 array of two dimensions, or of one, which counts as one row.
pub fn read_complex64(bytes: &[u8]) -> Result<ComplexMatrix, KernelError> {
    check_size(bytes)?;
    let file = NpyFile::new(bytes).or_else(|e| error(format!("not a .npy file: {}", cut(&e))))?;
    let (rows, columns) = match *file.shape() {
        [columns] => (1, columns),
        [rows, columns] => (rows, columns),
        ref shape => {
            return error(format!(
                "the array has shape {shape:?}; expected two dimensions (vectors, points)"
            ));
        }
    };
    let is_vector = file.shape().len() == 1;
    let row_major = file.header().order() == Order::C;
    let dtype = file.dtype().descr();
    let values = file
        .data::<Complex32>()
        .or_else(|_| error(format!("the array has dtype {dtype}; expected '<c8' (complex64): use array.astype('complex64')")))?
        .collect::<Result<Vec<_>, _>>()
        .or_else(|e| error(format!("the array is cut short: {e}")))?;
    let (rows, columns) = (rows as usize, columns as usize);
    if values.len() != rows * columns {
        return error(format!("{} values for the shape ({rows}, {columns})", values.len()));
    }
    let values = if row_major { values } else { transposed(&values, rows) };
    Ok(ComplexMatrix { rows, columns, is_vector, values })
}

/// The elements of an array as they stand in system memory: big-endian, one behind the other in the order of
/// the file, a complex number with its real part first.
///
/// # Errors
/// A file that is no `.npy`, is cut short, or has elements that are no numbers of 1 to 8 bytes.
pub fn big_endian_bytes(mut file: &[u8]) -> Result<Vec<u8>, KernelError> {
    check_size(file)?;
    let header = NpyHeader::from_reader(&mut file)
        .or_else(|e| error(format!("not a .npy file: {}", cut(&e))))?;
    let dtype = header.dtype();
    let DType::Plain(element) = &dtype else {
        return error(format!("elements of type {} are no numbers", cut(&dtype.descr())));
    };
    let parts = match element.type_char() {
        TypeChar::Complex => 2,
        TypeChar::Bool | TypeChar::Int | TypeChar::Uint | TypeChar::Float => 1,
        _ => return error(format!("elements of type {} are no numbers", cut(&dtype.descr()))),
    };
    let size = element.size_field() as usize;
    if size == 0 || !size.is_multiple_of(parts) || size / parts > 8 {
        return error(format!("elements of type {} are too wide", cut(&dtype.descr())));
    }
    let wanted = header.shape().iter().product::<u64>() as usize * size;
    if file.len() < wanted {
        return error(format!("the array is cut short: {} of {wanted} bytes", file.len()));
    }
    let mut bytes = file[..wanted].to_vec();
    if element.endianness() == Endianness::Little {
        bytes.chunks_exact_mut(size / parts).for_each(<[u8]>::reverse);
    }
    Ok(bytes)
}

/// The first words of an error that may repeat the file.
fn cut(e: &impl ToString) -> String {
    let text = e.to_string();
    match text.char_indices().nth(120) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text,
    }
}

/// Refuses a shape with more values than the file has bytes, before anyone multiplies it out.
fn check_size(bytes: &[u8]) -> Result<(), KernelError> {
    const LONGEST_HEADER: usize = 1 << 16;
    let header = String::from_utf8_lossy(&bytes[..bytes.len().min(LONGEST_HEADER)]);
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
        .is_some_and(|product| product <= bytes.len());
    if fits {
        return Ok(());
    }
    error(format!(
        "the shape ({}) has more values than the file of {} bytes holds",
        cut(&shape),
        bytes.len()
    ))
}

/// Column by column to row by row.
fn transposed(values: &[Complex32], rows: usize) -> Vec<Complex32> {
    (0..rows).flat_map(|r| values.iter().skip(r).step_by(rows).copied()).collect()
}

/// The matrix as a `.npy` file, complex64, C order.
pub fn write_complex64(matrix: &ComplexMatrix) -> Result<Vec<u8>, KernelError> {
    let mut bytes = Vec::new();
    let shape = [matrix.rows as u64, matrix.columns as u64];
    let shape = if matrix.is_vector { &shape[1..] } else { &shape[..] };
    let mut writer = npyz::WriteOptions::new()
        .default_dtype()
        .shape(shape)
        .writer(&mut bytes)
        .begin_nd()
        .or_else(|e| error(e.to_string()))?;
    writer.extend(matrix.values.iter().copied()).or_else(|e| error(e.to_string()))?;
    writer.finish().or_else(|e| error(e.to_string()))?;
    Ok(bytes)
}
