//! One question to the solver: is there a schedule of this problem?

use super::budget::Budget;
use super::encode::{Encoded, Names};
use super::problem::Problem;
use super::theory::Machine;
use crate::place::Times;
use batsat::{Lit, SolverInterface, lbool};

/// The answer of the solver.
#[derive(Clone, Debug)]
pub(crate) enum Outcome {
    /// A schedule: the time of each operation.
    Found(Times),
    /// There is none.
    Impossible,
    /// The solver gave up.
    Open,
}

/// Work that an answer took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Spent {
    pub(crate) variables: u64,
    pub(crate) clauses: u64,
    pub(crate) conflicts: u64,
    pub(crate) propagations: u64,
}

/// Largest problem, in clauses.
const MOST_CLAUSES: i64 = 40_000_000;

/// Looks for a schedule, and comes to at most this number of conflicts. The solver begins at the times `seed`, where there are any,
/// and in each turn with another order.
pub(crate) fn solve(
    problem: &Problem,
    seed: Option<&Times>,
    (conflicts, turn): (u64, u32),
) -> (Outcome, Spent) {
    if problem.size() > MOST_CLAUSES {
        return (Outcome::Open, Spent::default());
    }
    let budget = Budget::new(u64::MAX);
    let Encoded { mut solver, names, truth, n_clauses, .. } =
        Encoded::new(problem, budget.clone(), turn);
    let mut machine = Machine::new(problem, &names, truth);
    budget.set(conflicts);
    let mut answer = lbool::UNDEF;
    if let Some(seed) = seed {
        // The solver remembers what it was told to assume, as what to try first.
        answer = solver.solve_limited_th(&mut machine, &assumed(problem, &names, seed));
    }
    if answer != lbool::TRUE && solver.is_ok() {
        answer = solver.solve_limited_th(&mut machine, &[]);
    }
    let spent = Spent {
        variables: solver.num_vars().into(),
        clauses: n_clauses as u64,
        conflicts: conflicts - budget.left(),
        propagations: solver.num_propagations(),
    };
    let outcome = if answer == lbool::TRUE {
        let is_true = |literal| solver.value_lit(literal) == lbool::TRUE;
        Outcome::Found(names.times(is_true))
    } else if !solver.is_ok() || answer == lbool::FALSE {
        Outcome::Impossible
    } else {
        Outcome::Open
    };
    (outcome, spent)
}

/// Returns the literals of these times the earliest first.
fn assumed(problem: &Problem, names: &Names, times: &Times) -> Vec<Lit> {
    let mut order: Vec<usize> = (0..times.len()).collect();
    order.sort_by_key(|&op| (times[op], op));
    let literals = order.into_iter().flat_map(|op| {
        let (first, last) = problem.windows[op];
        let time = times[op].clamp(first, last);
        let later = names.not_before(op, time + 1).map(|l| !l);
        [names.not_before(op, time), later].into_iter().filter_map(Result::ok)
    });
    literals.collect()
}
