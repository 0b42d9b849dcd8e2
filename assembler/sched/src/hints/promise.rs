//! Promises as they are told: what a loop lacks, what each would win, and how they are written.

use cp2_ir::linear::{PLACES, place_name};
use std::fmt;

/// A promise that a loop of linear code lacks, and that would shorten its initiation interval, as [`hints`](super::hints()) finds it.
/// Its text is what the source would have to say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MissingPromise {
    /// `min=` of the loop: the least trip count that the author would promise.
    Min(u32),
    /// `multiple=` of the loop: a number that divides the trip count.
    Multiple(u32),
    /// A `.disjoint` with these numbers of address sets, as in [`Region::disjoint`](cp2_ir::linear::Region::disjoint).
    Disjoint(Vec<u8>),
    /// An `.even` with these numbers of address sets.
    Even(Vec<u8>),
}

impl fmt::Display for MissingPromise {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = |sets: &[u8]| {
            let name = |&s: &u8| place_name(s);
            sets.iter().map(name).collect::<Vec<_>>().join(", ")
        };
        match self {
            Self::Min(n) => write!(f, "min={n}"),
            Self::Multiple(n) => write!(f, "multiple={n}"),
            Self::Disjoint(sets) => write!(f, ".disjoint {}", list(sets)),
            Self::Even(sets) => write!(f, ".even {}", list(sets)),
        }
    }
}

/// A hint for the author of a loop: promises that would shorten its initiation interval (the cycles from the begin of
/// one iteration to that of the next), and to what.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hint {
    /// Promises that the source would have to add, all of them together.
    pub promises: Vec<MissingPromise>,
    /// Lower bound of the loop's interval with the promises, in cycles: the greater one of resource and recurrence
    /// bound.
    pub bound: i64,
    /// Interval, in cycles, of the schedule that the loop has with the promises; `None` if the work that trials may take did
    /// not suffice for that schedule.
    pub ii: Option<i64>,
}

/// The hints for one innermost loop, as [`hints`](super::hints()) finds them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoopHints {
    /// Promises that would shorten the loop's interval, alternatives to each other; empty if none was found.
    pub hints: Vec<Hint>,
    /// Whether all promises were tried; if not, the work that trials may take did not suffice, and further promises may
    /// help.
    pub is_complete: bool,
}

/// Promises about memory: pairs of sets, and even ones.
#[derive(Clone, Debug, Default)]
pub(super) struct Memory {
    pub(super) apart: Vec<(u8, u8)>,
    pub(super) even: Vec<u8>,
}

impl Memory {
    /// Whether nothing is promised.
    pub(super) fn is_empty(&self) -> bool {
        self.apart.is_empty() && self.even.is_empty()
    }

    /// Returns the promises as they are written: sets that are all apart stand in one line.
    pub(super) fn missing(&self) -> Vec<MissingPromise> {
        let mut left = self.apart.clone();
        let mut lines = Vec::new();
        while let Some(&(a, b)) = left.first() {
            let mut line = vec![a, b];
            let known = |x: u8, y: u8| self.apart.contains(&(x.min(y), x.max(y)));
            for set in 0..PLACES as u8 {
                if !line.contains(&set) && line.iter().all(|&other| known(set, other)) {
                    line.push(set);
                }
            }
            line.sort_unstable();
            left.retain(|(x, y)| !(line.contains(x) && line.contains(y)));
            lines.push(MissingPromise::Disjoint(line));
        }
        if !self.even.is_empty() {
            lines.push(MissingPromise::Even(self.even.clone()));
        }
        lines
    }
}
