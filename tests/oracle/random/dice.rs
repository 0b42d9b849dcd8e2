//! Seeded choices. The same seed gives the same program on every machine.

use proptest::prelude::Rng;
use proptest::test_runner::{RngAlgorithm, TestRng};

/// A source of choices.
pub(crate) struct Dice(TestRng);

impl Dice {
    pub(crate) fn new(seed: u64) -> Self {
        let mut bytes = [0x5a; 32];
        bytes[..8].copy_from_slice(&seed.to_le_bytes());
        Self(TestRng::from_seed(RngAlgorithm::ChaCha, &bytes))
    }

    pub(crate) fn bits(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// Returns a number from 0 to `n` - 1.
    pub(crate) fn below(&mut self, n: usize) -> usize {
        (self.bits() >> 32) as usize % n
    }

    /// Returns a number from `low` to `high`, both included.
    pub(crate) fn between(&mut self, low: usize, high: usize) -> usize {
        low + self.below(high - low + 1)
    }

    pub(crate) fn percent(&mut self, n: usize) -> bool {
        self.below(100) < n
    }

    pub(crate) fn pick<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len())]
    }
}
