//! What a search has to reach.

use crate::sweep::Outcome;

/// What has to be reached.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Goal {
    /// At most so many cycles.
    Cycles(u64),
    /// At most so many microseconds.
    Us(f64),
}

impl Goal {
    /// What of an outcome the goal speaks of, relative to it: at most 1 if it is reached.
    pub(super) fn share(self, outcome: &Outcome) -> Option<f64> {
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
