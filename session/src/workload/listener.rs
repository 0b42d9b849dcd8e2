//! Listeners, which are told of a run while it goes on, and the largest of the distances from a reference.

use crate::error::KernelError;
use crate::npy::{self, MatrixShape};
use num_complex::Complex32;
use std::time::Duration;

/// A listener, which is told of a run while it goes on. A closure is told how far the run is.
pub trait Listener {
    /// Takes the progress of a run, `done` of `all`: vectors of a kernel; of a procedure predicted cycles, or parts that take
    /// the same, such as pages of one kind. A procedure tells 0 when its machine begins, and of a run that goes on from a
    /// checkpoint nothing that was done before.
    fn progress(&mut self, done: usize, all: usize);

    /// Takes the time of work of the host that the machine does not see.
    fn prepared(&mut self, _what: &str, _time: Duration) {}

    /// Takes the shape that the array of results will have.
    ///
    /// # Errors
    /// The array cannot be written.
    fn begin(&mut self, _: MatrixShape) -> Result<(), KernelError> {
        Ok(())
    }

    /// Takes the next values of the array of results, row by row.
    ///
    /// # Errors
    /// The values cannot be written.
    fn add(&mut self, _: &[Complex32]) -> Result<(), KernelError> {
        Ok(())
    }

    /// Takes the array of results at once.
    ///
    /// # Errors
    /// The array cannot be written.
    fn whole(&mut self, _: &npy::Array) -> Result<(), KernelError> {
        Ok(())
    }
}

impl<F: FnMut(usize, usize)> Listener for F {
    fn progress(&mut self, done: usize, all: usize) {
        self(done, all);
    }
}

/// Returns the largest of some distances from a reference, 0 if there are none; what is no number is infinitely far.
pub fn largest(distances: impl IntoIterator<Item = f64>) -> f64 {
    let distance = |d: f64| if d.is_nan() { f64::INFINITY } else { d };
    distances.into_iter().map(distance).fold(0.0, f64::max)
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
