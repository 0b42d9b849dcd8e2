//! The random numbers of the NAS Parallel Benchmarks (NPB), from which they all draw their data: a state x in 1..2^46
//! steps by x := 5^13 x modulo 2^46 and gives the number x / 2^46. The data that are drawn are up to each benchmark.

/// Generator of the random numbers of the NAS Parallel Benchmarks; its value is the state x, from which the next number
/// follows. `default` creates it with the seed of all benchmarks, 314159265.
#[derive(Clone, Debug)]
pub struct NpbRandom(u64);

impl Default for NpbRandom {
    /// Creates the generator with the seed of all benchmarks.
    fn default() -> Self {
        Self(314_159_265)
    }
}

impl NpbRandom {
    const FACTOR: u64 = 5u64.pow(13);
    const BITS: u32 = 46;
    /// Modulus of the generator: the numbers are multiples of 1 / `ONE`.
    pub(crate) const ONE: u64 = 1 << Self::BITS;

    /// Creates a generator with another seed, which is made odd: the numbers have the longest period then.
    pub(crate) fn seeded(seed: u64) -> Self {
        Self(seed.wrapping_mul(2).wrapping_add(1) % Self::ONE)
    }

    /// Returns the generator in the state in which it is after `n` further numbers are drawn, in O(log n) steps.
    pub fn behind(mut self, n: usize) -> Self {
        let (mut factor, mut left) = (Self::FACTOR, n);
        while left > 0 {
            if left % 2 == 1 {
                self.0 = Self::product(self.0, factor);
            }
            (factor, left) = (Self::product(factor, factor), left / 2);
        }
        self
    }

    /// Returns a product modulo 2^46, which divides the 2^64 that products wrap at.
    const fn product(a: u64, b: u64) -> u64 {
        a.wrapping_mul(b) % Self::ONE
    }

    /// Draws the next number of the sequence and returns it times 2^46: a whole number below 2^46.
    pub fn scaled(&mut self) -> u64 {
        self.0 = Self::product(self.0, Self::FACTOR);
        self.0
    }

    /// Draws the next number of the sequence, from 0 to below 1.
    pub fn fraction(&mut self) -> f64 {
        self.scaled() as f64 / Self::ONE as f64
    }

    /// Returns the next number, uniform in 0..n.
    pub(crate) fn below(&mut self, n: usize) -> usize {
        (self.fraction() * n as f64) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first step by hand: 314159265 x 1220703125 modulo 2^46.
    #[test]
    fn numbers_follow_the_rule_and_stay_below_one() {
        let mut numbers = NpbRandom::default();
        let first = (314_159_265_u128 * 1_220_703_125) % (1 << 46);
        assert_eq!(u128::from(numbers.scaled()), first);
        assert!((0..1000).all(|_| (0.0..1.0).contains(&numbers.fraction())));
    }

    #[test]
    fn a_sequence_can_begin_behind_some_of_its_numbers() {
        let mut numbers = NpbRandom::default();
        for n in 0..100 {
            assert_eq!(NpbRandom::default().behind(n).scaled(), numbers.scaled(), "{n}");
        }
    }
}
