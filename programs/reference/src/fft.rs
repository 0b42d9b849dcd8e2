//! Transforms of one vector in double precision.

use num_complex::Complex64;
use std::f64::consts::TAU;

/// Returns the discrete Fourier transform of `input`, computed by its definition in N^2 steps, N being the number of
/// elements: element k of the result is the sum over j of `input[j] exp(sign 2 pi i j k / N)`, not scaled. `sign` is
/// -1.0 for the forward transform and 1.0 for the inverse one. Any N is allowed.
pub fn by_definition(input: &[Complex64], sign: f64) -> Vec<Complex64> {
    let n = input.len();
    let turn: Vec<Complex64> =
        (0..n).map(|k| Complex64::from_polar(1.0, sign * TAU * k as f64 / n as f64)).collect();
    let of_frequency = |k| {
        // j k mod N is carried along: a division would take as long as the rest.
        let (mut sum, mut at) = (Complex64::default(), 0);
        for x in input {
            sum += x * turn[at];
            at = if at + k < n { at + k } else { at + k - n };
        }
        sum
    };
    (0..n).map(of_frequency).collect()
}

/// Returns the discrete Fourier transform of `input`, computed in N log N steps by a recursive radix-2 FFT: the same
/// values in the same order as [`by_definition`] gives, up to rounding, not scaled. `sign` is -1.0 for the forward
/// transform and 1.0 for the inverse one. Inputs of 0 or 1 elements come back unchanged.
///
/// # Panics
/// The function panics if the number of elements is more than 1 and no power of two.
pub fn by_halves(input: Vec<Complex64>, sign: f64) -> Vec<Complex64> {
    let n = input.len();
    if n < 2 {
        return input;
    }
    assert!(n.is_power_of_two(), "{n} points");
    let half = |odd| by_halves(input.iter().skip(odd).step_by(2).copied().collect(), sign);
    let (even, mut odd) = (half(0), half(1));
    for (k, x) in odd.iter_mut().enumerate() {
        *x *= Complex64::from_polar(1.0, sign * TAU * k as f64 / n as f64);
    }
    let pairs = || even.iter().zip(&odd);
    pairs().map(|(a, b)| a + b).chain(pairs().map(|(a, b)| a - b)).collect()
}
