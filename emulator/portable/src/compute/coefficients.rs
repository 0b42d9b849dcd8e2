//! Fourier coefficients of all angles, so that none has to be put together while bundles run.

use cp2_emu::arith;
use std::sync::LazyLock;

/// Coefficients by the angle with its bytes swapped: angles that follow each other in a transform are neighbours then.
static COEFFICIENTS: LazyLock<Box<[u64]>> = LazyLock::new(|| {
    (0..=u16::MAX).map(|place| arith::coefficient(place.swap_bytes(), false)).collect()
});

/// Fourier coefficients for an engine, which looks for them with its first operation that needs one.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Coefficients(&'static [u64]);

impl Coefficients {
    /// Returns the coefficient at an angle; `inverse` negates the sine.
    #[inline(always)]
    pub(crate) fn at(&mut self, rind: u16, inverse: bool) -> u64 {
        let place = usize::from(rind.swap_bytes());
        let coefficient = match self.0.get(place) {
            Some(&coefficient) => coefficient,
            None => self.first(place),
        };
        coefficient ^ u64::from(inverse) << 31
    }

    #[cold]
    fn first(&mut self, place: usize) -> u64 {
        self.0 = &COEFFICIENTS;
        self.0[place]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_coefficient_is_that_of_the_angle() {
        let mut coefficients = Coefficients::default();
        for rind in 0..=u16::MAX {
            for inverse in [false, true] {
                assert_eq!(
                    coefficients.at(rind, inverse),
                    arith::coefficient(rind, inverse),
                    "{rind}"
                );
            }
        }
    }
}
