//! A row of bits of which 64 are looked at in one step.

use std::ops::Range;

/// A row of bits.
#[derive(Clone, Debug, Default)]
pub(super) struct Bits(Vec<u64>);

/// Returns the mask of the bits `from..to` of a word; `to` may lie behind the word.
fn mask(from: usize, to: usize) -> u64 {
    let below = |n: usize| if n >= 64 { u64::MAX } else { (1 << n) - 1 };
    below(to) & !below(from)
}

/// Returns the words that the bits of a range lie in, each with the mask of those bits.
fn masks(range: Range<usize>) -> impl DoubleEndedIterator<Item = (usize, u64)> {
    let words = range.start / 64..if range.is_empty() { 0 } else { range.end.div_ceil(64) };
    words.map(move |w| (w, mask(range.start.saturating_sub(64 * w), range.end - 64 * w)))
}

impl Bits {
    /// Creates `count` clear bits.
    pub(super) fn new(count: usize) -> Self {
        Self(vec![0; count.div_ceil(64)])
    }

    /// Sets or clears a bit.
    pub(super) fn set(&mut self, at: usize, value: bool) {
        let mask = 1 << (at % 64);
        let word = &mut self.0[at / 64];
        *word = if value { *word | mask } else { *word & !mask };
    }

    /// Sets the bits of a range.
    pub(super) fn set_all(&mut self, range: Range<usize>) {
        masks(range).for_each(|(w, mask)| self.0[w] |= mask);
    }

    /// Whether a bit is set.
    pub(super) fn is_set(&self, at: usize) -> bool {
        self.0[at / 64] >> (at % 64) & 1 == 1
    }

    /// Returns the first bit of a range that is set.
    pub(super) fn first_set(&self, range: Range<usize>) -> Option<usize> {
        masks(range).find_map(|(w, mask)| {
            let found = self.0[w] & mask;
            (found != 0).then(|| 64 * w + found.trailing_zeros() as usize)
        })
    }

    /// Returns the last bit of a range that is set.
    pub(super) fn last_set(&self, range: Range<usize>) -> Option<usize> {
        masks(range).rev().find_map(|(w, mask)| {
            let found = self.0[w] & mask;
            (found != 0).then(|| 64 * w + 63 - found.leading_zeros() as usize)
        })
    }

    /// Returns the bits of a range that are clear, in order.
    pub(super) fn clear(&self, range: Range<usize>) -> impl Iterator<Item = usize> {
        masks(range).flat_map(|(w, mask)| {
            let mut found = !self.0[w] & mask;
            std::iter::from_fn(move || {
                let bit = found.trailing_zeros() as usize;
                found &= found.wrapping_sub(1);
                (bit < 64).then_some(64 * w + bit)
            })
        })
    }

    /// Returns the bits of a range that are clear, the last one first.
    pub(super) fn clear_backward(&self, range: Range<usize>) -> impl Iterator<Item = usize> {
        masks(range).rev().flat_map(|(w, mask)| {
            let mut found = !self.0[w] & mask;
            std::iter::from_fn(move || {
                let bit = 63_usize.checked_sub(found.leading_zeros() as usize)?;
                found &= !(1 << bit);
                Some(64 * w + bit)
            })
        })
    }

    /// Sets the bits that are set in another row of the same length.
    pub(super) fn join(&mut self, other: &Self) {
        self.0.iter_mut().zip(&other.0).for_each(|(word, &more)| *word |= more);
    }

    /// Sets the bits that are set in both of two rows of the same length.
    pub(super) fn join_common(&mut self, a: &Self, b: &Self) {
        let both = a.0.iter().zip(&b.0).map(|(a, b)| a & b);
        self.0.iter_mut().zip(both).for_each(|(word, more)| *word |= more);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_agree_with_bits_one_by_one() {
        let mut bits = Bits::new(200);
        let set = |at: usize| at % 7 == 3 || (60..70).contains(&at) || at == 128;
        (0..200).filter(|&at| set(at)).for_each(|at| bits.set(at, true));
        for (from, to) in (0..200).flat_map(|from| (from..200).map(move |to| (from, to))) {
            let one_by_one: Vec<usize> = (from..to).filter(|&at| !set(at)).collect();
            let backward: Vec<usize> = one_by_one.iter().rev().copied().collect();
            assert_eq!(bits.clear(from..to).collect::<Vec<_>>(), one_by_one, "{from}..{to}");
            assert_eq!(bits.clear_backward(from..to).collect::<Vec<_>>(), backward);
            assert_eq!(bits.first_set(from..to), (from..to).find(|&at| set(at)));
            assert_eq!(bits.last_set(from..to), (from..to).rev().find(|&at| set(at)));
            let mut more = bits.clone();
            more.set_all(from..to);
            assert!((0..200).all(|at| more.is_set(at) == (set(at) || (from..to).contains(&at))));
        }
    }

    #[test]
    fn rows_are_joined_bit_by_bit() {
        let row = |is_set: &dyn Fn(usize) -> bool| {
            let mut bits = Bits::new(200);
            (0..200).filter(|&at| is_set(at)).for_each(|at| bits.set(at, true));
            bits
        };
        let (a, b, c) = (
            |at: usize| at.is_multiple_of(2),
            |at: usize| at.is_multiple_of(3),
            |at: usize| at.is_multiple_of(5),
        );
        let (mut either, mut common) = (row(&a), row(&a));
        either.join(&row(&b));
        common.join_common(&row(&b), &row(&c));
        for at in 0..200 {
            assert_eq!(either.is_set(at), a(at) || b(at), "{at}");
            assert_eq!(common.is_set(at), a(at) || b(at) && c(at), "{at}");
        }
    }
}
