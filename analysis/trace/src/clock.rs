//! The clock that converts cycles to times.

use cp2_isa::Cycle;

/// The clock frequency of CP2, by which a trace converts cycles to times.
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
    /// Creates a clock with a frequency of `mhz` MHz; 0 is taken as 1.
    pub fn of_mhz(mhz: u32) -> Self {
        Self { mhz: mhz.max(1) }
    }

    /// Returns the unit of times as a power of ten of a second: -9, -12 or -15 (ns, ps or fs), the coarsest in which a
    /// cycle is a whole number of units; -15 if it is a whole number in none.
    pub fn exponent(self) -> i8 {
        match () {
            () if 1000 % self.mhz == 0 => -9,
            () if 1_000_000 % self.mhz == 0 => -12,
            () => -15,
        }
    }

    /// Returns the time from reset to the begin of a cycle, in the unit of [`Clock::exponent`], rounded down.
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
