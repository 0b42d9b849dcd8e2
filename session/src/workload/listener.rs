//! Listeners, which are told of a run of a workload while it goes on, and the largest of several distances from a
//! reference.

use crate::error::KernelError;
use crate::npy::{self, MatrixShape};
use num_complex::Complex32;
use std::time::Duration;

/// A listener of a run of a workload: is told how far the run is, and takes its results. A closure `FnMut(done, all)`
/// is a listener that takes the progress and ignores all else.
pub trait Listener {
    /// Takes the progress of a run: `done` of `all` units are done. The units are vectors for a kernel; for a procedure
    /// they are predicted cycles, or parts of about the same length such as pages. A procedure tells 0 when its machine
    /// begins. A run that goes on from a checkpoint tells nothing of what was done before it.
    fn progress(&mut self, done: usize, all: usize);

    /// Takes the time that a preparation took on the native machine, such as scheduling kernels; the first argument
    /// names the preparation. CP2's cycles do not include it. Ignored unless overridden.
    fn prepared(&mut self, _what: &str, _time: Duration) {}

    /// Takes the shape that the array of results will have, before its values come by [`Listener::add`]. Ignored unless
    /// overridden.
    ///
    /// # Errors
    /// The listener cannot begin to write the array; the run ends with this error.
    fn begin(&mut self, _: MatrixShape) -> Result<(), KernelError> {
        Ok(())
    }

    /// Takes the next values of the array of results, row by row. Ignored unless overridden.
    ///
    /// # Errors
    /// The listener cannot write the values; the run ends with this error.
    fn add(&mut self, _: &[Complex32]) -> Result<(), KernelError> {
        Ok(())
    }

    /// Takes the array of results as a whole, in place of [`Listener::begin`] and [`Listener::add`]. Ignored unless
    /// overridden.
    ///
    /// # Errors
    /// The listener cannot write the array; the run ends with this error.
    fn whole(&mut self, _: &npy::Array) -> Result<(), KernelError> {
        Ok(())
    }

    /// Takes one of several arrays of results as a whole, with its name. Ignored unless overridden.
    ///
    /// # Errors
    /// The listener cannot write the array; the run ends with this error.
    fn named(&mut self, _name: &str, _: &npy::Array) -> Result<(), KernelError> {
        Ok(())
    }
}

impl<F: FnMut(usize, usize)> Listener for F {
    fn progress(&mut self, done: usize, all: usize) {
        self(done, all);
    }
}

/// Returns the largest of some distances from a reference; 0 if there are none. A NaN counts as infinite.
pub fn largest(distances: impl IntoIterator<Item = f64>) -> f64 {
    let more = |most: f64, d: f64| match () {
        // The usual case, in one comparison.
        () if d <= most => most,
        () if d.is_nan() => f64::INFINITY,
        () => d,
    };
    distances.into_iter().fold(0.0, more)
}

#[cfg(test)]
mod tests {
    use super::largest;

    #[test]
    fn a_result_that_is_no_number_is_far_from_every_reference() {
        assert_eq!(largest([0.5, 0.25]), 0.5);
        assert_eq!(largest([0.5, f64::NAN, 0.25]), f64::INFINITY);
        assert_eq!(largest([]), 0.0);
    }
}
