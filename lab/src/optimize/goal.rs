//! Goal of a search for the cheapest machine.

use crate::sweep::PointOutcome;

/// Goal of a search: the time that a workload takes at most.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum TimeGoal {
    /// The workload takes at most this number of cycles.
    Cycles(u64),
    /// The workload takes at most this number of microseconds.
    Us(f64),
}

impl TimeGoal {
    /// Returns the time of an outcome, relative to the goal: at most 1 if the goal is reached.
    pub(super) fn share(self, outcome: &PointOutcome) -> Option<f64> {
        match self {
            Self::Cycles(cycles) => outcome.cycles.map(|n| n as f64 / cycles as f64),
            Self::Us(us) => outcome.us.map(|n| n / us),
        }
    }

    pub(super) fn text(self) -> String {
        match self {
            Self::Cycles(cycles) => format!("{cycles} cycles"),
            Self::Us(us) => format!("{us} us"),
        }
    }
}
