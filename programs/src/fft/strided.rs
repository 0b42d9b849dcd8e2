//! FFT kernels for vectors that lie with a stride or interleaved in local memory, with or without a
//! table of factors: the steps of the long transform. Vectors in a row, dealt to sections by the
//! host, are in `fft`.

use super::generate;
use crate::bench::Row;
use crate::engine::{Execution, Processor};
use crate::error::KernelError;
use crate::load::word;
use crate::workload::Bound;
use cp2_isa::{BANK_WORDS, SECTIONS};

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

fn check(layout: Layout, names: [&'static str; 2], points: usize) -> Result<(), KernelError> {
    let Layout { stride, pitch } = layout;
    if layout.is_columns() {
        if stride % 2 == 1 || stride * points > BANK_WORDS {
            let limit = format!("an even number of at most {}", BANK_WORDS / points);
            return refuse(names[0], stride, limit);
        }
        if pitch != 1 {
            return refuse(names[1], pitch, "1 where the stride is more than 1");
        }
    } else if stride == 0 {
        return refuse(names[0], stride, "at least 1");
    } else if pitch % 2 == 1 || pitch < points || pitch > BANK_WORDS {
        let limit = format!("an even number from {points} to {BANK_WORDS}");
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

    /// The assembly text of the kernel; an error names the parameter that is out of its limits.
    pub fn source(&self) -> Result<String, KernelError> {
        check(self.input, ["input stride", "input pitch"], self.points)?;
        check(self.output, ["output stride", "output pitch"], self.points)?;
        if self.output.is_columns() && !self.input.is_columns() {
            refuse("output stride", self.output.stride, "1 where the input stride is 1")?;
        }
        generate::strided(self.points, [self.input, self.output], self.has_table).ok_or_else(|| {
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

/// Words of input that are counted.
const COUNTED_WORDS: usize = 2048;

/// Counts the steps of the long transform: columns to columns, with and without a table, columns to
/// rows, rows to rows.
pub(super) fn rows() -> Result<Vec<Row>, KernelError> {
    let mut rows = Vec::new();
    for points in LENGTHS {
        let columns = Layout::columns(COUNTED_WORDS / points);
        let one = Layout::rows(points);
        for (name, input, output, has_table) in [
            ("columns", columns, columns, false),
            ("columns_table", columns, columns, true),
            ("columns_rows", columns, one, false),
            ("rows_table", one, one, true),
        ] {
            let spec = Spec { points, input, output, has_table };
            let vectors = COUNTED_WORDS / points;
            let cycles = count(spec, vectors)?;
            let bound =
                Bound::new("vector", spec.bound() as f64, "butterflies, and products by the table");
            rows.push(Row::new(
                format!("fft{points}_{name}"),
                format!("{vectors} vectors of {points} points, {COUNTED_WORDS} words"),
                (vectors as u64, cycles),
                &bound,
            ));
        }
    }
    Ok(rows)
}

/// Cycles of a kernel on random vectors in bank 0, with results and table in bank 1.
fn count(spec: Spec, vectors: usize) -> Result<u64, KernelError> {
    let (mut cp2, entry) = Processor::with("fft.s", &spec.source()?, Execution::default())?;
    let numbers = crate::random::complex(1, 2 * BANK_WORDS);
    for (quad, x) in cp2.state().lmem.iter_mut().zip(numbers) {
        *quad = [word(x); SECTIONS];
    }
    let table = if spec.has_table { BANK_WORDS + COUNTED_WORDS } else { 0 };
    let units = vectors / spec.vectors_per_unit();
    Ok(cp2.call(entry, &[0, BANK_WORDS, units - 1, table])?.cycles)
}
