//! The rows of the sparse products in the table of counts.

use super::matrices::{self, CLASS_S};
use super::{Blocks, Csr, Direct, Layout, Product, RowOrder, Sliced, SparseError};
use crate::bench::Row;
use crate::error::KernelError;

impl From<SparseError> for KernelError {
    fn from(error: SparseError) -> Self {
        match error {
            SparseError::Kernel(error) => error,
            other => Self::Array(other.to_string()),
        }
    }
}

/// A vector with elements from -1 to 1.
fn vector(elements: usize) -> Vec<f32> {
    (0..elements).map(|i| ((i * 7919 + 13) % 1009) as f32 / 504.5 - 1.0).collect()
}

/// Counts the products by the matrices of table B.8 that have most entries, a banded one, and
/// a stencil.
pub fn bench_rows() -> Result<Vec<Row>, KernelError> {
    let random = matrices::random(2048, 2048, 262_144, 1)?;
    let class_s = matrices::npb_cg(CLASS_S)?;
    let banded = matrices::banded(2048, 64, 0.25, 1)?;
    let stencil = matrices::five_point(64, 64)?;
    let mut rows = vec![
        sliced("random", &random, 32)?,
        sliced("cg_s", &class_s, 64)?,
        sorted("random", &random)?,
        sorted("cg_s", &class_s)?,
        sorted("banded", &banded)?,
    ];
    for (name, matrix, layout) in [
        ("random", &random, Layout::Neighbours),
        ("cg_s", &class_s, Layout::Neighbours),
        ("banded", &banded, Layout::Shifted),
        ("stencil", &stencil, Layout::Shifted),
    ] {
        rows.push(blocks(name, matrix, layout)?);
        rows.push(direct(name, matrix, layout)?);
    }
    Ok(rows)
}

fn shape(matrix: &Csr) -> String {
    format!("{} x {}, {} entries", matrix.rows(), matrix.columns(), matrix.nonzeros())
}

/// The published format, by ten `psmadd`: the published figure has one decimal.
fn sliced(name: &str, matrix: &Csr, height: usize) -> Result<Row, KernelError> {
    let sliced = Sliced::new(matrix, height, RowOrder::Given)?;
    let product = super::multiply_sliced(&sliced, &vector(matrix.columns()))?;
    Ok(Row {
        kernel: format!("spmv_sliced_{name}"),
        parameters: format!("{}, slices of {height} rows", shape(matrix)),
        count: product.multiplications / 10,
        unit: "ten psmadd",
        cycles: product.cycles(),
        bound: 250.0,
        bound_is: "three exchange operations for each element, and loads",
        published: Some(278),
        source: Some("[D] table B.8"),
    })
}

fn by_nonzero(
    kernel: String,
    parameters: String,
    product: &Product,
    bound: f64,
    bound_is: &'static str,
) -> Row {
    let count = product.nonzeros as u64;
    let bound = bound / product.nonzeros as f64;
    let cycles = product.cycles();
    let (published, source) = (None, None);
    let unit = "nonzero";
    Row { kernel, parameters, count, unit, cycles, bound, bound_is, published, source }
}

fn sorted(name: &str, matrix: &Csr) -> Result<Row, KernelError> {
    let sliced = Sliced::new(matrix, 32, RowOrder::Sorted)?;
    let product = super::multiply_sliced(&sliced, &vector(matrix.columns()))?;
    Ok(by_nonzero(
        format!("spmv_sorted_{name}"),
        format!("{}, slices of 32 rows, sorted", shape(matrix)),
        &product,
        25.0 * product.multiplications as f64,
        "three exchange operations for each element, and loads",
    ))
}

fn blocks(name: &str, matrix: &Csr, layout: Layout) -> Result<Row, KernelError> {
    let blocks = Blocks::best(matrix, layout)?;
    let product = super::multiply_blocks(&blocks, &vector(matrix.columns()))?;
    let (groups, width) = (blocks.shape.groups, blocks.shape.width);
    Ok(by_nonzero(
        format!("spmv_blocks_{name}"),
        format!("{}, blocks of {} x {width}, {layout:?}", shape(matrix), 8 * groups),
        &product,
        blocks.bound() as f64,
        "the fuller slot of all batches",
    ))
}

fn direct(name: &str, matrix: &Csr, layout: Layout) -> Result<Row, KernelError> {
    let direct = Direct::new(matrix, layout)?;
    let product = super::multiply_direct(&direct, &vector(matrix.columns()))?;
    Ok(by_nonzero(
        format!("spmv_direct_{name}"),
        format!("{}, {layout:?}, {} bundles", shape(matrix), direct.bundles()),
        &product,
        direct.bound() as f64,
        "the fuller slot",
    ))
}
