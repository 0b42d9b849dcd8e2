//! Cycles as times.

use cp2_isa::Cycle;

/// The clock of CP2, by which traces give cycles as times.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Clock {
    mhz: u32,
}

impl Default for Clock {
    /// Returns a clock of 1000 MHz: a cycle is a nanosecond.
    fn default() -> Self {
        Self { mhz: 1000 }
    }
}

impl Clock {
    /// Creates a clock of so many MHz, 1 at least.
    pub fn of_mhz(mhz: u32) -> Self {
        Self { mhz: mhz.max(1) }
    }

    /// Returns the unit of times as a power of ten of a second: the coarsest of ns, ps and fs in which a cycle is a whole
    /// number; fs if a cycle is a whole number of none of them.
    pub fn exponent(self) -> i8 {
        match () {
            () if 1000 % self.mhz == 0 => -9,
            () if 1_000_000 % self.mhz == 0 => -12,
            () => -15,
        }
    }

    /// Returns the time of the begin of a cycle since reset, rounded down.
    pub fn time(self, cycle: Cycle) -> u64 {
        let units = 1000_u128.pow((u32::from(self.exponent().unsigned_abs()) - 6) / 3);
        (u128::from(cycle.0) * units / u128::from(self.mhz)) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cycle_is_a_whole_number_of_the_coarsest_unit() {
        let of = |mhz| (Clock::of_mhz(mhz).exponent(), Clock::of_mhz(mhz).time(Cycle(3)));
        assert_eq!(of(1000), (-9, 3));
        assert_eq!(of(500), (-9, 6));
        assert_eq!(of(800), (-12, 3750));
        assert_eq!(of(1200), (-15, 2_500_000));
        // 1428571.4 fs: rounded down, but never added up.
        assert_eq!(of(700), (-15, 4_285_714));
        assert_eq!(Clock::of_mhz(700).time(Cycle(7_000_000_000)), 10_000_000_000_000_000);
    }
}
