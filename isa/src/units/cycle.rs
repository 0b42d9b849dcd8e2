//! Moments in time.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::ops::{Add, AddAssign, Sub};

/// A moment: a cycle of CP2, counted from reset, which is cycle 0. How long something lasts is a plain number of
/// cycles: the difference of two moments is such a number, and adding one to a moment gives another.
///
/// ```
/// # use cp2_isa::Cycle;
/// let (issue, landing) = (Cycle(40), Cycle(40) + 10);
/// assert_eq!(landing - issue, 10);
/// ```
///
/// Two moments have no sum, and a number of cycles is no moment:
///
/// ```compile_fail
/// # use cp2_isa::Cycle;
/// let sum = Cycle(40) + Cycle(10);
/// ```
///
/// ```compile_fail
/// # use cp2_isa::Cycle;
/// # fn run_to(cycle: Cycle) {}
/// let at_most: u64 = 1000;
/// run_to(at_most);
/// ```
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[repr(transparent)]
pub struct Cycle(pub u64);

impl Cycle {
    /// The first cycle after reset, cycle 0.
    pub const RESET: Self = Self(0);
    /// The highest cycle, which no run reaches: the moment of what never happens.
    pub const NEVER: Self = Self(u64::MAX);

    /// Returns the moment `cycles` cycles after this one, [`Cycle::NEVER`] at most.
    #[inline]
    pub const fn saturating_add(self, cycles: u64) -> Self {
        Self(self.0.saturating_add(cycles))
    }

    /// Returns the moment `cycles` cycles before this one, [`Cycle::RESET`] at least.
    #[inline]
    pub const fn saturating_sub(self, cycles: u64) -> Self {
        Self(self.0.saturating_sub(cycles))
    }

    /// Returns the number of cycles between the two moments, whichever is earlier.
    #[inline]
    pub const fn abs_diff(self, other: Self) -> u64 {
        self.0.abs_diff(other.0)
    }

    /// Returns the number of cycles from the moment `earlier` to this one; `None` if `earlier` is later than this one.
    #[inline]
    pub const fn checked_since(self, earlier: Self) -> Option<u64> {
        self.0.checked_sub(earlier.0)
    }

    /// Returns the number of cycles from the moment `earlier` to this one; 0 if `earlier` is later than this one.
    #[inline]
    pub const fn saturating_since(self, earlier: Self) -> u64 {
        self.0.saturating_sub(earlier.0)
    }

    /// Returns the cycles from this one, included, to `end`, excluded, in ascending order; none if `end` is not later.
    pub fn until(self, end: Self) -> impl Iterator<Item = Self> {
        (self.0..end.0).map(Self)
    }
}

impl Add<u64> for Cycle {
    type Output = Self;

    #[inline]
    fn add(self, cycles: u64) -> Self {
        Self(self.0 + cycles)
    }
}

impl AddAssign<u64> for Cycle {
    #[inline]
    fn add_assign(&mut self, cycles: u64) {
        self.0 += cycles;
    }
}

impl Sub<u64> for Cycle {
    type Output = Self;

    #[inline]
    fn sub(self, cycles: u64) -> Self {
        Self(self.0 - cycles)
    }
}

impl Sub for Cycle {
    type Output = u64;

    #[inline]
    fn sub(self, earlier: Self) -> u64 {
        self.0 - earlier.0
    }
}

impl From<Cycle> for u64 {
    fn from(cycle: Cycle) -> Self {
        cycle.0
    }
}

impl From<Cycle> for serde_json::Value {
    fn from(cycle: Cycle) -> Self {
        cycle.0.into()
    }
}

impl fmt::Display for Cycle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_and_numbers_of_cycles_add_up() {
        let (begin, end) = (Cycle(7), Cycle(7) + 3);
        assert_eq!((end - begin, end - 3, end.saturating_since(begin)), (3, begin, 3));
        assert_eq!(end.checked_since(begin), Some(3));
        let mut now = begin;
        now += 3;
        assert_eq!(now, end);
        assert_eq!(begin.until(end).collect::<Vec<_>>(), [Cycle(7), Cycle(8), Cycle(9)]);
    }

    #[test]
    fn what_is_later_is_not_since() {
        assert_eq!(
            (Cycle(3).checked_since(Cycle(4)), Cycle(3).saturating_since(Cycle(4))),
            (None, 0)
        );
        assert_eq!(Cycle(4).until(Cycle(4)).count(), 0);
        assert_eq!(Cycle(5).saturating_add(u64::MAX), Cycle::NEVER);
        assert_eq!(
            [Cycle(5).saturating_sub(2), Cycle(5).saturating_sub(6)],
            [Cycle(3), Cycle::RESET]
        );
        assert_eq!([Cycle(5).abs_diff(Cycle(8)), Cycle(8).abs_diff(Cycle(5))], [3, 3]);
    }

    #[test]
    fn it_is_written_as_its_number() {
        assert_eq!(format!("{}, {:>4}", Cycle(12), Cycle(3)), "12,    3");
    }
}
