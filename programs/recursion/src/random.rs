//! Random numbers from a seed: splitmix64.

/// A sequence of random numbers, which its seed decides.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    /// Returns the next number.
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    /// Returns a number below `count`, which is not 0.
    pub(crate) fn below(&mut self, count: usize) -> usize {
        (self.next() % count as u64) as usize
    }

    /// Returns the numbers below `count` in a random order.
    pub(crate) fn permuted(&mut self, count: usize) -> Vec<usize> {
        let mut all: Vec<usize> = (0..count).collect();
        for last in (1..count).rev() {
            all.swap(last, self.below(last + 1));
        }
        all
    }
}
