//! The least initiation interval of a loop, found by the solver, to tell how far the heuristic is from it. Dependences and
//! slots count, the number of registers does not.

use super::problem::Problem;
use super::solve::{Outcome, solve};
use crate::deps::BlockProblem;
use crate::place::Need;

/// Number of conflicts to which the solver may come for one interval.
const MOST_CONFLICTS: u64 = 20_000;

/// The least initiation interval of a loop (the cycles from the begin of one iteration to that of the next), as far as
/// the solver of [`exact_intervals`](crate::exact_intervals) found it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exact {
    /// The least interval in cycles: some schedule has it, and none has a smaller one.
    Least(i64),
    /// No answer: the loop is too large for the solver, or the solver gave up.
    Undecided,
}

/// Returns the least interval from `from` on, given that `found` is possible.
pub(crate) fn least_interval(block: &BlockProblem, needs: &[Need], from: i64, found: i64) -> Exact {
    // No schedule is below what the registers of the loop's iterations allow.
    let from = from.max(block.recurrence_bounds().1);
    for ii in from..found {
        let problem = Problem::unlimited(block, needs, ii);
        match problem.map(|problem| solve(&problem, None, MOST_CONFLICTS).0) {
            Some(Outcome::Found(..)) => return Exact::Least(ii),
            Some(Outcome::Impossible) | None => {}
            Some(Outcome::Open) => return Exact::Undecided,
        }
    }
    Exact::Least(found)
}
