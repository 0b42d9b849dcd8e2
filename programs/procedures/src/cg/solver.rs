//! Conjugate gradients: NPB CG, which is a power method whose every outer iteration takes 25 steps, and the solution of
//! a system.

use super::machine::{DirectionMethod, Machine};
use crate::host::Host;
use crate::sparse::{ProductPlan, Statistics};
use cp2_emu::MachineConfig;
use cp2_kernels::sparse::matrices::CgClass;
use cp2_kernels::sparse::{RowOrder, order_of};
use cp2_recording::StepLevel;
use cp2_session::cost::Cost;
use cp2_session::error::KernelError;
use cp2_session::execution::Execution;
use cp2_session::sparse::{Csr, SparseError};
use cp2_session::workload::Listener;

/// Steps of an outer iteration of NPB CG.
pub(super) const STEPS: usize = 25;

/// Limits at which the steps of conjugate gradients for a system of equations end, whichever comes first.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SolverLimits {
    /// Largest norm of the residual, divided by that of the right side, at which the system counts as solved.
    pub tolerance: f64,
    /// Most steps of conjugate gradients that are taken.
    pub steps: usize,
}

/// Problem that [`run`] solves with a matrix: a class of NPB CG or a system of equations.
#[derive(Clone, Debug, PartialEq)]
pub enum CgProblem {
    /// NPB CG, a power method with the number of outer iterations and the shift of this class.
    Class(CgClass),
    /// System of equations A x = b, where A is the matrix.
    System {
        /// The right side, one number for each row of the matrix.
        b: Vec<f32>,
        /// Limits at which the steps of conjugate gradients end.
        limits: SolverLimits,
    },
}

/// Result and cost of a run of conjugate gradients by [`run`] on CP2 with its DMA channel and system memory.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// The solution of the system, in the order of the matrix; of NPB CG that of the last outer iteration.
    pub x: Vec<f32>,
    /// Number of steps of conjugate gradients that were taken; of NPB CG in all outer iterations together.
    pub steps: usize,
    /// Norms of the residual divided by that of the right side, before the first step and after each, as the steps
    /// compute them. Of NPB CG the norms of b - A z, not divided, one after each outer iteration for its right side b
    /// and solution z.
    pub residuals: Vec<f64>,
    /// Number zeta after each outer iteration of NPB CG; empty for a system.
    pub zetas: Vec<f64>,
    /// Plan for the products by the matrix: the form in which it was stored, and the predicted cycles of one product.
    pub plan: ProductPlan,
    /// Way in which the steps computed their directions.
    pub method: DirectionMethod,
    /// Sizes of the matrix in the form in which it was stored.
    pub statistics: Statistics,
    /// Cost of the run: its cycles, transfers, operations and activities; the number of vectors in it is the number of
    /// steps.
    pub cost: Cost,
}

impl AsRef<Cost> for Report {
    fn as_ref(&self) -> &Cost {
        &self.cost
    }
}

/// Returns the numbers of the rows of a matrix, from 0, in the order in which [`run`] puts its rows and columns to
/// system memory: longer rows first among each 4096 rows.
pub fn order(matrix: &Csr) -> Vec<usize> {
    order_of(matrix, RowOrder::Sorted)
}

/// Refuses a matrix that conjugate gradients do not take.
///
/// # Errors
/// The matrix is not square or not symmetric.
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

/// Solves a problem with a symmetric matrix by conjugate gradients on a simulated machine (CP2, its DMA channel and
/// system memory) with the configuration `config`. The matrix is stored by `plan`, with its rows and columns in the
/// order that [`order`] gives; `steps` is the way in which steps compute their directions, `None` for the faster one.
/// If the form of the matrix does not allow [`DirectionMethod::Fused`], the other way is used. `listener` is told the
/// number of steps done so far and of all steps. The right side of a system has one number for each row.
///
/// # Errors
/// The matrix is not square or not symmetric, or, of a system, not positive definite; a step gives a number that is not
/// finite; the memory of the machine does not hold the matrix and the vectors; or a kernel or a transfer does not end.
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
            let (elements, columns) = (b.len(), matrix.columns());
            if elements != columns {
                return Err(SparseError::Length { elements, columns }.into());
            }
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
        method: machine.steps(),
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
        machine.host.begin_step(StepLevel::Iteration, || format!("iteration {}", outer + 1));
        let (mut rho, mut turn) = (machine.begin()?, None);
        for step in 1..=STEPS {
            machine.host.begin_step(StepLevel::Inner, || format!("step {step}"));
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
        machine.host.end_step(StepLevel::Inner);
        report.residuals.push(f64::from(machine.residual()?).sqrt());
        let (b, z) = (machine.at.b, machine.at.z);
        let (along, square) = (machine.dot(b, z)?, machine.dot(z, z)?);
        report.zetas.push(class.shift + 1.0 / f64::from(along));
        if outer + 1 < class.iterations {
            machine.scale(quotient(1.0, square.sqrt(), STEPS)?)?;
        }
    }
    machine.host.end_step(StepLevel::Iteration);
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
        machine.host.begin_step(StepLevel::Iteration, || format!("step {step}"));
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
    machine.host.end_step(StepLevel::Iteration);
    Ok(report)
}
