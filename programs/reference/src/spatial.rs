//! Reference for Fourier transforms of arrays of three dimensions: double precision, on plain arrays.

use num_complex::Complex64;

/// Transforms `values`, an array of three dimensions, in place: a discrete Fourier transform along every axis. `sizes`
/// is the number of points along x, y and z; x goes fastest in `values`. The sign of the exponent is minus, or plus if
/// `inverse` is set; neither is scaled.
///
/// # Panics
/// The function panics if a number of points is no power of two.
pub fn transform(sizes: [usize; 3], values: &mut [Complex64], inverse: bool) {
    let mut stride = 1;
    for points in sizes {
        assert!(points.is_power_of_two(), "{points} points along an axis");
        let line = Line::new(points, inverse);
        let mut room = vec![Complex64::default(); points];
        let (rows, of_row) = (values.len() / (points * stride), points * stride);
        for first in (0..rows).flat_map(|row| row * of_row..row * of_row + stride) {
            let elements = || (first..).step_by(stride).take(points);
            for (at, place) in elements().zip(&line.order) {
                room[*place] = values[at];
            }
            line.transform(&mut room);
            for (at, x) in elements().zip(&room) {
                values[at] = *x;
            }
        }
        stride *= points;
    }
}

/// Returns an array of three dimensions, x fastest, with each element multiplied by three factors: `factors[0]` has one
/// for each place along x, `factors[1]` along y, `factors[2]` along z.
///
/// # Panics
/// The function panics if the number of `values` is not the product of the lengths of the three lists of factors.
pub fn scaled(values: &[Complex64], factors: [Vec<f64>; 3]) -> Vec<Complex64> {
    let [of_x, of_y, of_z] = factors;
    assert_eq!(values.len(), of_x.len() * of_y.len() * of_z.len(), "numbers of an array");
    let mut scaled = Vec::with_capacity(values.len());
    for (row, values) in values.chunks_exact(of_x.len()).enumerate() {
        let (y, z) = (of_y[row % of_y.len()], of_z[row / of_y.len()]);
        scaled.extend(values.iter().zip(&of_x).map(|(value, x)| value * (x * y * z)));
    }
    scaled
}

/// Order and roots that all transforms of a length have in common.
struct Line {
    /// Place to which each point goes before the transform: its bits reversed.
    order: Vec<usize>,
    /// exp(-2 pi i k / N), or its conjugate, for k below N / 2.
    roots: Vec<Complex64>,
}

impl Line {
    fn new(points: usize, inverse: bool) -> Self {
        let turn = std::f64::consts::TAU / points as f64 * if inverse { 1.0 } else { -1.0 };
        let bits = points.trailing_zeros();
        let reversed = |k: usize| k.reverse_bits().checked_shr(usize::BITS - bits).unwrap_or(0);
        Self {
            order: (0..points).map(reversed).collect(),
            roots: (0..points / 2).map(|k| Complex64::from_polar(1.0, turn * k as f64)).collect(),
        }
    }

    /// Transforms by halves, smallest first, points in the order of `order`.
    fn transform(&self, values: &mut [Complex64]) {
        let mut half = 1;
        while half < values.len() {
            let step = self.roots.len() / half;
            for block in values.chunks_exact_mut(2 * half) {
                let (even, odd) = block.split_at_mut(half);
                for (k, (a, b)) in even.iter_mut().zip(odd).enumerate() {
                    let turned = *b * self.roots[k * step];
                    (*a, *b) = (*a + turned, *a - turned);
                }
            }
            half *= 2;
        }
    }
}
