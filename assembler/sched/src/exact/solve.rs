//! One question to the solver: is there a schedule of this problem?

use super::budget::Budget;
use super::encode::{Encoded, Names};
use super::problem::{FileOf, Problem};
use super::theory::Machine;
use crate::place::Times;
use crate::registers::Allocation;
use batsat::{Lit, SolverInterface, lbool};
use cp2_isa::FprSet;

/// The answer of the solver.
#[derive(Clone, Debug)]
pub(crate) enum Outcome {
    /// A schedule: the time of each operation, and the registers if they were looked for.
    Found(Times, Option<Allocation>),
    /// There is none.
    Impossible,
    /// The solver gave up.
    Open,
}

/// What an answer took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Spent {
    pub(crate) variables: u64,
    pub(crate) clauses: u64,
    pub(crate) conflicts: u64,
    pub(crate) propagations: u64,
}

/// Largest problem, in clauses.
const MOST_CLAUSES: i64 = 40_000_000;

/// Looks for a schedule, and comes to at most this number of conflicts. The solver begins at the times `seed`, where there are any.
pub(crate) fn solve(problem: &Problem, seed: Option<Seed<'_>>, conflicts: u64) -> (Outcome, Spent) {
    if problem.size() > MOST_CLAUSES {
        return (Outcome::Open, Spent::default());
    }
    let budget = Budget::new(u64::MAX);
    let Encoded { mut solver, names, truth, n_clauses, .. } = Encoded::new(problem, budget.clone());
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
        let allocation = problem.file.as_ref().map(|file| allocation(file, &names, is_true));
        Outcome::Found(names.times(is_true), allocation)
    } else if !solver.is_ok() || answer == lbool::FALSE {
        Outcome::Impossible
    } else {
        Outcome::Open
    };
    (outcome, spent)
}

/// Where the solver begins: the times, and the registers if they are looked for too.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Seed<'a> {
    pub(crate) times: &'a Times,
    pub(crate) allocation: Option<&'a Allocation>,
}

/// Returns the literals of these times and registers, the earliest first.
fn assumed(problem: &Problem, names: &Names, seed: Seed<'_>) -> Vec<Lit> {
    let mut literals = Vec::new();
    if let (Some(file), Some(allocation)) = (&problem.file, seed.allocation) {
        let all = file.groups.iter().flat_map(|g| (0..file.unroll).map(move |u| (g, u)));
        for ((group, u), begins) in all.zip(&names.begins) {
            let base = allocation.registers[group[0]][u % allocation.unroll as usize];
            literals.extend(begins.iter().filter(|(b, _)| *b == base).map(|&(_, literal)| literal));
        }
    }
    let times = seed.times;
    let mut order: Vec<usize> = (0..times.len()).collect();
    order.sort_by_key(|&op| (times[op], op));
    literals.extend(order.into_iter().flat_map(|op| {
        let (first, last) = problem.windows[op];
        let time = times[op].clamp(first, last);
        let later = names.not_before(op, time + 1).map(|l| !l);
        [names.not_before(op, time), later].into_iter().filter_map(Result::ok)
    }));
    literals
}

fn allocation(file: &FileOf, names: &Names, is_true: impl Fn(Lit) -> bool) -> Allocation {
    let mut used = FprSet::EMPTY;
    let mut registers = vec![vec![0; file.unroll]; file.webs.len()];
    let all = file.groups.iter().flat_map(|g| (0..file.unroll).map(move |u| (g, u)));
    for ((group, u), begins) in all.zip(&names.begins) {
        let begin = begins.iter().find(|&&(_, literal)| is_true(literal));
        let base = begin.map_or(0, |&(base, _)| base);
        for (&web, register) in group.iter().zip(base..) {
            registers[web][u] = register;
            used |= FprSet::one(register);
        }
    }
    Allocation { unroll: file.unroll as i64, registers, used }
}
