//! Numbers that CP2 treats in its own way: denormals, which it reads and gives as zeros of their sign, and NaN and
//! infinities, which workloads refuse unless a user lets them through. When results are compared with a reference,
//! denormals of the reference count as zeros, too.

use num_complex::{Complex32, Complex64};

/// Numbers of denormals that CP2 took as zeros in a run, in the input and among the results, for the report of the run.
/// Both parts of a complex number are counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Flushed {
    /// Number of denormals in the input, which CP2 reads as zeros.
    pub inputs: u64,
    /// Number of results, among those that were compared, for which the reference has a denormal and CP2 gives zero.
    pub results: u64,
}

impl Flushed {
    /// Counts the denormals of an input; the count of results is 0.
    pub fn of_inputs(inputs: impl IntoIterator<Item = f32>) -> Self {
        Self { inputs: inputs.into_iter().filter(|x| x.is_subnormal()).count() as u64, results: 0 }
    }

    /// Counts the denormals of a complex input, in both parts of each number; the count of results is 0.
    pub fn of_complex(inputs: &[Complex32]) -> Self {
        Self::of_inputs(inputs.iter().flat_map(|x| [x.re, x.im]))
    }

    /// Whether both counts are 0.
    pub fn is_none(self) -> bool {
        self == Self::default()
    }
}

/// Returns a number as CP2 reads it: a denormal becomes a zero of its sign (`[L]` 4.1, the open model library of CP2).
pub fn read(x: f32) -> f32 {
    if x.is_subnormal() { 0.0_f32.copysign(x) } else { x }
}

/// Returns a complex number as CP2 reads it, each denormal part a zero of its sign, in double precision.
pub fn read_complex(x: Complex32) -> Complex64 {
    Complex64::new(read(x.re).into(), read(x.im).into())
}

/// Whether CP2 gives zero for an exact result because it is a denormal in single precision: not 0, and smaller in
/// magnitude than the smallest normal number.
pub fn is_lost(exact: f64) -> bool {
    exact != 0.0 && exact.abs() < f64::from(f32::MIN_POSITIVE)
}

/// Whether both parts of a complex number are finite.
pub fn is_finite(x: &Complex32) -> bool {
    x.re.is_finite() & x.im.is_finite()
}

/// Returns the index of the first number of which a part is NaN or infinite; `None` if there is none.
pub fn first_non_finite(input: &[Complex32]) -> Option<usize> {
    // Chunks are looked at as a whole first, without a branch for each number.
    let is_whole = |chunk: &[Complex32]| chunk.iter().fold(true, |all, x| all & is_finite(x));
    if input.chunks(1024).all(is_whole) {
        return None;
    }
    input.iter().position(|x| !is_finite(x))
}

/// The distance of results of CP2 from exact ones, the sum of squares over all results that were given to
/// [`ErrorMeasure::add`], from which [`ErrorMeasure::relative`] makes a relative error.
#[derive(Clone, Copy, Debug, Default)]
pub struct ErrorMeasure {
    difference: f64,
    size: f64,
    numbers: u64,
    lost: u64,
}

impl ErrorMeasure {
    /// Adds results and the exact ones that belong to them, one by one; those without a partner are left out. An exact
    /// part that is a denormal in single precision counts as 0 and is counted as lost. `factor` is the number by which
    /// the host multiplied the results that CP2 gave; the exact results are multiplied by it here.
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

    /// Returns the root of the mean square of the differences, divided by that of the exact results; 0 if there is no
    /// difference. `lost` is the difference that flushed denormals can explain in each result, in the unit of the
    /// results; its square, once for each result, is taken off the sum of the squared differences first.
    pub fn relative(&self, lost: f64) -> f64 {
        let difference = self.unexplained(lost);
        if difference == 0.0 { 0.0 } else { (difference / self.size).sqrt() }
    }

    /// Returns the root of the sum of the squares of the differences, divided by that of the exact results, or by
    /// `size` if that is larger. `size` is the root of the sum of squares that the results would have if nothing
    /// cancelled. `lost` is the difference that flushed denormals can explain in each result, as for
    /// [`ErrorMeasure::relative`]. The result is 0 if no difference is left, even if the divisor is 0.
    pub fn relative_to(&self, size: f64, lost: f64) -> f64 {
        let difference = self.unexplained(lost);
        if difference == 0.0 { 0.0 } else { difference.sqrt() / self.size.sqrt().max(size) }
    }

    /// Returns the sum of the squares of the differences beyond what is lost; what is no number stays.
    fn unexplained(&self, lost: f64) -> f64 {
        let rest = self.difference - lost * lost * self.numbers as f64;
        if rest <= 0.0 { 0.0 } else { rest }
    }

    /// Returns the number of parts of exact results that are denormals in single precision, for which CP2 gives zero.
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
