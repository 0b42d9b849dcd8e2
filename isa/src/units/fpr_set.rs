//! A set of floating-point registers, as many as an encoding reaches.

use std::ops::{BitAnd, BitOr, BitOrAssign};

/// A set of floating-point registers (FPRs) of a section, by their numbers from 0 to 255, the most that an encoding
/// reaches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct FprSet([u128; 2]);

impl FprSet {
    /// The set of no register.
    pub const EMPTY: Self = Self([0; 2]);
    /// The set of all 256 registers, those that a core lacks too.
    pub const ALL: Self = Self([u128::MAX; 2]);

    /// Returns the set that has only the FPR with this number.
    #[inline]
    pub const fn one(register: u8) -> Self {
        let mut set = Self::EMPTY;
        set.0[(register >> 7) as usize] = 1 << (register & 127);
        set
    }

    /// Whether the FPR with this number is in the set.
    #[inline]
    pub const fn contains(self, register: u8) -> bool {
        self.0[(register >> 7) as usize] >> (register & 127) & 1 == 1
    }

    /// Returns the number of registers in the set.
    pub const fn count(self) -> usize {
        (self.0[0].count_ones() + self.0[1].count_ones()) as usize
    }

    /// Whether the set has no register.
    pub const fn is_empty(self) -> bool {
        self.0[0] | self.0[1] == 0
    }

    /// Returns the registers of the set that `other` does not have.
    #[must_use]
    pub const fn without(self, other: Self) -> Self {
        Self([self.0[0] & !other.0[0], self.0[1] & !other.0[1]])
    }

    /// Returns the set of the registers from 0 to the one with this number.
    pub const fn up_to(register: u8) -> Self {
        let all = u128::MAX >> (127 - (register & 127));
        if register < 128 { Self([all, 0]) } else { Self([u128::MAX, all]) }
    }

    /// Returns the set of the registers that are `by` below those of the set; those below `by` are dropped.
    #[must_use]
    pub const fn lowered(self, by: u8) -> Self {
        let Self([low, high]) = self;
        match by {
            0 => self,
            128.. => Self([high >> (by - 128), 0]),
            _ => Self([low >> by | high << (128 - by), high >> by]),
        }
    }

    /// Returns the numbers of the registers in the set, in ascending order.
    pub fn iter(self) -> impl Iterator<Item = u8> {
        let of = |mut bits: u128, first: u8| {
            std::iter::from_fn(move || {
                let register = (bits != 0).then(|| first + bits.trailing_zeros() as u8);
                bits &= bits.wrapping_sub(1);
                register
            })
        };
        of(self.0[0], 0).chain(of(self.0[1], 128))
    }
}

impl BitAnd for FprSet {
    type Output = Self;

    fn bitand(self, other: Self) -> Self {
        Self([self.0[0] & other.0[0], self.0[1] & other.0[1]])
    }
}

impl BitOr for FprSet {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        Self([self.0[0] | other.0[0], self.0[1] | other.0[1]])
    }
}

impl BitOrAssign for FprSet {
    fn bitor_assign(&mut self, other: Self) {
        *self = *self | other;
    }
}

impl FromIterator<u8> for FprSet {
    fn from_iter<I: IntoIterator<Item = u8>>(registers: I) -> Self {
        registers.into_iter().fold(Self::EMPTY, |set, register| set | Self::one(register))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_with_the_same_registers_of_both_kinds_is_not_empty() {
        let both = FprSet::one(5) | FprSet::one(128 + 5);
        assert!(!both.is_empty() && FprSet::EMPTY.is_empty());
        assert_eq!(both.count(), 2);
    }

    #[test]
    fn a_set_has_what_was_put_into_it() {
        let all = [0, 63, 64, 127, 128, 255];
        let set: FprSet = all.into_iter().collect();
        assert!(set.iter().eq(all) && set.count() == 6 && !set.is_empty());
        assert!(!set.contains(1) && !set.contains(129));
        let less = set.without(FprSet::one(64) | FprSet::one(255));
        assert!(less.iter().eq([0, 63, 127, 128]));
        assert_eq!(less & FprSet::one(127), FprSet::one(127));
        for (top, by) in
            (0..=255).flat_map(|top| [0, 1, 63, 64, 127, 128, 129, 255].map(|by| (top, by)))
        {
            assert!(FprSet::up_to(top).iter().eq(0..=top), "{top}");
            let lowered: Vec<u8> =
                set.iter().filter_map(|register| register.checked_sub(by)).collect();
            assert!(set.lowered(by).iter().eq(lowered), "{by}");
        }
        assert_eq!((FprSet::ALL.count(), FprSet::EMPTY.is_empty()), (256, true));
    }
}
