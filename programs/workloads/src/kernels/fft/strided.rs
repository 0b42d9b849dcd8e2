//! Counts of the FFT kernels for vectors that lie with a stride: the steps of the long transform on random vectors.

use crate::workload::{CountRow, Counted};
use cp2_isa::SECTIONS;
use cp2_kernels::fft;
use cp2_kernels::fft::strided::{LENGTHS, Layout, StridedSpec};
use cp2_session::error::KernelError;
use cp2_session::execution::{Execution, KernelRunner};
use cp2_session::load::{complex, word};
use cp2_session::workload::Bound;
use num_complex::{Complex32, Complex64};

/// Most words of input that are counted; local memory has to have room for four times as many.
const COUNTED_WORDS: usize = 2048;

/// Returns the steps of the long transform, to be counted: columns to columns, with and without a table, columns to rows,
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
    on: &Execution,
) -> Result<CountRow, KernelError> {
    let words = COUNTED_WORDS.min(on.core.lmem_words() / 4);
    // Columns come in pairs, so that a kernel needs room for more than one vector.
    KernelError::require(name, "words of local memory", 8 * points, on.core.lmem_words())?;
    let vectors = words / points;
    let [input, output] =
        is_columns.map(|c| if c { Layout::columns(vectors) } else { Layout::rows(points) });
    let spec = StridedSpec { points, input, output, has_table };
    let (cycles, distance) = count(spec, vectors, on)?;
    let bound = Bound::new("vector", spec.bound() as f64, "butterflies, and products by the table");
    let parameters = format!("{vectors} vectors of {points} points, {words} words");
    let row = CountRow::new(name.to_owned(), parameters, (vectors as u64, cycles), &bound);
    Ok(row.checked(distance < fft::Check::LIMIT))
}

/// Runs a kernel on random vectors in the first half of local memory, with results and table in the second; returns the
/// cycles, and the error of the results against the definition.
fn count(spec: StridedSpec, vectors: usize, on: &Execution) -> Result<(u64, f64), KernelError> {
    let (mut cp2, entry) = KernelRunner::with("fft.s", &spec.source(&on.core)?, on)?;
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
        for (k, x) in fft::reference(&input, false).into_iter().enumerate() {
            let at = place(spec.output, k);
            let factor = if spec.has_table { numbers[table + at] } else { Complex32::ONE };
            results.push(complex(cp2.state().lmem[half + at][0]));
            exact.push(x * Complex64::new(factor.re.into(), factor.im.into()));
        }
    }
    Ok((cycles, fft::relative_rms_error(&results, &exact)))
}
