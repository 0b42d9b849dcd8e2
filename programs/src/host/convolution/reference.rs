//! Convolution in double precision, and how far a result is from it. What is checked is in the
//! module above.

use super::Report;
use crate::fft::CHECKED_VECTORS;
use crate::host::fft::by_halves;
use num_complex::{Complex32, Complex64};

fn wide(x: &Complex32) -> Complex64 {
    Complex64::new(x.re.into(), x.im.into())
}

/// The convolutions of vectors of `points` points with `filter` in double precision, by transforms.
pub fn reference(filter: &[Complex32], points: usize, input: &[Complex32]) -> Vec<Complex64> {
    let results = points + filter.len().max(1) - 1;
    let length = results.next_power_of_two();
    let spectrum = |values: &[Complex32]| {
        let mut values: Vec<_> = values.iter().map(wide).collect();
        values.resize(length, Complex64::ZERO);
        by_halves(values, -1.0)
    };
    let factors = spectrum(filter);
    let convolve = |vector: &[Complex32]| {
        let products = spectrum(vector).iter().zip(&factors).map(|(x, h)| x * h).collect();
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

/// Compares the first vectors of a report.
pub fn check(report: &Report, filter: &[Complex32], input: &[Complex32]) -> Check {
    let (points, results) = (report.points, report.points + report.taps - 1);
    let most = CHECKED_VECTORS.min(CHECKED_POINTS / report.transform());
    let vectors = report.cost.vectors.min(most.max(1));
    let filter_norm = root_of_squares(filter.iter());
    let error = |(x, y): (&[Complex32], &[Complex32])| {
        let exact = reference(filter, points, x);
        let difference: f64 = y.iter().zip(&exact).map(|(a, b)| (wide(a) - b).norm_sqr()).sum();
        let result: f64 = exact.iter().map(Complex64::norm_sqr).sum();
        let scale = result.sqrt().max(filter_norm * root_of_squares(x.iter()));
        if difference == 0.0 { 0.0 } else { difference.sqrt() / scale }
    };
    let pairs = input.chunks(points).zip(report.output.chunks(results)).take(vectors);
    // A NaN is an error of its own: it must not be lost in the comparison.
    let worst = |a: f64, b: f64| if b.is_nan() || b > a { b } else { a };
    Check { vectors, relative_error: pairs.map(error).fold(0.0, worst) }
}
