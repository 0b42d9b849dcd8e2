//! Conjugate gradients: the power method of NPB CG around 25 steps, and the solver of a system.

use super::machine::{DirectionMethod, Machine};
use crate::host::Host;
use crate::sparse::{ProductPlan, Statistics};
use cp2_emu::MachineConfig;
use cp2_kernels::sparse::matrices::CgClass;
use cp2_kernels::sparse::{RowOrder, order_of};
use cp2_session::cost::Cost;
use cp2_session::error::KernelError;
use cp2_session::execution::Execution;
use cp2_session::sparse::{Csr, SparseError};
use cp2_session::workload::Listener;

/// Steps of an outer iteration of NPB CG.
pub(super) const STEPS: usize = 25;

/// Limits at which the solver ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SolverLimits {
    /// Norm of the residual, relative to that of the right side, at which the solver ends.
    pub tolerance: f64,
    /// Most steps of the solver.
    pub steps: usize,
}

/// Problem to be solved: a class of NPB CG or a system of equations.
#[derive(Clone, Debug, PartialEq)]
pub enum CgProblem {
    /// A class of NPB CG.
    Class(CgClass),
    /// A system of equations with a given right side.
    System {
        /// The right side.
        b: Vec<f32>,
        /// Limits at which the solver ends.
        limits: SolverLimits,
    },
}

/// Result and cost of a run of conjugate gradients.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// The solution; for NPB CG, that of the last outer iteration.
    pub x: Vec<f32>,
    /// Number of steps that were taken.
    pub steps: usize,
    /// The norm of the residual relative to the right side, before the first step and after each, as the steps compute it;
    /// for NPB CG, the norm of b - A z after each outer iteration.
    pub residuals: Vec<f64>,
    /// Zeta after each outer iteration of NPB CG; empty for a system.
    pub zetas: Vec<f64>,
    /// The form of the matrix.
    pub plan: ProductPlan,
    /// Way in which the steps made their directions.
    pub form: DirectionMethod,
    /// Sizes of the matrix in its form.
    pub statistics: Statistics,
    /// Cost of the run.
    pub cost: Cost,
}

impl AsRef<Cost> for Report {
    fn as_ref(&self) -> &Cost {
        &self.cost
    }
}

/// Returns the order in which rows and columns lie in memory: rows of like length together.
pub fn order(matrix: &Csr) -> Vec<usize> {
    order_of(matrix, RowOrder::Sorted)
}

/// Refuses a matrix that is not square or not symmetric.
pub fn check(matrix: &Csr) -> Result<(), KernelError> {
    let (rows, columns) = (matrix.rows(), matrix.columns());
    if rows != columns {
        return Err(SparseError::NotSquare { rows, columns }.into());
    }
    match matrix.asymmetry() {
        None => Ok(()),
        Some((row, column, values)) => {
            Err(SparseError::NotSymmetric { row, column, values }.into())
        }
    }
}

/// Returns the operations of a problem: for NPB CG by its own count; for a system, in each step two for an entry and ten for
/// a row.
fn operations(problem: &CgProblem, matrix: &Csr, steps: usize) -> u64 {
    match problem {
        CgProblem::Class(class) => {
            let row = class.nonzer * (class.nonzer + 1);
            let of_outer = 3 + row + STEPS * (5 + row) + 3;
            (2 * class.iterations * class.order * of_outer) as u64
        }
        CgProblem::System { .. } => (steps * (2 * matrix.nonzeros() + 10 * matrix.rows())) as u64,
    }
}

/// Solves a problem with a matrix, its rows and columns in the order `order` gives, by steps of one kind or of the faster
/// one; `listener` is told how many steps of how many are done.
///
/// # Errors
/// A matrix that is not symmetric, or, of a system, not positive definite; a machine whose memory does not hold it.
pub fn run(
    config: MachineConfig,
    matrix: &Csr,
    problem: &CgProblem,
    (plan, steps): (&ProductPlan, Option<DirectionMethod>),
    execution: &Execution,
    listener: &mut dyn Listener,
) -> Result<Report, KernelError> {
    check(matrix)?;
    let order = order(matrix);
    let host = Host::new(config, execution);
    let mut machine = Machine::new(host, &matrix.reordered(&order), (plan, steps), listener)?;
    let mut report = match problem {
        CgProblem::Class(class) => power_method(&mut machine, class, plan, listener)?,
        CgProblem::System { b, limits } => {
            let sorted: Vec<f32> = order.iter().map(|&row| b[row]).collect();
            solve(&mut machine, &sorted, *limits, plan, listener)?
        }
    };
    let sorted = machine.solution()?;
    report.x = vec![0.0; sorted.len()];
    order.iter().zip(sorted).for_each(|(&row, value)| report.x[row] = value);
    let operations = operations(problem, matrix, report.steps);
    let pages = (report.steps, machine.pages);
    report.cost = machine.host.cost(operations, pages, machine.least_cycles);
    Ok(report)
}

/// Returns a report without any steps yet.
fn empty(machine: &Machine, plan: &ProductPlan) -> Report {
    Report {
        x: Vec::new(),
        steps: 0,
        residuals: Vec::new(),
        zetas: Vec::new(),
        plan: *plan,
        form: machine.steps(),
        statistics: machine.operator.statistics,
        cost: machine.host.cost(0, (0, 0), 0.0),
    }
}

/// Divides; a quotient that is not finite is an error of the step.
fn quotient(above: f32, below: f32, step: usize) -> Result<f32, KernelError> {
    let quotient = above / below;
    if quotient.is_finite() {
        return Ok(quotient);
    }
    Err(SparseError::Quotient { step, above, below }.into())
}

fn power_method(
    machine: &mut Machine,
    class: &CgClass,
    plan: &ProductPlan,
    listener: &mut dyn Listener,
) -> Result<Report, KernelError> {
    let mut report = empty(machine, plan);
    machine.set_right_side(&vec![1.0; class.order])?;
    for outer in 0..class.iterations {
        let (mut rho, mut turn) = (machine.begin()?, None);
        for step in 1..=STEPS {
            let next = {
                let curvature = machine.along(turn)?;
                machine.step(quotient(rho, curvature, step)?)?
            };
            turn = Some(quotient(next, rho, step)?);
            rho = next;
            report.steps += 1;
            let all = class.iterations * STEPS;
            machine.host.tell(report.steps, &mut |steps| listener.progress(steps, all));
        }
        report.residuals.push(f64::from(machine.residual()?).sqrt());
        let (b, z) = (machine.at.b, machine.at.z);
        let (along, square) = (machine.dot(b, z)?, machine.dot(z, z)?);
        report.zetas.push(class.shift + 1.0 / f64::from(along));
        if outer + 1 < class.iterations {
            machine.scale(quotient(1.0, square.sqrt(), STEPS)?)?;
        }
    }
    Ok(report)
}

fn solve(
    machine: &mut Machine,
    b: &[f32],
    limits: SolverLimits,
    plan: &ProductPlan,
    listener: &mut dyn Listener,
) -> Result<Report, KernelError> {
    let mut report = empty(machine, plan);
    machine.set_right_side(b)?;
    let (mut rho, mut turn) = (machine.begin()?, None);
    let first = f64::from(rho).sqrt();
    let relative = |rho: f32| if first == 0.0 { 0.0 } else { f64::from(rho).sqrt() / first };
    report.residuals.push(relative(rho));
    while relative(rho) > limits.tolerance && report.steps < limits.steps {
        let step = report.steps + 1;
        let curvature = machine.along(turn)?;
        if curvature <= 0.0 {
            return Err(SparseError::NotDefinite { curvature, step }.into());
        }
        let next = machine.step(quotient(rho, curvature, step)?)?;
        turn = Some(quotient(next, rho, step)?);
        rho = next;
        report.steps = step;
        report.residuals.push(relative(rho));
        machine.host.tell(step, &mut |steps| listener.progress(steps, limits.steps));
    }
    Ok(report)
}
