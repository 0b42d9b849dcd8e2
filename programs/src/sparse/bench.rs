//! The rows of the sparse products in the table of counts.

use super::matrices::{self, CLASS_S};
use super::workload::Form;
use super::{
    Blocks, Csr, Direct, Layout, Product, RowOrder, Sliced, multiply_blocks, multiply_direct,
    multiply_sliced,
};
use crate::bench::Row;
use crate::engine::{Engine, Execution};
use crate::error::KernelError;
use crate::workload::Bound;

/// How the products are run.
const ON: Execution = Execution { engine: Engine::Fast, max_cycles: Execution::MAX_CYCLES };

/// A vector with elements from -1 to 1.
fn vector(elements: usize) -> Vec<f32> {
    (0..elements).map(|i| ((i * 7919 + 13) % 1009) as f32 / 504.5 - 1.0).collect()
}

/// Counts the products by the matrices of table B.8 that have most entries, a banded one, and
/// a stencil.
pub(super) fn rows() -> Result<Vec<Row>, KernelError> {
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

fn sliced(name: &str, matrix: &Csr, height: usize) -> Result<Row, KernelError> {
    let sliced = Sliced::new(matrix, height, RowOrder::Given)?;
    let product = multiply_sliced(&sliced, &vector(matrix.columns()), ON)?;
    let form = Form::Sliced;
    Ok(Row::new(
        format!("{}_{name}", form.name()),
        format!("{}, slices of {height} rows", shape(matrix)),
        (product.multiplications / 10, product.cycles()),
        &form.least(),
    ))
}

/// A row by the entries of the matrix, from the bound of the whole product.
fn by_nonzero(form: Form, name: &str, parameters: String, product: &Product, bound: f64) -> Row {
    let bound = Bound { cycles: Some(bound / product.nonzeros as f64), ..form.least() };
    let counted = (product.nonzeros as u64, product.cycles());
    Row::new(format!("{}_{name}", form.name()), parameters, counted, &bound)
}

fn sorted(name: &str, matrix: &Csr) -> Result<Row, KernelError> {
    let sliced = Sliced::new(matrix, 32, RowOrder::Sorted)?;
    let product = multiply_sliced(&sliced, &vector(matrix.columns()), ON)?;
    let parameters = format!("{}, slices of 32 rows, sorted", shape(matrix));
    let bound = 25.0 * product.multiplications as f64;
    Ok(by_nonzero(Form::Sorted, name, parameters, &product, bound))
}

fn blocks(name: &str, matrix: &Csr, layout: Layout) -> Result<Row, KernelError> {
    let blocks = Blocks::best(matrix, layout)?;
    let product = multiply_blocks(&blocks, &vector(matrix.columns()), ON)?;
    let (groups, width) = (blocks.shape.groups, blocks.shape.width);
    let parameters = format!("{}, blocks of {} x {width}, {layout:?}", shape(matrix), 8 * groups);
    Ok(by_nonzero(Form::Blocks, name, parameters, &product, blocks.bound() as f64))
}

fn direct(name: &str, matrix: &Csr, layout: Layout) -> Result<Row, KernelError> {
    let direct = Direct::new(matrix, layout)?;
    let product = multiply_direct(&direct, &vector(matrix.columns()), ON)?;
    let parameters = format!("{}, {layout:?}, {} bundles", shape(matrix), direct.bundles());
    Ok(by_nonzero(Form::Direct, name, parameters, &product, direct.bound() as f64))
}
