//! NumPy arrays (`.npy`) from and to bytes. Files are the caller's business.

use crate::error::KernelError;
use npyz::{NpyFile, Order, WriterBuilder};
use num_complex::Complex32;

/// A matrix of complex numbers, row by row.
#[derive(Clone, Debug, PartialEq)]
pub struct ComplexMatrix {
    /// Rows.
    pub rows: usize,
    /// Columns.
    pub columns: usize,
    /// `rows * columns` values.
    pub values: Vec<Complex32>,
}

fn error<T>(message: String) -> Result<T, KernelError> {
    Err(KernelError::Array(message))
}

/// Reads a complex64 array of two dimensions, or of one, which counts as one row.
pub fn read_complex64(bytes: &[u8]) -> Result<ComplexMatrix, KernelError> {
    let file = NpyFile::new(bytes).or_else(|e| error(format!("not a .npy file: {e}")))?;
    let (rows, columns) = match *file.shape() {
        [columns] => (1, columns),
        [rows, columns] => (rows, columns),
        ref shape => {
            return error(format!(
                "the array has shape {shape:?}; expected two dimensions (vectors, points)"
            ));
        }
    };
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
    Ok(ComplexMatrix { rows, columns, values })
}

/// Column by column to row by row.
fn transposed(values: &[Complex32], rows: usize) -> Vec<Complex32> {
    (0..rows).flat_map(|r| values.iter().skip(r).step_by(rows).copied()).collect()
}

/// The matrix as a `.npy` file, complex64, C order.
pub fn write_complex64(matrix: &ComplexMatrix) -> Result<Vec<u8>, KernelError> {
    let mut bytes = Vec::new();
    let shape = [matrix.rows as u64, matrix.columns as u64];
    let mut writer = npyz::WriteOptions::new()
        .default_dtype()
        .shape(&shape)
        .writer(&mut bytes)
        .begin_nd()
        .or_else(|e| error(e.to_string()))?;
    writer.extend(matrix.values.iter().copied()).or_else(|e| error(e.to_string()))?;
    writer.finish().or_else(|e| error(e.to_string()))?;
    Ok(bytes)
}
