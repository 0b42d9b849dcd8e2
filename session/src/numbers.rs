//! Numbers that CP2 does not take as they are: denormals, which it reads and gives as zeros of their sign, and
//! NaN and infinities, which are refused unless a user lets them through. Where results are compared, the
//! reference flushes as the machine does.

use num_complex::{Complex32, Complex64};

/// Numbers that were denormal and became zero, both parts of complex ones counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Flushed {
    /// Number of denormal numbers in the input, which CP2 reads as zeros.
    pub inputs: u64,
    /// Denormal numbers among the results that were compared: those that the reference gives as denormals.
    pub results: u64,
}

impl Flushed {
    /// Counts the denormals of an input.
    pub fn of_inputs(inputs: impl IntoIterator<Item = f32>) -> Self {
        Self { inputs: inputs.into_iter().filter(|x| x.is_subnormal()).count() as u64, results: 0 }
    }

    /// Counts denormal numbers in complex inputs, as for real ones.
    pub fn of_complex(inputs: &[Complex32]) -> Self {
        Self::of_inputs(inputs.iter().flat_map(|x| [x.re, x.im]))
    }

    /// Whether nothing was flushed.
    pub fn is_none(self) -> bool {
        self == Self::default()
    }
}

/// Returns a number as CP2 reads it. `[L]` 4.1
pub fn read(x: f32) -> f32 {
    if x.is_subnormal() { 0.0_f32.copysign(x) } else { x }
}

/// Returns both parts of a complex number as CP2 reads them, in double precision.
pub fn read_complex(x: Complex32) -> Complex64 {
    Complex64::new(read(x.re).into(), read(x.im).into())
}

/// Whether an exact result is a denormal in single precision, so that CP2 gives zero for it.
pub fn is_lost(exact: f64) -> bool {
    exact != 0.0 && exact.abs() < f64::from(f32::MIN_POSITIVE)
}

/// Whether both parts of a complex number are finite.
pub fn is_finite(x: &Complex32) -> bool {
    x.re.is_finite() & x.im.is_finite()
}

/// Returns the index of the first number that is not finite.
pub fn first_odd(input: &[Complex32]) -> Option<usize> {
    // Chunks are looked at as a whole first, without a branch for each number.
    let is_whole = |chunk: &[Complex32]| chunk.iter().fold(true, |all, x| all & is_finite(x));
    if input.chunks(1024).all(is_whole) {
        return None;
    }
    input.iter().position(|x| !is_finite(x))
}

/// The distance of results from exact ones, over all that were added.
#[derive(Clone, Copy, Debug, Default)]
pub struct ErrorMeasure {
    difference: f64,
    size: f64,
    numbers: u64,
    lost: u64,
}

impl ErrorMeasure {
    /// Adds results beside exact ones times a factor with which the host multiplied what CP2 gave.
    pub fn add(&mut self, results: &[Complex32], exact: &[Complex64], factor: f64) {
        for (result, exact) in results.iter().zip(exact) {
            let mut given = |exact: f64| {
                self.lost += u64::from(is_lost(exact));
                if is_lost(exact) { 0.0 } else { exact * factor }
            };
            let exact = Complex64::new(given(exact.re), given(exact.im));
            let result = Complex64::new(result.re.into(), result.im.into());
            self.difference += (result - exact).norm_sqr();
            self.size += exact.norm_sqr();
            self.numbers += 1;
        }
    }

    /// Returns the root of the mean square of the differences relative to that of the exact results, without what flushing
    /// explains: `lost` for each number at most.
    pub fn relative(&self, lost: f64) -> f64 {
        let difference = self.unexplained(lost);
        if difference == 0.0 { 0.0 } else { (difference / self.size).sqrt() }
    }

    /// Returns the root of the sum of the squares of the differences relative to that of the exact results, or to `size` if
    /// that is larger: the root of the sum of the squares that the results would have if nothing cancelled. What flushing
    /// explains is left out: `lost` for each number at most.
    pub fn relative_to(&self, size: f64, lost: f64) -> f64 {
        let difference = self.unexplained(lost);
        if difference == 0.0 { 0.0 } else { difference.sqrt() / self.size.sqrt().max(size) }
    }

    /// Returns the sum of the squares of the differences beyond what is lost; what is no number stays.
    fn unexplained(&self, lost: f64) -> f64 {
        let rest = self.difference - lost * lost * self.numbers as f64;
        if rest <= 0.0 { 0.0 } else { rest }
    }

    /// Returns the number of results that the reference gives as denormals.
    pub fn lost(&self) -> u64 {
        self.lost
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TINY: f32 = 1e-40;

    #[test]
    fn denormals_are_read_as_zeros_of_their_sign_and_counted() {
        assert_eq!(read(TINY).to_bits(), 0);
        assert_eq!(read(-TINY).to_bits(), (-0.0_f32).to_bits());
        assert_eq!(read(f32::MIN_POSITIVE), f32::MIN_POSITIVE);
        let inputs = [Complex32::new(TINY, 1.0), Complex32::new(-TINY, 0.0)];
        assert_eq!(Flushed::of_complex(&inputs), Flushed { inputs: 2, results: 0 });
    }

    #[test]
    fn a_result_that_was_flushed_is_right_and_another_one_is_not() {
        let exact = [Complex64::new(1e-39, 1.0)];
        let distance = |result| {
            let mut distance = ErrorMeasure::default();
            distance.add(&[result], &exact, 1.0);
            (distance.relative(0.0), distance.lost())
        };
        assert_eq!(distance(Complex32::new(0.0, 1.0)), (0.0, 1));
        assert_eq!(distance(Complex32::new(0.0, 0.5)), (0.5, 1));
        assert!(distance(Complex32::new(0.0, f32::NAN)).0.is_nan());
    }

    #[test]
    fn what_flushing_between_explains_is_no_error() {
        let mut distance = ErrorMeasure::default();
        distance.add(&[Complex32::new(0.0, 0.0)], &[Complex64::new(3e-38, 0.0)], 1.0);
        assert_eq!(distance.relative(4e-38), 0.0);
        assert!(distance.relative(2e-38) > 0.3);
    }
}
