//! The least initiation interval of a small loop, found exactly by a SAT solver, to tell how far the
//! heuristic is from it. Dependences and slots count, the number of registers does not.

use super::deps::BlockProblem;
use super::place::Need;
use batsat::{BasicSolver, Lit, SolverInterface, lbool};
use std::cell::Cell;

/// Largest loop, in operations, that is given to the solver.
const MOST_OPERATIONS: usize = 48;

/// Largest problem, in clauses.
const MOST_CLAUSES: usize = 2_000_000;

/// Number of dead ends to which the solver may come in one problem.
const MOST_CONFLICTS: u32 = 20_000;

/// The least initiation interval of a loop (the cycles from the begin of one iteration to that of the next), as far as
/// the SAT solver of [`exact_intervals`](super::exact_intervals) found it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exact {
    /// The least interval in cycles: some schedule has it, and none has a smaller one.
    Least(i64),
    /// No answer: the loop is too large for the solver, or the solver gave up.
    Undecided,
}

/// Returns the least interval from `from` on, given that `found` is possible.
pub(super) fn least_interval(block: &BlockProblem, needs: &[Need], from: i64, found: i64) -> Exact {
    // No schedule is below what the registers of the loop's iterations allow.
    let from = from.max(block.recurrence_bounds().1);
    if needs.len() > MOST_OPERATIONS && from < found {
        return Exact::Undecided;
    }
    for ii in from..found {
        match Problem::new(block, needs, ii).and_then(|mut p| p.is_possible()) {
            Some(true) => return Exact::Least(ii),
            Some(false) => {}
            None => return Exact::Undecided,
        }
    }
    Exact::Least(found)
}

/// Whether a loop has a schedule of a given interval, as clauses. An operation's time is encoded by
/// variables "not before t", its cell modulo the interval by one variable each.
struct Problem {
    solver: BasicSolver,
    /// For each operation: its window and the variables "not before first + 1 + k".
    windows: Vec<(i64, Vec<Lit>)>,
    clauses: usize,
}

impl Problem {
    fn new(block: &BlockProblem, needs: &[Need], ii: i64) -> Option<Self> {
        let graph = &block.graph;
        let mut solver = BasicSolver::default();
        // The solver asks at every conflict.
        let conflicts = Cell::new(0);
        solver.cb_mut().set_stop(move || {
            conflicts.set(conflicts.get() + 1);
            conflicts.get() > MOST_CONFLICTS
        });
        let mut problem = Self { solver, windows: Vec::new(), clauses: 0 };
        for (first, last) in windows(block, ii)? {
            let order: Vec<Lit> = (first..last).map(|_| problem.variable()).collect();
            for pair in order.windows(2) {
                problem.clause(&[pair[0], !pair[1]]);
            }
            problem.windows.push((first, order));
        }
        for edge in &graph.edges {
            let weight = edge.latency - ii * edge.distance;
            problem.dependence(edge.from, edge.to, weight);
        }
        problem.slots(needs, ii);
        (problem.clauses <= MOST_CLAUSES).then_some(problem)
    }

    fn variable(&mut self) -> Lit {
        Lit::new(self.solver.new_var_default(), true)
    }

    fn clause(&mut self, literals: &[Lit]) {
        self.clauses += 1;
        if self.clauses <= MOST_CLAUSES {
            self.solver.add_clause_reuse(&mut literals.to_vec());
        }
    }

    /// Returns what stands for "`op` is not before `time`": a literal, or what is known without one.
    fn not_before(&self, op: usize, time: i64) -> Result<Lit, bool> {
        let (first, order) = &self.windows[op];
        match time - first - 1 {
            k if k < 0 => Err(true),
            k => order.get(k as usize).copied().ok_or(false),
        }
    }

    /// Demands that `to` is at least `weight` cycles after `from`.
    fn dependence(&mut self, from: usize, to: usize, weight: i64) {
        if from == to {
            if weight > 0 {
                self.clause(&[]);
            }
            return;
        }
        let (first, order) = (self.windows[from].0, self.windows[from].1.len() as i64);
        for time in first..=first + order {
            let clause = match (self.not_before(from, time), self.not_before(to, time + weight)) {
                (_, Err(true)) | (Err(false), _) => continue,
                (Ok(a), Ok(b)) => vec![!a, b],
                (Ok(a), Err(false)) => vec![!a],
                (Err(true), Ok(b)) => vec![b],
                (Err(true), Err(false)) => Vec::new(),
            };
            self.clause(&clause);
        }
    }

    /// Demands that no two operations are in one slot of a bundle, and no two predicates in one bundle.
    fn slots(&mut self, needs: &[Need], ii: i64) {
        let cells: Vec<Vec<Lit>> =
            needs.iter().map(|_| (0..ii).map(|_| self.variable()).collect()).collect();
        for (op, cells) in cells.iter().enumerate() {
            let (first, order) = (self.windows[op].0, self.windows[op].1.len() as i64);
            for time in first..=first + order {
                let mut clause = vec![cells[time.rem_euclid(ii) as usize]];
                match self.not_before(op, time) {
                    Ok(a) => clause.push(!a),
                    Err(true) => {}
                    Err(false) => continue,
                }
                if let Ok(later) = self.not_before(op, time + 1) {
                    clause.push(later);
                }
                self.clause(&clause);
            }
        }
        for (a, x) in needs.iter().enumerate() {
            for (b, y) in needs.iter().enumerate().skip(a + 1) {
                let predicates =
                    x.predicate.is_some() && y.predicate.is_some() && x.predicate != y.predicate;
                if x.exchange == y.exchange || predicates {
                    for (&x, &y) in cells[a].iter().zip(&cells[b]) {
                        self.clause(&[!x, !y]);
                    }
                }
            }
        }
    }

    fn is_possible(&mut self) -> Option<bool> {
        match self.solver.solve_limited(&[]) {
            value if value == lbool::TRUE => Some(true),
            value if value == lbool::FALSE => Some(false),
            _ => None,
        }
    }
}

/// Returns the first and the last cycle at which each operation needs to be looked for; `None` if the interval is below the
/// recurrence bound.
///
/// Every schedule can be changed, without changing which cells are taken, until no operation outside
/// of a cycle of dependences is a whole interval later than the ones before it demand. Operations on
/// cycles get an interval more each, which bounds how far a cycle stretches.
fn windows(block: &BlockProblem, ii: i64) -> Option<Vec<(i64, i64)>> {
    let graph = &block.graph;
    let count = graph.len();
    let mut first = vec![0_i64; count];
    for round in 0..=count {
        let mut changed = false;
        for edge in &graph.edges {
            let time = first[edge.from] + edge.latency - ii * edge.distance;
            if time > first[edge.to] {
                first[edge.to] = time;
                changed = true;
            }
        }
        if !changed {
            break;
        }
        if round == count {
            return None;
        }
    }
    // An edge over more iterations than any schedule has stages sets nothing.
    let carried = graph.edges.iter().filter(|e| (1..64).contains(&e.distance) && e.from != e.to);
    let slack =
        ii * (1 + carried.map(|e| e.to).collect::<std::collections::BTreeSet<_>>().len() as i64);
    let mut last = vec![0_i64; count];
    for op in 0..count {
        let before = graph.entering(op).iter().filter(|e| e.distance == 0);
        let demanded = before.map(|e| last[e.from] + e.latency).max().unwrap_or(0).max(first[op]);
        last[op] = demanded + ii - 1;
    }
    Some((0..count).map(|op| (first[op], last[op] + slack)).collect())
}
