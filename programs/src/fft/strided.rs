//! FFT kernels for vectors that lie with a stride or interleaved in local memory, with or without a
//! table of factors: the steps of the long transform. Vectors in a row, dealt to sections by the
//! host, are in `fft`.

use super::{Check, generate};
use crate::workload::{Bound, Counted, Row};
use cp2_isa::{Core, SECTIONS};
use cp2_session::engine::{Execution, Processor};
use cp2_session::error::KernelError;
use cp2_session::load::{complex, word};
use num_complex::{Complex32, Complex64};

pub use super::generate::Layout;

/// Lengths that have a strided kernel.
pub const LENGTHS: [usize; 3] = [64, 128, 256];

/// What a kernel does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spec {
    /// Points of a vector.
    pub points: usize,
    /// Where the points lie.
    pub input: Layout,
    /// Where the results go: in columns only if the points lie in columns.
    pub output: Layout,
    /// Every result is multiplied by the word of a table that lies as the results lie.
    pub has_table: bool,
}

fn refuse(what: &'static str, value: usize, limit: impl Into<String>) -> Result<(), KernelError> {
    Err(KernelError::Parameter { what, value, limit: limit.into() })
}

fn check(
    core: &Core,
    layout: Layout,
    names: [&'static str; 2],
    points: usize,
) -> Result<(), KernelError> {
    let Layout { stride, pitch } = layout;
    // Input and output share local memory.
    let room = core.lmem_words() / 2;
    if layout.is_columns() {
        if stride % 2 == 1 || stride * points > room {
            let limit = format!("an even number of at most {}", room / points);
            return refuse(names[0], stride, limit);
        }
        if pitch != 1 {
            return refuse(names[1], pitch, "1 where the stride is more than 1");
        }
    } else if stride == 0 {
        return refuse(names[0], stride, "at least 1");
    } else if pitch % 2 == 1 || pitch < points || pitch > room {
        let limit = format!("an even number from {points} to {room}");
        return refuse(names[1], pitch, limit);
    }
    Ok(())
}

impl Spec {
    /// A name that tells all of it.
    pub fn name(&self) -> String {
        let Self { points, input, output, has_table } = self;
        let table = if *has_table { "_table" } else { "" };
        format!("fft{points}_{}_{}{table}.s", input.name(), output.name())
    }

    /// The assembly text of the kernel; an error names the parameter that is out of its limits, or what
    /// the core has too little of.
    pub fn source(&self, core: &Core) -> Result<String, KernelError> {
        check(core, self.input, ["input stride", "input pitch"], self.points)?;
        check(core, self.output, ["output stride", "output pitch"], self.points)?;
        if self.output.is_columns() && !self.input.is_columns() {
            refuse("output stride", self.output.stride, "1 where the input stride is 1")?;
        }
        let layouts = [self.input, self.output];
        generate::strided(core, self.points, layouts, self.has_table)?.ok_or_else(|| {
            KernelError::Length { points: self.points, allowed: "64, 128 or 256".to_owned() }
        })
    }

    /// Vectors that one pass of the kernel's loops transforms; the batch is a multiple.
    pub fn vectors_per_unit(&self) -> usize {
        self.input.vectors_per_unit() as usize
    }

    /// Fewest cycles for a vector: its butterflies, and a product for each result.
    pub fn bound(&self) -> usize {
        super::butterflies(self.points) + if self.has_table { self.points } else { 0 }
    }
}

/// Words of input that are counted, where local memory has room for as many three times.
const COUNTED_WORDS: usize = 2048;

/// The steps of the long transform: columns to columns, with and without a table, columns to rows,
/// rows to rows.
pub(super) fn counted() -> Vec<Counted> {
    let mut counted = Vec::new();
    for points in LENGTHS {
        for (name, columns, has_table) in [
            ("columns", [true, true], false),
            ("columns_table", [true, true], true),
            ("columns_rows", [true, false], false),
            ("rows_table", [false, false], true),
        ] {
            counted.push(Counted::new(format!("fft{points}_{name}"), move |name, on| {
                row(name, points, columns, has_table, on)
            }));
        }
    }
    counted
}

fn row(
    name: &str,
    points: usize,
    is_columns: [bool; 2],
    has_table: bool,
    on: Execution,
) -> Result<Row, KernelError> {
    let words = COUNTED_WORDS.min(on.core.lmem_words() / 4);
    // Columns come in pairs.
    KernelError::require(name, "words of local memory", 8 * points, on.core.lmem_words())?;
    let vectors = words / points;
    let [input, output] =
        is_columns.map(|c| if c { Layout::columns(vectors) } else { Layout::rows(points) });
    let spec = Spec { points, input, output, has_table };
    let (cycles, distance) = count(spec, vectors, on)?;
    let bound = Bound::new("vector", spec.bound() as f64, "butterflies, and products by the table");
    let parameters = format!("{vectors} vectors of {points} points, {words} words");
    let row = Row::new(name.to_owned(), parameters, (vectors as u64, cycles), &bound);
    Ok(row.checked(distance < Check::LIMIT))
}

/// Cycles of a kernel on random vectors in the first half of local memory, with results and table in
/// the second, and how far the results are from the definition.
fn count(spec: Spec, vectors: usize, on: Execution) -> Result<(u64, f64), KernelError> {
    let (mut cp2, entry) = Processor::with("fft.s", &spec.source(&on.core)?, on)?;
    let half = on.core.lmem_words() / 2;
    let numbers = cp2_session::random::complex(1, 2 * half);
    for (quad, &x) in cp2.state().lmem.iter_mut().zip(&numbers) {
        *quad = [word(x); SECTIONS];
    }
    let table = if spec.has_table { half + half / 2 } else { 0 };
    let units = vectors / spec.vectors_per_unit();
    let cycles = cp2.call(entry, &[0, half, units - 1, table])?.cycles;
    let (mut results, mut exact) = (Vec::new(), Vec::new());
    for vector in 0..vectors {
        let place = |layout: Layout, element| element * layout.stride + vector * layout.pitch;
        let points = 0..spec.points;
        let input: Vec<_> = points.clone().map(|j| numbers[place(spec.input, j)]).collect();
        for (k, x) in super::reference(&input, false).into_iter().enumerate() {
            let at = place(spec.output, k);
            let factor = if spec.has_table { numbers[table + at] } else { Complex32::ONE };
            results.push(complex(cp2.state().lmem[half + at][0]));
            exact.push(x * Complex64::new(factor.re.into(), factor.im.into()));
        }
    }
    Ok((cycles, super::relative_rms_error(&results, &exact)))
}
