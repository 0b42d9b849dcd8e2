//! The rows of the vector kernels in the table of counts.

use super::{OPERATIONS, VectorError, over_sections, run};
use crate::bench::Row;
use crate::error::KernelError;

/// Elements of the vectors that are counted.
const ELEMENTS: usize = 16384;

impl From<VectorError> for KernelError {
    fn from(error: VectorError) -> Self {
        match error {
            VectorError::Kernel(error) => error,
            other => Self::Array(other.to_string()),
        }
    }
}

/// Counts every operation on vectors of 16384 elements, and the reductions over the sections.
pub fn bench_rows() -> Result<Vec<Row>, KernelError> {
    let (x, y): (Vec<f32>, Vec<f32>) =
        crate::random::complex(1, ELEMENTS).iter().map(|z| (z.re, z.im)).unzip();
    let mut rows = Vec::new();
    for operation in OPERATIONS {
        let outcome = run(operation, 0.5, &x, &y)?;
        rows.push(Row {
            kernel: operation.name().to_owned(),
            parameters: format!("{ELEMENTS} elements"),
            count: outcome.words as u64,
            unit: "word",
            cycles: outcome.cycles,
            bound: operation.bound_of_four_words() as f64 / 4.0,
            bound_is: "the fuller slot",
            published: None,
            source: None,
        });
    }
    for (kernel, maximum, bound) in
        [("section_sum", false, SUM_CHAIN), ("section_max", true, MAXIMUM_CHAIN)]
    {
        let (_, cycles) = over_sections(maximum, [1.0, 2.0, 3.0, 4.0])?;
        rows.push(Row {
            kernel: kernel.to_owned(),
            parameters: "one value of each section".to_owned(),
            count: 1,
            unit: "value",
            cycles,
            bound,
            bound_is: "chain of dependences",
            published: None,
            source: None,
        });
    }
    Ok(rows)
}

/// Address 1, load 3, eight exchanges 7, `mtfpr` 3, `psprmsgn` 3, `qsdot` 8, `psprmsgn` 3, store and
/// `stop` 2.
const SUM_CHAIN: f64 = 30.0;

/// Address 1, load 3, eight exchanges 7, `mtfpr` 3, two comparisons 14, two copies 16, `psprmsgn` 3,
/// store and `stop` 2.
const MAXIMUM_CHAIN: f64 = 49.0;
