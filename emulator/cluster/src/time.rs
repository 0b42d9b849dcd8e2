//! The unit of time of all ranks and links.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::ops::{Add, AddAssign, Mul, Sub};

/// Moment or length of time in units of 1/84 ns, which divides the periods of 200, 600, 666.67, 700, 800, 1000 and 1200 MHz.
/// A moment counts from the begin of a run.
///
/// Sums and products that are too large come to [`LAST`](Tick::LAST), at which a run ends with an error.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
pub struct Tick(pub u64);

impl Tick {
    /// Number of ticks in a nanosecond.
    pub const PER_NS: u64 = 84;
    /// Number of ticks in a second.
    pub const PER_SECOND: u64 = Self::PER_NS * 1_000_000_000;
    /// Begin of a run.
    pub const ZERO: Self = Self(0);
    /// Moment that no run comes to, some seven years after its begin.
    pub const LAST: Self = Self(u64::MAX);

    /// Returns the period of a clock of so many MHz, `None` if it is no whole number of ticks.
    pub const fn period(mhz: u64) -> Option<Self> {
        let ticks = Self::PER_NS * 1000;
        if mhz > 0 && ticks.is_multiple_of(mhz) { Some(Self(ticks / mhz)) } else { None }
    }

    /// Returns the ticks that are nearest to so many nanoseconds, a number that is not negative.
    pub fn from_ns(ns: f64) -> Self {
        Self((ns * Self::PER_NS as f64).round() as u64)
    }

    /// Returns the time in nanoseconds.
    pub fn ns(self) -> f64 {
        self.0 as f64 / Self::PER_NS as f64
    }

    /// Returns the time in milliseconds.
    pub fn ms(self) -> f64 {
        self.ns() / 1e6
    }

    /// Returns the time from an earlier moment to this one; 0 if that one is later.
    #[must_use]
    pub const fn since(self, earlier: Self) -> Self {
        Self(self.0.saturating_sub(earlier.0))
    }
}

impl Add for Tick {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

impl AddAssign for Tick {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl Mul<Tick> for u64 {
    type Output = Tick;

    fn mul(self, time: Tick) -> Tick {
        Tick(self.saturating_mul(time.0))
    }
}

impl Sub for Tick {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        self.since(other)
    }
}

impl std::iter::Sum for Tick {
    fn sum<I: Iterator<Item = Self>>(all: I) -> Self {
        all.fold(Self::ZERO, Add::add)
    }
}

impl fmt::Display for Tick {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.1} ns", self.ns())
    }
}
