//! Operations on vectors in local memory that conjugate gradients need: scalar products, sums of multiples, norms, and
//! reductions over the sections. The module has their kernels, the code that runs them on CP2 alone, and references in
//! double precision.

pub mod source;

pub use source::{PARTS, begin_sum, end_sum, section_max_source, section_sum_source, source};

use cp2_emu::state::Quad;
use cp2_isa::{Core, SECTIONS};
use cp2_session::error::{KernelError, VectorError};
use cp2_session::execution::{Execution, KernelRunner};
use source::{LoopShape, SectionPath};

/// Elements that lie together in a section: a DMA beat, two words.
const BEAT: usize = 4;

/// Returns the most elements of each of the vectors x and y that [`run`] takes on a core: x fills one half of the local
/// memories and y the other, with two elements in a word.
pub const fn longest(core: &Core) -> usize {
    core.lmem_words() * SECTIONS
}

/// Operation on the vectors x and y and the scalar a, all in single precision, of those that conjugate gradients need;
/// each has a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VectorOperation {
    /// y := y + a x.
    Axpy,
    /// y := x + a y.
    Xpay,
    /// y := a x.
    Scale,
    /// y := x.
    Copy,
    /// y := y + x.
    Add,
    /// y := y - x.
    Subtract,
    /// Scalar product of x and y, a number.
    Dot,
    /// Sum of the squares of x, a number: the square of its Euclidean norm.
    SumOfSquares,
    /// Largest magnitude in x, a number: its maximum norm.
    MaxAbs,
}

/// All operations, in the order in which lists of kernels show them.
pub const OPERATIONS: [VectorOperation; 9] = [
    VectorOperation::Axpy,
    VectorOperation::Xpay,
    VectorOperation::Scale,
    VectorOperation::Copy,
    VectorOperation::Add,
    VectorOperation::Subtract,
    VectorOperation::Dot,
    VectorOperation::SumOfSquares,
    VectorOperation::MaxAbs,
];

impl VectorOperation {
    /// Returns the name of the operation's kernel, such as `axpy`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Axpy => "axpy",
            Self::Xpay => "xpay",
            Self::Scale => "scale",
            Self::Copy => "copy_vector",
            Self::Add => "add_vectors",
            Self::Subtract => "subtract_vectors",
            Self::Dot => "dot",
            Self::SumOfSquares => "sum_of_squares",
            Self::MaxAbs => "max_abs",
        }
    }

    /// Returns a one-line description of the operation, such as `y := y + a x`.
    pub fn description(self) -> &'static str {
        match self {
            Self::Axpy => "y := y + a x",
            Self::Xpay => "y := x + a y",
            Self::Scale => "y := a x",
            Self::Copy => "y := x",
            Self::Add => "y := y + x",
            Self::Subtract => "y := y - x",
            Self::Dot => "scalar product of x and y",
            Self::SumOfSquares => "sum of the squares of x",
            Self::MaxAbs => "largest magnitude in x",
        }
    }

    /// Whether the operation reads the old vector y.
    pub fn reads_y(self) -> bool {
        !matches!(self, Self::Scale | Self::Copy | Self::SumOfSquares | Self::MaxAbs)
    }

    /// Whether the operation takes the scalar a.
    pub fn takes_scalar(self) -> bool {
        matches!(self, Self::Axpy | Self::Xpay | Self::Scale)
    }

    /// Whether the result of the operation is one number, and not a vector.
    pub fn is_reduction(self) -> bool {
        matches!(self, Self::Dot | Self::SumOfSquares | Self::MaxAbs)
    }

    /// Returns the fewest cycles that the kernel can take for four words of a vector in each section, which are 32
    /// elements: the operations in the fuller slot. A double load or store moves two words; `qsdot` takes two words and
    /// a `psadd` adds two of its results; a maximum takes five operations for a word.
    pub fn bound_of_four_words(self) -> usize {
        match self {
            Self::Axpy | Self::Xpay | Self::Add | Self::Subtract => 6,
            Self::Scale | Self::Copy | Self::Dot => 4,
            Self::SumOfSquares => 3,
            Self::MaxAbs => 20,
        }
    }

    /// Returns the number of words of each vector in each section that the kernel works on for vectors of `elements`
    /// elements, two elements to a word. Padding to whole passes of its loop, and to its fewest passes, is included.
    pub fn words(self, elements: usize) -> usize {
        let LoopShape { words, multiple, least } = source::step(self);
        let needed = elements.div_ceil(BEAT * SECTIONS) * 2;
        needed.next_multiple_of(words * multiple).max(words * least)
    }
}

/// Result of a vector operation that [`run`] ran on CP2, and its cost.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// Vector y after the operation; empty for a reduction.
    pub y: Vec<f32>,
    /// Number that a reduction gives; `None` for other operations.
    pub value: Option<f32>,
    /// Cycles of the run of the kernel; moving vectors in and out is not counted.
    pub cycles: u64,
    /// Words in each section that the kernel worked on, padding included.
    pub words: usize,
    /// Number of writes that landed on a register in the same cycle as another write, over all sections: 0 if the
    /// kernel is right.
    pub collisions: u64,
}

/// Runs the kernel of an operation on CP2 alone, with `a` as its scalar. Vectors are dealt to the sections in turn in
/// beats of four elements; x lies in the first half of local memory and y in the second. Padding is zero.
///
/// # Errors
/// The vectors are empty, differ in length (also where the operation reads only x) or are longer than [`longest`]; an
/// element or `a` is not finite; or the run does not end.
pub fn run(
    operation: VectorOperation,
    a: f32,
    x: &[f32],
    y: &[f32],
    on: &Execution,
) -> Result<Report, KernelError> {
    run_by(operation, SectionPath::Registers, (a, x, y), on)
}

/// Runs the kernel of an operation as [`run`] does, on a core with the extension of shared memory: a reduction
/// exchanges the partial results of the sections there, and not through general registers.
///
/// # Errors
/// The core has no shared memory, or there is an error of [`run`].
pub fn run_shared(
    operation: VectorOperation,
    a: f32,
    x: &[f32],
    y: &[f32],
    on: &Execution,
) -> Result<Report, KernelError> {
    run_by(operation, SectionPath::Shared, (a, x, y), on)
}

/// Does an operation as [`run`] does, with partial results sent this way.
fn run_by(
    operation: VectorOperation,
    way: SectionPath,
    (a, x, y): (f32, &[f32], &[f32]),
    on: &Execution,
) -> Result<Report, KernelError> {
    check(&on.core, a, x, y)?;
    let text = source::text(operation, way);
    let (mut cp2, entry) = KernelRunner::with(operation.name(), &text, on)?;
    let (words, half) = (operation.words(x.len()), on.core.lmem_words() / 2);
    let step = source::step(operation).words;
    store(&mut cp2.state().lmem, x);
    store(&mut cp2.state().lmem[half..], y);
    let bits = u64::from(a.to_bits());
    cp2.state().fpr[0] = [bits << 32 | bits; SECTIONS];
    let stats = cp2.call(entry, &[0, half, words / step])?;
    let (is_reduction, state) = (operation.is_reduction(), cp2.state());
    Ok(Report {
        y: if is_reduction { Vec::new() } else { collect(&state.lmem[half..], y.len()) },
        value: is_reduction.then(|| f32::from_bits(state.fpr[1][0] as u32)),
        cycles: stats.cycles,
        words,
        collisions: stats.collisions.iter().sum(),
    })
}

fn check(core: &Core, a: f32, x: &[f32], y: &[f32]) -> Result<(), VectorError> {
    if x.len() != y.len() || x.is_empty() {
        return Err(VectorError::Length { x: x.len(), y: y.len() });
    }
    if x.len() > longest(core) {
        return Err(VectorError::TooLong { elements: x.len(), limit: longest(core) });
    }
    for (which, values) in [("a", &[a][..]), ("x", x), ("y", y)] {
        if let Some(index) = values.iter().position(|v| !v.is_finite()) {
            return Err(VectorError::NotFinite { which, index, value: values[index] });
        }
    }
    Ok(())
}

/// Returns section, word and shift of an element.
fn place(element: usize) -> (usize, usize, u32) {
    let (beat, within) = (element / BEAT, element % BEAT);
    let shift = if within % 2 == 0 { 32 } else { 0 };
    (beat % SECTIONS, beat / SECTIONS * 2 + within / 2, shift)
}

fn store(lmem: &mut [Quad], values: &[f32]) {
    for (i, v) in values.iter().enumerate() {
        let (section, word, shift) = place(i);
        lmem[word][section] |= u64::from(v.to_bits()) << shift;
    }
}

fn collect(lmem: &[Quad], count: usize) -> Vec<f32> {
    let element = |i| {
        let (section, word, shift) = place(i);
        f32::from_bits((lmem[word][section] >> shift) as u32)
    };
    (0..count).map(element).collect()
}

/// Runs the kernel that reduces one value of each section to their sum or, if `maximum`, to their maximum. Returns the
/// result as each section has it, and the cycles of the run.
///
/// # Errors
/// A value is not finite, or the run does not end.
pub fn over_sections(
    maximum: bool,
    values: [f32; SECTIONS],
    on: &Execution,
) -> Result<([f32; SECTIONS], u64), KernelError> {
    check(&on.core, 0.0, &values, &values)?;
    let text = if maximum { section_max_source() } else { section_sum_source() };
    let (mut cp2, entry) = KernelRunner::with("sections", &text, on)?;
    let lmem = &mut cp2.state().lmem;
    lmem[0] = values.map(|v| u64::from(v.to_bits()));
    let one = u64::from(1f32.to_bits());
    lmem[2..4].fill([one << 32 | one; SECTIONS]);
    let stats = cp2.call(entry, &[0, 1])?;
    Ok((cp2.state().lmem[1].map(|w| f32::from_bits(w as u32)), stats.cycles))
}

/// Returns the results of an operation, computed in double precision, each with the largest error of a result of CP2
/// that rounding explains. Of a reduction that is one number. Of another operation these are the elements of y, each
/// with two roundings of half a unit in the last place, one of the product and one of the sum, and a product too small
/// for a normal number.
pub fn reference(operation: VectorOperation, a: f32, x: &[f32], y: &[f32]) -> Vec<(f64, f64)> {
    let a = f64::from(a);
    let terms: &dyn Fn(f64, f64) -> (f64, f64) = match operation {
        VectorOperation::Axpy => &|x, y| (y, a * x),
        VectorOperation::Xpay => &|x, y| (x, a * y),
        VectorOperation::Scale => &|x, _| (0.0, a * x),
        VectorOperation::Copy => &|x, _| (0.0, x),
        VectorOperation::Add => &|x, y| (y, x),
        VectorOperation::Subtract => &|x, y| (y, -x),
        VectorOperation::Dot => return vec![sum_of_products(operation, x, y)],
        VectorOperation::SumOfSquares => return vec![sum_of_products(operation, x, x)],
        // Maxima are exact.
        VectorOperation::MaxAbs => {
            return vec![(x.iter().fold(0.0, |m, &v| f64::max(m, f64::from(v).abs())), 0.0)];
        }
    };
    let element = |(&x, &y): (&f32, &f32)| {
        let (p, q) = terms(x.into(), y.into());
        let limit = f64::from(f32::EPSILON) * (p.abs() + q.abs()) + f64::from(f32::MIN_POSITIVE);
        (p + q, limit)
    };
    x.iter().zip(y).map(element).collect()
}

/// Returns the sum of the products of two vectors, computed in double precision, and the largest error of the result of
/// a reduction of CP2 that rounding explains. Every term is rounded once as a product and once in each addition on its
/// way: one in each pass of the loop, at most 12 to join the partial sums.
fn sum_of_products(operation: VectorOperation, x: &[f32], y: &[f32]) -> (f64, f64) {
    let terms = x.iter().zip(y).map(|(&x, &y)| f64::from(x) * f64::from(y));
    let (sum, size) = terms.fold((0.0, 0.0), |(sum, size), t| (sum + t, size + t.abs()));
    let step = source::step(operation).words;
    let roundings = (operation.words(x.len()) / step + 13) as f64;
    let tiny = x.len() as f64 * f64::from(f32::MIN_POSITIVE);
    (sum, roundings * f64::from(f32::EPSILON) / 2.0 * size + tiny)
}
