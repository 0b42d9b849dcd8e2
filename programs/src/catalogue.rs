//! Every kernel by its name: what it takes, its source, and a run on generated data that compares it
//! with its reference; and the procedures on system memory by theirs. What the families do with a
//! user's arrays is in their own modules.

use crate::cmul::{self, Product};
use crate::error::KernelError;
use crate::host;
use crate::sparse::{self, Blocks, Csr, Direct, Layout, RowOrder, SHAPES, Sliced, matrices};
use crate::vector::{self, Operation};
use crate::{fft, multigrid, random};
use cp2_isa::SECTIONS;

/// A form of a sparse matrix with a kernel of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SparseForm {
    /// Sliced CSR, rows as they come.
    Sliced,
    /// Sliced CSR, rows sorted by length.
    Sorted,
    /// Blocks that share elements of the vector.
    Blocks,
    /// Code made for the matrix.
    Direct,
}

/// A kernel.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kernel {
    /// FFT of so many points.
    Fft(usize),
    /// Pointwise product.
    Product(Product),
    /// Operator of multigrid.
    Multigrid(multigrid::Kernel),
    /// Sparse matrix by vector.
    Sparse(SparseForm),
    /// Operation on vectors.
    Vector(Operation),
    /// Sum (false) or maximum (true) of one value of each section.
    OverSections(bool),
}

/// What a host does with a whole machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Procedure {
    /// FFTs of so many points.
    Fft(usize),
    /// Convolution of vectors with a filter.
    Convolution,
}

impl Procedure {
    /// All procedures.
    pub fn all() -> Vec<Self> {
        let transforms = host::fft::LENGTHS.into_iter().map(Self::Fft);
        transforms.chain([Self::Convolution]).collect()
    }

    /// The procedure of this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::all().into_iter().find(|p| p.name() == name)
    }

    /// Its name.
    pub fn name(self) -> String {
        match self {
            Self::Fft(points) => format!("fft{points}"),
            Self::Convolution => "convolution".to_owned(),
        }
    }

    /// What it takes.
    pub fn input(self) -> String {
        match self {
            Self::Fft(points) => format!("complex64 (vectors, {points})"),
            Self::Convolution => "complex64 (vectors, points)".to_owned(),
        }
    }

    /// What it does.
    pub fn description(self) -> &'static str {
        match self {
            Self::Fft(_) => "FFT, forward and inverse",
            Self::Convolution => "convolution of vectors with a filter, by FFT",
        }
    }
}

/// A kernel on generated data.
#[derive(Clone, Debug, PartialEq)]
pub struct Trial {
    /// What was done.
    pub work: String,
    /// Cycles of the kernel.
    pub cycles: u64,
    /// Units of work in each section, and what a unit is.
    pub units: (u64, &'static str),
    /// Largest deviation from the reference in double precision, in units of `limit`.
    pub deviation: f64,
    /// What the limit is.
    pub limit: String,
}

const FORMS: [SparseForm; 4] =
    [SparseForm::Sliced, SparseForm::Sorted, SparseForm::Blocks, SparseForm::Direct];

/// Slice height of the Sliced CSR kernel that is shown and tried.
const HEIGHT: usize = 32;

impl Kernel {
    /// All kernels, family by family.
    pub fn all() -> Vec<Self> {
        let mut all: Vec<Self> = fft::LENGTHS.into_iter().map(Self::Fft).collect();
        all.extend(Product::ALL.into_iter().map(Self::Product));
        all.extend(multigrid::KERNELS.into_iter().map(Self::Multigrid));
        all.extend(FORMS.into_iter().map(Self::Sparse));
        all.extend(vector::OPERATIONS.into_iter().map(Self::Vector));
        all.extend([false, true].map(Self::OverSections));
        all
    }

    /// The kernel of this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::all().into_iter().find(|k| k.name() == name)
    }

    /// Its name.
    pub fn name(self) -> String {
        match self {
            Self::Fft(points) => format!("fft{points}"),
            Self::Product(product) => product.name().to_owned(),
            Self::Multigrid(kernel) => kernel.name().to_owned(),
            Self::Sparse(SparseForm::Sliced) => "spmv_sliced".to_owned(),
            Self::Sparse(SparseForm::Sorted) => "spmv_sorted".to_owned(),
            Self::Sparse(SparseForm::Blocks) => "spmv_blocks".to_owned(),
            Self::Sparse(SparseForm::Direct) => "spmv_direct".to_owned(),
            Self::Vector(operation) => operation.name().to_owned(),
            Self::OverSections(false) => "section_sum".to_owned(),
            Self::OverSections(true) => "section_max".to_owned(),
        }
    }

    /// What it takes.
    pub fn input(self) -> String {
        match self {
            Self::Fft(points) => format!("complex64 (vectors, {points})"),
            Self::Product(_) => "complex64 (2, words)".to_owned(),
            Self::Multigrid(kernel) => format!("blocks of {}", kernel.usual_block()),
            Self::Sparse(_) => "Matrix Market file".to_owned(),
            Self::Vector(_) => "vectors".to_owned(),
            Self::OverSections(_) => "a value in each section".to_owned(),
        }
    }

    /// What it does.
    pub fn description(self) -> &'static str {
        match self {
            Self::Fft(_) => "FFT, forward and inverse",
            Self::Product(Product::Plain) => "products x[i] y[i] of the two rows",
            Self::Product(Product::Conjugate) => "products x[i] conj(y[i]) of the two rows",
            Self::Product(Product::Scale) => "products x[i] y[0] of the first row",
            Self::Multigrid(kernel) => kernel.description(),
            Self::Sparse(SparseForm::Sliced) => "sparse matrix by vector, Sliced CSR",
            Self::Sparse(SparseForm::Sorted) => "the same, rows sorted by their length",
            Self::Sparse(SparseForm::Blocks) => "sparse matrix by vector, in blocks",
            Self::Sparse(SparseForm::Direct) => "sparse matrix by vector, code made for the matrix",
            Self::Vector(operation) => operation.description(),
            Self::OverSections(false) => "sum of one value of each section, into all of them",
            Self::OverSections(true) => "largest of one value of each section, into all of them",
        }
    }

    /// Its assembly text.
    ///
    /// # Errors
    /// A form of which the code is made for a matrix has no text of its own.
    pub fn source(self) -> Result<String, KernelError> {
        Ok(match self {
            Self::Fft(points) => fft::source(points)?,
            Self::Product(product) => product.source(),
            Self::Multigrid(kernel) => multigrid::source(kernel, kernel.usual_block())?,
            Self::Sparse(SparseForm::Sliced | SparseForm::Sorted) => sparse::sliced_source(HEIGHT)?,
            Self::Sparse(SparseForm::Blocks) => sparse::blocks_source(SHAPES[0])?,
            Self::Sparse(SparseForm::Direct) => {
                let message =
                    "spmv_direct has no source of its own: its code is made for each matrix";
                return Err(KernelError::Array(message.to_owned()));
            }
            Self::Vector(operation) => vector::source(operation),
            Self::OverSections(false) => vector::section_sum_source(),
            Self::OverSections(true) => vector::section_max_source(),
        })
    }

    /// Runs it on generated data (`matrix` in place of a random one) and compares with its reference.
    ///
    /// # Errors
    /// What keeps it from running; a deviation is no error.
    pub fn try_out(self, seed: u64, matrix: Option<&Csr>) -> Result<Trial, KernelError> {
        match self {
            Self::Fft(points) => try_fft(points, seed),
            Self::Product(product) => try_product(product, seed),
            Self::Multigrid(kernel) => try_multigrid(kernel, seed),
            Self::Sparse(form) => match matrix {
                Some(matrix) => try_sparse(form, matrix),
                None => try_sparse(form, &matrices::random(512, 512, 16384, seed)?),
            },
            Self::Vector(operation) => try_vector(operation, seed),
            Self::OverSections(maximum) => try_over_sections(maximum, seed),
        }
    }
}

impl Trial {
    /// Whether the deviation is within the limit.
    pub fn is_passed(&self) -> bool {
        self.deviation <= 1.0
    }
}

fn try_fft(points: usize, seed: u64) -> Result<Trial, KernelError> {
    let vectors = SECTIONS * 4.min(fft::largest_batch(points));
    let input = random::complex(seed, points * vectors);
    let options = fft::Options::default();
    let report = fft::run(points, &input, &options)?;
    let check = fft::check_against_definition(&report, &input, &options);
    Ok(Trial {
        work: format!("{vectors} vectors"),
        cycles: report.cycles(),
        units: (vectors as u64 / SECTIONS as u64, "vector"),
        deviation: check.relative_rms_error / fft::Check::LIMIT,
        limit: format!("{:.0e} relative RMS", fft::Check::LIMIT),
    })
}

/// Limit of cycles of a trial.
const MAX_CYCLES: u64 = 10_000_000;

fn try_product(product: Product, seed: u64) -> Result<Trial, KernelError> {
    let values = random::complex(seed, 8192);
    let (x, y) = values.split_at(4096);
    let (output, cycles) = cmul::run(product, x, y, MAX_CYCLES)?;
    Ok(Trial {
        work: "4096 complex numbers".to_owned(),
        cycles,
        units: (4096 / SECTIONS as u64, "word"),
        deviation: cmul::relative_rms_error(product, x, y, &output) / fft::Check::LIMIT,
        limit: format!("{:.0e} relative RMS", fft::Check::LIMIT),
    })
}

fn try_multigrid(kernel: multigrid::Kernel, seed: u64) -> Result<Trial, KernelError> {
    let block = kernel.usual_block();
    let check = multigrid::check_on_generated_data(kernel, block, &kernel.operator(), seed)?;
    Ok(Trial {
        work: format!("one block of {block} in each section"),
        cycles: check.cycles,
        units: (block.points() as u64, "point"),
        deviation: check.error / multigrid::Check::LIMIT,
        limit: format!("{:.0e} of the sum of the weights", multigrid::Check::LIMIT),
    })
}

fn try_sparse(form: SparseForm, matrix: &Csr) -> Result<Trial, KernelError> {
    let x: Vec<f32> = random::complex(7, matrix.columns().div_ceil(2))
        .iter()
        .flat_map(|z| [z.re, z.im])
        .collect();
    let x = &x[..matrix.columns()];
    let product = match form {
        SparseForm::Sliced => {
            sparse::multiply_sliced(&Sliced::new(matrix, HEIGHT, RowOrder::Given)?, x)?
        }
        SparseForm::Sorted => {
            sparse::multiply_sliced(&Sliced::new(matrix, HEIGHT, RowOrder::Sorted)?, x)?
        }
        SparseForm::Blocks => {
            sparse::multiply_blocks(&Blocks::best(matrix, Layout::Neighbours)?, x)?
        }
        SparseForm::Direct => {
            sparse::multiply_direct(&Direct::new(matrix, Layout::Neighbours)?, x)?
        }
    };
    Ok(Trial {
        work: format!(
            "{} x {}, {} entries, {} psmadd",
            matrix.rows(),
            matrix.columns(),
            product.nonzeros,
            product.multiplications
        ),
        cycles: product.cycles(),
        units: (product.nonzeros as u64, "entry"),
        deviation: matrix.deviation(x, &product.y),
        limit: "the rounding of each row's sum".to_owned(),
    })
}

fn try_vector(operation: Operation, seed: u64) -> Result<Trial, KernelError> {
    let (x, y): (Vec<f32>, Vec<f32>) =
        random::complex(seed, 16384).iter().map(|z| (z.re, z.im)).unzip();
    let outcome = vector::run(operation, 0.5, &x, &y)?;
    let share = |found: f32, (exact, limit): (f64, f64)| {
        let difference = (f64::from(found) - exact).abs();
        if difference == 0.0 { 0.0 } else { difference / limit }
    };
    let deviation = match outcome.value {
        Some(value) => share(value, vector::reference_value(operation, &x, &y)),
        None => {
            let exact = vector::reference(operation, 0.5, &x, &y);
            let shares = outcome.y.iter().zip(exact).map(|(&found, exact)| share(found, exact));
            shares.fold(0.0, f64::max)
        }
    };
    Ok(Trial {
        work: format!("vectors of {} numbers", x.len()),
        cycles: outcome.cycles,
        units: (outcome.words as u64, "word"),
        deviation,
        limit: "rounding, term by term".to_owned(),
    })
}

fn try_over_sections(maximum: bool, seed: u64) -> Result<Trial, KernelError> {
    let z = random::complex(seed, 2);
    let values = [z[0].re, z[0].im, z[1].re, z[1].im];
    let (found, cycles) = vector::over_sections(maximum, values)?;
    let wide = values.map(f64::from);
    let (exact, limit) = match maximum {
        true => (wide.iter().copied().fold(f64::MIN, f64::max), 0.0),
        false => (wide.iter().sum(), wide.iter().map(|v| v.abs()).sum::<f64>() * 3.0 / 8_388_608.0),
    };
    let difference = found.iter().map(|&v| (f64::from(v) - exact).abs()).fold(0.0, f64::max);
    Ok(Trial {
        work: "one value of each section".to_owned(),
        cycles,
        units: (1, "value"),
        deviation: if difference == 0.0 { 0.0 } else { difference / limit },
        limit: "rounding of three sums".to_owned(),
    })
}
