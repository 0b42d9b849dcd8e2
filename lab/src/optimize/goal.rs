//! Goal of a search for the cheapest machine.

use crate::sweep::PointOutcome;

/// Goal of a search for the cheapest machine: the most time that the workload may take on it, in cycles or in
/// microseconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum TimeGoal {
    /// Most cycles of CP2 that the run of the workload may take.
    Cycles(u64),
    /// Most microseconds that the run of the workload may take.
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
