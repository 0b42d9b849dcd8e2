//! Transforms of several dimensions in double precision on plain arrays.

use super::plan::Sizes;
use crate::host::fft::by_halves;
use num_complex::Complex64;

/// Transforms along every axis.
pub fn transform(sizes: &Sizes, values: &mut [Complex64], inverse: bool) {
    let sign = if inverse { 1.0 } else { -1.0 };
    let mut stride = 1;
    for points in sizes.0 {
        for first in (0..values.len()).filter(|i| i / stride % points == 0) {
            let at = |k| first + k * stride;
            let vector = (0..points).map(|k| values[at(k)]).collect();
            for (k, x) in by_halves(vector, sign).into_iter().enumerate() {
                values[at(k)] = x;
            }
        }
        stride *= points;
    }
}
