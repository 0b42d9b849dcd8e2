//! Bits in a row, as slices and words have them on the native machine. Nothing is counted here.

use std::fmt;

/// Returns the greatest number of so many bits, all ones; of more than 64 bits that of 64. As a weight it stands for no arc, as
/// a distance for no path.
pub fn greatest_number(bits: usize) -> u64 {
    if bits >= 64 { u64::MAX } else { (1 << bits) - 1 }
}

/// A slice or a word on the native machine: bits at positions that count from 1. Position `i` is bit `(i - 1) mod 64`,
/// from the least significant, of 64-bit word `(i - 1) div 64`. Bits above the last position are always 0, so that
/// counting and searching need no mask.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct BitVector {
    length: usize,
    words: Vec<u64>,
}

impl BitVector {
    /// Creates a vector of `length` zeros.
    pub fn zeros(length: usize) -> Self {
        Self { length, words: vec![0; length.div_ceil(64)] }
    }

    /// Creates a vector of `length` ones.
    pub fn ones(length: usize) -> Self {
        Self::from_words(length, vec![u64::MAX; length.div_ceil(64)])
    }

    /// Creates a vector from its 64-bit words. Words that are missing are 0; bits above the last position are dropped.
    pub fn from_words(length: usize, mut words: Vec<u64>) -> Self {
        words.resize(length.div_ceil(64), 0);
        if let (Some(last), used @ 1..) = (words.last_mut(), length % 64) {
            *last &= (1 << used) - 1;
        }
        Self { length, words }
    }

    /// Creates a vector from its bits, position 1 first.
    pub fn from_bits(bits: impl IntoIterator<Item = bool>) -> Self {
        let mut all = Self::default();
        for bit in bits {
            if all.length.is_multiple_of(64) {
                all.words.push(0);
            }
            all.length += 1;
            all.put(all.length, bit);
        }
        all
    }

    /// Creates a vector from a text of `0` and `1`, position 1 first; `None` if the text has another character.
    pub fn from_text(text: &str) -> Option<Self> {
        let bit = |c| match c {
            '0' => Some(false),
            '1' => Some(true),
            _ => None,
        };
        text.chars().map(bit).collect::<Option<Vec<bool>>>().map(Self::from_bits)
    }

    /// Creates a vector of `length` bits from a number, whose most significant bit is position 1. Bits of the number
    /// that do not fit are dropped.
    pub fn from_number(length: usize, number: u64) -> Self {
        let bit =
            |position: usize| length - position < 64 && number >> (length - position) & 1 == 1;
        Self::from_bits((1..=length).map(bit))
    }

    /// Returns the number of positions.
    pub fn len(&self) -> usize {
        self.length
    }

    /// Whether the vector has no position.
    pub fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// Returns the 64-bit words of the vector, position 1 in the least significant bit of the first.
    pub fn words(&self) -> &[u64] {
        &self.words
    }

    /// Returns the bit at a position, which counts from 1; false outside of the vector.
    pub fn get(&self, position: usize) -> bool {
        let at = position.wrapping_sub(1);
        at < self.length && self.words[at / 64] >> (at % 64) & 1 == 1
    }

    /// Sets the bit at a position, which counts from 1; outside of the vector nothing happens.
    pub fn put(&mut self, position: usize, bit: bool) {
        let at = position.wrapping_sub(1);
        if at < self.length {
            let mask = 1 << (at % 64);
            match bit {
                true => self.words[at / 64] |= mask,
                false => self.words[at / 64] &= !mask,
            }
        }
    }

    /// Returns the bits, position 1 first.
    pub fn bits(&self) -> impl Iterator<Item = bool> + '_ {
        (1..=self.length).map(|position| self.get(position))
    }

    /// Returns the positions of the ones, ascending.
    pub fn positions(&self) -> impl Iterator<Item = usize> + '_ {
        (1..=self.length).filter(|&position| self.get(position))
    }

    /// Returns the number whose most significant bit is position 1; `None` if it does not fit in 64 bits.
    pub fn number(&self) -> Option<u64> {
        let mut number = 0_u64;
        for bit in self.bits() {
            number = number.checked_mul(2)? | u64::from(bit);
        }
        Some(number)
    }

    /// Returns the vector that `of` makes of each pair of 64-bit words of two vectors; as long as the first one.
    pub fn combined(&self, other: &Self, of: impl Fn(u64, u64) -> u64) -> Self {
        let pairs = self.words.iter().zip(&other.words);
        Self::from_words(self.length, pairs.map(|(&a, &b)| of(a, b)).collect())
    }

    /// Returns the positions from `from` on, `length` of them; those outside of the vector are 0.
    pub fn part(&self, from: usize, length: usize) -> Self {
        Self::from_bits((from..from + length).map(|position| self.get(position)))
    }
}

impl fmt::Display for BitVector {
    /// Writes the bits as `0` and `1`, position 1 first.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.bits().try_for_each(|bit| f.write_str(if bit { "1" } else { "0" }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn padding_is_zero_whatever_the_length() {
        for length in [0, 1, 63, 64, 65, 127, 128, 130] {
            let ones = BitVector::ones(length);
            let count: u32 = ones.words().iter().map(|word| word.count_ones()).sum();
            assert_eq!((count as usize, ones.len()), (length, length));
            assert_eq!(BitVector::from_bits(ones.bits()), ones);
            assert!(!ones.get(length + 1) && !ones.get(0));
        }
    }

    #[test]
    fn numbers_begin_with_their_most_significant_bit() {
        let five = BitVector::from_number(4, 5);
        assert_eq!((five.to_string().as_str(), five.number()), ("0101", Some(5)));
        assert_eq!(BitVector::from_text("0101"), Some(five));
        assert_eq!(BitVector::from_text("01x"), None);
        assert_eq!(BitVector::from_number(70, u64::MAX).number(), Some(u64::MAX));
        assert_eq!(BitVector::ones(65).number(), None);
    }
}
