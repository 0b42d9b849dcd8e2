//! Convolution in double precision, and how far a result is from it. What is checked is in the
//! module above.

use super::{Report, SHORTEST};
use cp2_kernels::fft;
use cp2_kernels::fft::CHECKED_VECTORS;
use cp2_reference::fft::by_halves;
use cp2_session::numbers::{self, Distance, Flushed, is_finite};
use num_complex::{Complex32, Complex64};

/// The same number in double precision.
pub fn wide(x: &Complex32) -> Complex64 {
    Complex64::new(x.re.into(), x.im.into())
}

/// The convolutions of vectors of `points` points with `filter` in double precision, by transforms, of the
/// numbers as CP2 reads them. The host divides the filter by the points of the transforms before.
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

/// How far a result is from that in double precision.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Check {
    /// Vectors that were compared, from the first on.
    pub vectors: usize,
    /// Largest of them: the root of the sum of the squares of the differences, relative to that of the
    /// result or to the product of those of vector and filter, whichever is larger. Rounding is
    /// relative to the latter where results cancel.
    pub relative_error: f64,
    /// Numbers that became zero.
    pub flushed: Flushed,
}

impl Check {
    /// Largest error that rounding explains: three transforms of at most 3e-7 each, by the root of the
    /// sum of their squares.
    pub const LIMIT: f64 = 5.2e-7;

    /// Whether the error is within rounding.
    pub fn is_passed(&self) -> bool {
        self.relative_error < Self::LIMIT
    }
}

/// Most points of results that [`check`] compares, but for one vector.
const CHECKED_POINTS: usize = 1 << 20;

fn root_of_squares<'a>(values: impl Iterator<Item = &'a Complex32>) -> f64 {
    values.map(|x| wide(x).norm_sqr()).sum::<f64>().sqrt()
}

/// What flushing between two operations explains of an error, for a number of a result: what the transforms
/// of vector and filter lose, times the other's largest number, and what products and the transform back do.
fn lost(transform: usize, norms: [f64; 2]) -> f64 {
    let points = transform as f64;
    2.0 * fft::lost(transform) * points.sqrt() * (1.0 + norms[0] + norms[1])
}

/// Compares the first vectors of a report; of those that hold numbers that are not finite nothing is asked,
/// and of none if the filter does.
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
        let mut distance = Distance::default();
        distance.add(y, &reference(filter, points, x), 1.0);
        let error = distance.relative_to(filter_norm * norm, lost(transform, [filter_norm, norm]));
        // A NaN is an error of its own: it must not be lost in the comparison.
        if error.is_nan() || error > check.relative_error {
            check.relative_error = error;
        }
        check.vectors += 1;
        check.flushed.results += distance.lost();
    }
    check
}
