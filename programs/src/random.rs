//! Reproducible test data: the same seed gives the same bytes on every machine and in every
//! version, which no general random number crate promises.

use num_complex::Complex32;

/// Complex numbers with both parts uniform in [-1, 1), from the SplitMix64 sequence of `seed`.
pub fn complex(seed: u64, count: usize) -> Vec<Complex32> {
    let mut state = seed;
    let mut next = || {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = state;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ z >> 31) >> 40) as f32 / (1 << 23) as f32 - 1.0
    };
    (0..count).map(|_| Complex32::new(next(), next())).collect()
}
