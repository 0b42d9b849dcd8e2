//! From a problem to clauses: the time of an operation as variables "not before t", one for each cycle of its window, and its
//! row of the interval as one variable each. Dependences are clauses of two literals, one for each cycle. What clauses would
//! say at too great a length, slots and registers, is in `theory`.

use super::budget::Budget;
use super::problem::Problem;
use batsat::{Lit, Solver, SolverInterface, SolverOpts, Var, lbool};
use std::collections::BTreeSet;

/// Meaning of a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Meaning {
    /// The operation issues in this cycle or later.
    NotBefore { op: u32, time: i32 },
    /// The operation issues in this row of the interval.
    Row { op: u32, row: u32 },
    /// No meaning for slots or registers.
    Other,
}

/// The variables of a problem.
#[derive(Clone, Debug, Default)]
pub(super) struct Names {
    pub(super) meaning: Vec<Meaning>,
    /// By operation: first cycle of its window, and the variable of "not before" the cycle after it.
    order: Vec<(i64, u32)>,
    /// By operation: the variable of the row of its first cycle; those of the next rows follow.
    rows: Vec<u32>,
    windows: Vec<(i64, i64)>,
    ii: i64,
}

fn literal(variable: u32) -> Lit {
    Lit::new(Var::unsafe_from_idx(variable), true)
}

impl Names {
    /// Returns what stands for "`op` is not before `time`": a literal, or what is known without one.
    pub(super) fn not_before(&self, op: usize, time: i64) -> Result<Lit, bool> {
        let (first, last) = self.windows[op];
        if time <= first {
            return Err(true);
        }
        if time > last {
            return Err(false);
        }
        Ok(literal(self.order[op].1 + (time - first - 1) as u32))
    }

    /// Returns the literal of "`op` issues in the row of `time`", which is in its window.
    pub(super) fn row(&self, op: usize, time: i64) -> Lit {
        let behind = (time - self.windows[op].0).rem_euclid(self.ii);
        literal(self.rows[op] + behind as u32)
    }

    /// Returns the operation times of a model.
    pub(super) fn times(&self, value: impl Fn(Lit) -> bool) -> Vec<i64> {
        let time = |op: usize| {
            let (first, last) = self.windows[op];
            let reached = |&t: &i64| self.not_before(op, t).map_or_else(|known| known, &value);
            (first + 1..=last).take_while(reached).last().unwrap_or(first)
        };
        (0..self.windows.len()).map(time).collect()
    }
}

/// Returns the options of a solver: in a later turn it begins with another order of variables.
fn options(turn: u32) -> SolverOpts {
    let standard = SolverOpts::default();
    let random_seed = standard.random_seed + 7919.0 * f64::from(turn);
    SolverOpts { random_seed, rnd_init_act: turn > 0, ..standard }
}

/// A solver with the clauses of a problem.
pub(super) struct Encoded {
    pub(super) solver: Solver<Budget>,
    pub(super) names: Names,
    /// A literal that is true.
    pub(super) truth: Lit,
    pub(super) n_clauses: usize,
    clause: Vec<Lit>,
}

impl Encoded {
    pub(super) fn new(problem: &Problem, budget: Budget, turn: u32) -> Self {
        let solver = Solver::new(options(turn), budget);
        let names = Names { windows: problem.windows.clone(), ii: problem.ii, ..Names::default() };
        let (truth, clause) = (literal(0), Vec::new());
        let mut encoded = Self { solver, names, truth, n_clauses: 0, clause };
        encoded.variable(Meaning::Other, true);
        encoded.add(&[Ok(truth)]);
        for op in 0..problem.windows.len() {
            encoded.order(op);
        }
        for op in 0..problem.windows.len() {
            encoded.rows(op);
        }
        let mut edges = BTreeSet::new();
        for edge in &problem.edges {
            let weight = problem.weight(edge);
            if edge.from != edge.to && edges.insert((edge.from, edge.to, weight)) {
                encoded.dependence(edge.from, edge.to, weight);
            }
        }
        encoded
    }

    fn variable(&mut self, meaning: Meaning, is_decided: bool) -> u32 {
        let variable = self.solver.new_var(lbool::UNDEF, is_decided);
        self.names.meaning.push(meaning);
        variable.idx()
    }

    fn add(&mut self, literals: &[Result<Lit, bool>]) {
        self.clause.clear();
        for literal in literals {
            match *literal {
                Ok(literal) => self.clause.push(literal),
                Err(true) => return,
                Err(false) => {}
            }
        }
        self.n_clauses += 1;
        self.solver.add_clause_reuse(&mut self.clause);
    }

    fn order(&mut self, op: usize) {
        let (first, last) = self.names.windows[op];
        let base = self.solver.num_vars();
        for time in first + 1..=last {
            self.variable(Meaning::NotBefore { op: op as u32, time: time as i32 }, true);
        }
        self.names.order.push((first, base));
        for time in first + 1..last {
            let pair = [time, time + 1].map(|t| self.names.not_before(op, t));
            self.add(&[pair[0], not(pair[1])]);
        }
    }

    /// Adds the rows of an operation: the one in which it issues is true.
    fn rows(&mut self, op: usize) {
        let (first, last) = self.names.windows[op];
        let (base, ii) = (self.solver.num_vars(), self.names.ii);
        for time in first..=last.min(first + ii - 1) {
            let row = time.rem_euclid(ii) as u32;
            self.variable(Meaning::Row { op: op as u32, row }, false);
        }
        self.names.rows.push(base);
        for time in first..=last {
            let (now, later) =
                (self.names.not_before(op, time), self.names.not_before(op, time + 1));
            let row = Ok(self.names.row(op, time));
            self.add(&[row, not(now), later]);
            if last - first < ii {
                self.add(&[not(row), now]);
                self.add(&[not(row), not(later)]);
            }
        }
    }

    /// Demands that `to` is at least `weight` cycles after `from`.
    fn dependence(&mut self, from: usize, to: usize, weight: i64) {
        let (first, last) = self.names.windows[from];
        for time in first..=last {
            let (now, then) =
                (self.names.not_before(from, time), self.names.not_before(to, time + weight));
            self.add(&[not(now), then]);
            if then == Err(false) {
                // Later cycles of `from` say the same.
                return;
            }
        }
    }
}

fn not(literal: Result<Lit, bool>) -> Result<Lit, bool> {
    literal.map(|l| !l).map_err(|known| !known)
}
