//! The rows of the sparse products in the table of counts.

use super::form::SparseKernel;
use cp2_evidence::published;
use cp2_kernels::sparse::matrices::{self, CLASS_S};

use crate::workload::{CountRow, Counted};
use cp2_kernels::sparse::{
    BlockMatrix, Direct, Merging, Report, RowLayout, RowOrder, Sliced, multiply_blocks,
    multiply_direct, multiply_sliced,
};
use cp2_session::error::KernelError;
use cp2_session::execution::Execution;
use cp2_session::sparse::{Csr, SparseError};
use cp2_session::workload::Bound;

/// Returns a vector with elements from -1 to 1.
fn vector(elements: usize) -> Vec<f32> {
    (0..elements).map(|i| ((i * 7919 + 13) % 1009) as f32 / 504.5 - 1.0).collect()
}

/// Matrices of the counts: those of table B.8 with the most entries, a banded one, and a stencil.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Source {
    Random,
    ClassS,
    Banded,
    Stencil,
}

impl Source {
    const fn name(self) -> &'static str {
        match self {
            Self::Random => "random",
            Self::ClassS => "cg_s",
            Self::Banded => "banded",
            Self::Stencil => "stencil",
        }
    }

    fn matrix(self) -> Result<Csr, SparseError> {
        match self {
            Self::Random => matrices::random(2048, 2048, 262_144, 1),
            Self::ClassS => matrices::npb_cg(CLASS_S),
            Self::Banded => matrices::banded(2048, 64, 0.25, 1),
            Self::Stencil => matrices::five_point(64, 64),
        }
    }

    /// Returns the layout of blocks for the matrix.
    const fn layout(self) -> RowLayout {
        match self {
            Self::Random | Self::ClassS => RowLayout::Neighbours,
            Self::Banded | Self::Stencil => RowLayout::Shifted,
        }
    }
}

/// Returns the products that are counted.
pub(super) fn counted() -> Vec<Counted> {
    use Source::{Banded, ClassS, Random, Stencil};
    let sliced = [(SparseKernel::Sliced, Random), (SparseKernel::Sliced, ClassS)];
    let sorted = [Random, ClassS, Banded].map(|source| (SparseKernel::Sorted, source));
    let made = [Random, ClassS, Banded, Stencil]
        .into_iter()
        .flat_map(|source| [(SparseKernel::Blocks, source), (SparseKernel::Direct, source)]);
    let merged = [Random, ClassS].map(|source| (SparseKernel::Merged, source));
    let all = sliced.into_iter().chain(sorted).chain(made).chain(merged);
    let one = all.map(|(form, source)| {
        let name = format!("{}_{}", form.name(), source.name());
        Counted::new(name, move |name, on| row(name, form, source, on))
    });
    let means = SIZES.into_iter().map(|size| {
        let name = format!("{}_random{}", SparseKernel::Sliced.name(), size.columns);
        Counted::new(name, move |name, on| mean(name, size, on))
    });
    let extended = [Random, ClassS].into_iter().flat_map(|source| {
        let name = move |kernel: &str| format!("{kernel}_{}", source.name());
        let made = move || {
            let matrix = source.matrix()?;
            let x = vector(matrix.columns());
            Ok((matrix, x))
        };
        super::sections::counted(name, source.layout(), made)
    });
    one.chain(means).chain(extended).collect()
}

/// Size of random matrices, of which a sixteenth is filled.
#[derive(Clone, Copy)]
struct Size {
    columns: usize,
    /// Rows of a slice.
    height: usize,
}

const SIZES: [Size; 7] = [
    Size { columns: 32, height: 32 },
    Size { columns: 64, height: 64 },
    Size { columns: 128, height: 128 },
    Size { columns: 256, height: 128 },
    Size { columns: 512, height: 128 },
    Size { columns: 1024, height: 64 },
    Size { columns: 2048, height: 32 },
];

/// Number of matrices of a mean: one alone may be lucky, with short rows in every slice.
const SEEDS: u64 = 20;

/// Counts the products of random matrices of one size.
fn mean(name: &str, size: Size, on: &Execution) -> Result<CountRow, KernelError> {
    let Size { columns: n, height } = size;
    let nonzeros = n * n / 16;
    let (mut cycles, mut multiplications, mut is_right) = (0, 0, true);
    for seed in 1..=SEEDS {
        let matrix = matrices::random(n, n, nonzeros, seed)?;
        let x = vector(matrix.columns());
        let product = multiply_sliced(&Sliced::new(&matrix, height, RowOrder::Given)?, &x, on)?;
        cycles += product.cycles();
        multiplications += product.multiplications;
        is_right &= matrix.deviation(&x, &product.y) <= 1.0;
    }
    let parameters = format!("{n} x {n}, {nonzeros} entries, slices of {height} rows, 20 matrices");
    let least = 25.0 * multiplications as f64 / SEEDS as f64;
    let theirs = published::product_count(n);
    let row = match theirs {
        Some(_) => {
            let bound = published::bound_with_published(
                Bound::new("product", least, super::form::ELEMENTS),
                theirs,
                "mean of 20 random matrices, our order within a slice, against one published matrix",
            );
            CountRow::new(name.to_owned(), parameters, (SEEDS, cycles), &bound)
        }
        None => {
            let counted = (multiplications / 10, cycles);
            CountRow::new(name.to_owned(), parameters, counted, &SparseKernel::Sliced.least())
        }
    };
    Ok(row.checked(is_right))
}

fn row(
    name: &str,
    form: SparseKernel,
    source: Source,
    on: &Execution,
) -> Result<CountRow, KernelError> {
    let matrix = source.matrix()?;
    let x = vector(matrix.columns());
    let (row, product) = match form {
        SparseKernel::Sliced => {
            sliced(name, &matrix, &x, if source == Source::ClassS { 64 } else { 32 }, on)?
        }
        SparseKernel::Sorted => sorted(name, &matrix, &x, on)?,
        SparseKernel::Blocks => blocks(name, &matrix, &x, source.layout(), on)?,
        SparseKernel::Direct => direct(name, &matrix, &x, (source.layout(), Merging::None), on)?,
        SparseKernel::Merged => {
            direct(name, &matrix, &x, (source.layout(), Merging::Permuted), on)?
        }
    };
    Ok(row.checked(matrix.deviation(&x, &product.y) <= 1.0))
}

type Counts = Result<(CountRow, Report), KernelError>;

fn shape(matrix: &Csr) -> String {
    format!("{} x {}, {} entries", matrix.rows(), matrix.columns(), matrix.nonzeros())
}

fn sliced(name: &str, matrix: &Csr, x: &[f32], height: usize, on: &Execution) -> Counts {
    let sliced = Sliced::new(matrix, height, RowOrder::Given)?;
    let product = multiply_sliced(&sliced, x, on)?;
    let parameters = format!("{}, slices of {height} rows", shape(matrix));
    let counted = (product.multiplications / 10, product.cycles());
    Ok((
        CountRow::new(name.to_owned(), parameters, counted, &SparseKernel::Sliced.least()),
        product,
    ))
}

/// Returns a row whose units are the entries of the matrix, from the bound of the whole product.
fn by_nonzero(
    form: SparseKernel,
    name: &str,
    parameters: String,
    product: &Report,
    bound: f64,
) -> CountRow {
    let bound = Bound { cycles: Some(bound / product.nonzeros as f64), ..form.least() };
    let counted = (product.nonzeros as u64, product.cycles());
    CountRow::new(name.to_owned(), parameters, counted, &bound)
}

fn sorted(name: &str, matrix: &Csr, x: &[f32], on: &Execution) -> Counts {
    let sliced = Sliced::new(matrix, 32, RowOrder::Sorted)?;
    let product = multiply_sliced(&sliced, x, on)?;
    let parameters = format!("{}, slices of 32 rows, sorted", shape(matrix));
    let bound = 25.0 * product.multiplications as f64;
    let row = by_nonzero(SparseKernel::Sorted, name, parameters, &product, bound);
    Ok((row.permuted(SparseKernel::Sorted.permuted()), product))
}

fn blocks(name: &str, matrix: &Csr, x: &[f32], layout: RowLayout, on: &Execution) -> Counts {
    let blocks = BlockMatrix::best(matrix, layout)?;
    let product = multiply_blocks(&blocks, x, on)?;
    let (groups, width) = (blocks.shape.groups, blocks.shape.width);
    let parameters = format!("{}, blocks of {} x {width}, {layout:?}", shape(matrix), 8 * groups);
    let bound = blocks.bound() as f64;
    Ok((by_nonzero(SparseKernel::Blocks, name, parameters, &product, bound), product))
}

fn direct(
    name: &str,
    matrix: &Csr,
    x: &[f32],
    (layout, merging): (RowLayout, Merging),
    on: &Execution,
) -> Counts {
    let direct = Direct::merged(&on.core, matrix, layout, merging)?;
    let product = multiply_direct(&direct, x, on)?;
    let parameters = format!("{}, {layout:?}, {} bundles", shape(matrix), direct.bundles());
    let bound = direct.bound() as f64;
    Ok((by_nonzero(SparseKernel::Direct, name, parameters, &product, bound), product))
}
