//! Reproducible test data: the same seed gives the same numbers on every native machine and in every version of this
//! crate, which no general library of random numbers promises.

use num_complex::Complex32;

/// Advances a state of the SplitMix64 generator by one step, and returns the 64 random bits of the step.
pub fn split_mix_64(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let z = (*state ^ *state >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ z >> 31
}

/// A generator of pseudo-random numbers, SplitMix64 from a seed, uniform in [-1, 1).
#[derive(Clone, Debug)]
pub struct SplitMix64(u64);

impl SplitMix64 {
    /// Creates the generator at the start of the sequence of a seed.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// Returns the next number.
    fn next(&mut self) -> f32 {
        (split_mix_64(&mut self.0) >> 40) as f32 / (1 << 23) as f32 - 1.0
    }

    /// Returns the next `count` complex numbers, with both parts uniform in [-1, 1); the real part is drawn first.
    pub fn complex(&mut self, count: usize) -> Vec<Complex32> {
        (0..count).map(|_| Complex32::new(self.next(), self.next())).collect()
    }
}

/// Returns the first `count` complex numbers of the sequence of a seed, with both parts uniform in [-1, 1); the real
/// part is drawn first.
pub fn complex(seed: u64, count: usize) -> Vec<Complex32> {
    SplitMix64::new(seed).complex(count)
}
