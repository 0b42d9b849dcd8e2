//! Convolution in double precision, and the error of the procedure's results against it.

use super::{Report, SHORTEST};
use cp2_kernels::fft;
use cp2_kernels::fft::CHECKED_VECTORS;
use cp2_reference::fft::by_halves;
use cp2_session::numbers::{self, ErrorMeasure, Flushed, is_finite};
use num_complex::{Complex32, Complex64};

/// Converts a complex number of single precision to double precision, exactly.
pub fn wide(x: &Complex32) -> Complex64 {
    Complex64::new(x.re.into(), x.im.into())
}

/// Returns the convolutions of vectors of `points` points, one after the other in `input`, with `filter`, computed in
/// double precision from the numbers as CP2 reads them (denormals as zeros). Each result has `points` + the points of
/// `filter` - 1 points. The filter is read after it is divided by the number of points of the transforms in single
/// precision, as the host of the procedure does.
pub fn reference(filter: &[Complex32], points: usize, input: &[Complex32]) -> Vec<Complex64> {
    let results = points + filter.len().max(1) - 1;
    let length = results.next_power_of_two();
    let spectrum = |values: &mut dyn Iterator<Item = Complex64>| {
        let mut values: Vec<_> = values.collect();
        values.resize(length, Complex64::ZERO);
        by_halves(values, -1.0)
    };
    let transform = length.max(SHORTEST) as f32;
    let divided = filter.iter().map(|h| numbers::read_complex(h / transform));
    let factors = spectrum(&mut divided.map(|h| h * f64::from(transform)));
    let convolve = |vector: &[Complex32]| {
        let vector = spectrum(&mut vector.iter().map(|x| numbers::read_complex(*x)));
        let products = vector.iter().zip(&factors).map(|(x, h)| x * h).collect();
        let results = by_halves(products, 1.0).into_iter().take(results);
        results.map(|y| y / length as f64).collect::<Vec<_>>()
    };
    input.chunks(points.max(1)).flat_map(convolve).collect()
}

/// Result of the comparison of convolutions with [`reference`](fn@reference), by [`check`]: the largest error of a
/// vector, the number of vectors, and the denormals among their numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Check {
    /// Number of vectors whose convolutions were compared.
    pub vectors: usize,
    /// Largest error of a vector, NaN if a result is NaN: the root of the sum of the squares of the differences,
    /// divided by that of the exact result or by the product of those of vector and filter, whichever is larger.
    /// Rounding is relative to the latter where results cancel.
    pub relative_error: f64,
    /// Numbers of denormals in the input and the filter, and in the reference of the compared vectors, which CP2
    /// flushes to zero.
    pub flushed: Flushed,
}

impl Check {
    /// Bound of the error of a correct result, which is less: three transforms of at most 3e-7 each, by the root of the
    /// sum of their squares.
    pub const LIMIT: f64 = 5.2e-7;

    /// Whether the error is less than [`Self::LIMIT`].
    pub fn is_passed(&self) -> bool {
        self.relative_error < Self::LIMIT
    }
}

/// Most points of results that [`check`] compares; one vector is compared in any case.
const CHECKED_POINTS: usize = 1 << 20;

fn root_of_squares<'a>(values: impl Iterator<Item = &'a Complex32>) -> f64 {
    values.map(|x| wide(x).norm_sqr()).sum::<f64>().sqrt()
}

/// Returns the error of a number of a result that flushing between two operations explains: the losses of the transforms of
/// vector and filter, times the other's largest number, and those of the products and of the transform back.
fn lost(transform: usize, norms: [f64; 2]) -> f64 {
    let points = transform as f64;
    2.0 * fft::lost(transform) * points.sqrt() * (1.0 + norms[0] + norms[1])
}

/// Compares the first results of a report, at most 64 vectors and about 2^20 points, with [`reference`](fn@reference)
/// of the `filter` and `input` that the report convolved. Vectors with numbers that are not finite are left out; if the
/// filter has one, no vector is compared.
pub fn check(report: &Report, filter: &[Complex32], input: &[Complex32]) -> Check {
    let (points, results) = (report.points, report.points + report.taps - 1);
    let transform = report.transform;
    let most = CHECKED_VECTORS.min(CHECKED_POINTS / transform).max(1);
    let divided: Vec<Complex32> = filter.iter().map(|h| h / transform as f32).collect();
    let inputs = Flushed::of_complex(input).inputs + Flushed::of_complex(&divided).inputs;
    let mut check =
        Check { vectors: 0, relative_error: 0.0, flushed: Flushed { inputs, results: 0 } };
    if !filter.iter().all(is_finite) {
        return check;
    }
    let filter_norm = root_of_squares(filter.iter());
    let pairs = input.chunks(points).zip(report.output.chunks(results)).take(most);
    for (x, y) in pairs.filter(|(x, _)| x.iter().all(is_finite)) {
        let norm = root_of_squares(x.iter());
        let mut distance = ErrorMeasure::default();
        distance.add(y, &reference(filter, points, x), 1.0);
        let error = distance.relative_to(filter_norm * norm, lost(transform, [filter_norm, norm]));
        // A NaN is an error: the comparison alone would lose it.
        if error.is_nan() || error > check.relative_error {
            check.relative_error = error;
        }
        check.vectors += 1;
        check.flushed.results += distance.lost();
    }
    check
}
