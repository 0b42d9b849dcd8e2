//! Moments of one run of CP2.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::ops::{Add, Sub};

/// A moment in one run of CP2, counted in cycles from 0, the cycle in which the first bundle of the run issues. A run
/// lasts from there to its `stop`; on a machine with a control processor there may be many, one after the other, and
/// cycles between them belong to none. A moment that is counted from reset is a [`Cycle`](crate::Cycle); where a run
/// begins at reset both have the same number.
///
/// ```
/// # use cp2_isa::{Cycle, RunCycle};
/// let (issue, landing) = (RunCycle(4), RunCycle(4) + 10);
/// assert_eq!(landing - issue, 10);
/// assert_eq!(landing.since_reset((issue, Cycle(1004))), Cycle(1014));
/// ```
///
/// The two clocks do not mix:
///
/// ```compile_fail
/// # use cp2_isa::{Cycle, RunCycle};
/// let wait = Cycle(1004) - RunCycle(4);
/// ```
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[repr(transparent)]
pub struct RunCycle(pub u64);

impl RunCycle {
    /// Returns the same moment counted from reset. The argument is an earlier moment of the run, or this one, in both
    /// counts: `known` counted from the beginning of the run, `at` counted from reset.
    #[inline]
    pub fn since_reset(self, (known, at): (Self, crate::Cycle)) -> crate::Cycle {
        at + (self - known)
    }
}

impl Add<u64> for RunCycle {
    type Output = Self;

    #[inline]
    fn add(self, cycles: u64) -> Self {
        Self(self.0 + cycles)
    }
}

impl Sub for RunCycle {
    type Output = u64;

    #[inline]
    fn sub(self, earlier: Self) -> u64 {
        self.0 - earlier.0
    }
}

impl From<RunCycle> for serde_json::Value {
    fn from(cycle: RunCycle) -> Self {
        cycle.0.into()
    }
}

impl fmt::Display for RunCycle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Cycle;

    #[test]
    fn a_moment_of_a_run_has_its_place_since_reset() {
        let (known, at) = (RunCycle(3), Cycle(1003));
        assert_eq!(known.since_reset((known, at)), at);
        assert_eq!((known + 9).since_reset((known, at)), Cycle(1012));
        assert_eq!((known + 9 - known, format!("{known:>3}")), (9, "  3".to_owned()));
    }
}
