//! Runs of multigrid on a machine: a class of NPB MG in one of its forms, or an operator alone.

use super::alone::{self, KernelAlone};
use super::form::OperatorForm;
use super::levels::Task;
use super::npb::{Class, right_side};
use super::plan;
use super::program::{Plan, Program};
use super::reference::norm;
use crate::host::pages::{self, Chain};
use crate::host::{Host, StepBound};
use cp2_emu::MachineConfig;
use cp2_kernels::multigrid::{GridBlock, GridKernel};
use cp2_session::Environment;
use cp2_session::cost::Cost;
use cp2_session::error::KernelError;
use cp2_session::execution::Execution;
use std::sync::OnceLock;

/// Problem that [`run`] solves: a class of the benchmark NPB MG, and the form in which the operators of its V-cycles
/// are applied.
#[derive(Clone, Debug)]
pub struct MultigridProblem {
    /// Class of NPB MG that is solved.
    pub class: Class,
    /// Form in which the operators of the finest grid are applied; `None` takes the one with the fewest predicted cycles.
    pub form: Option<OperatorForm>,
    /// Whether [`run`] also returns the solution u, and not only its residual.
    pub wants_solution: bool,
    /// Environment that keeps the points of the right side that are not 0 from run to run.
    environment: Environment,
    /// The right side, once it was asked for.
    v: OnceLock<Vec<f32>>,
}

impl MultigridProblem {
    /// Creates the problem of a class in a form, or in the best one. The environment keeps the points of the right side that
    /// are +1 or -1 from run to run.
    pub fn new(
        environment: &Environment,
        class: Class,
        form: Option<OperatorForm>,
        wants_solution: bool,
    ) -> Self {
        Self { class, form, wants_solution, environment: environment.clone(), v: OnceLock::new() }
    }

    /// Returns the right side v of A u = v at the points of the finest grid, x fastest. It is made when it is first
    /// asked for.
    pub fn v(&self) -> &[f32] {
        self.v.get_or_init(|| right_side(&self.environment, self.class.points()))
    }
}

/// Results and cost of a run of the benchmark NPB MG by [`run`] on CP2 with its DMA channel and system memory.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// Class of NPB MG that was solved.
    pub class: Class,
    /// Form in which the operators of the finest grid were applied.
    pub form: OperatorForm,
    /// Residual v - A u after the last V-cycle, at the points of the finest grid, x fastest.
    pub residual: Vec<f32>,
    /// Root of the mean square of the residual over all points.
    pub norm: f64,
    /// The solution u after the last V-cycle, x fastest; `None` if the problem does not want it.
    pub solution: Option<Vec<f32>>,
    /// Number of pages (the data that lie in one part of local memory at once) to which a kernel of CP2 went on by
    /// itself, without a command of the host.
    pub device_driven_pages: usize,
    /// Number of bundles that were sent to instruction memory in the course of the run, while CP2 was idle.
    pub bundles: usize,
    /// Bound of the rate of the run, found step by step: in each step the kernels of a page run beside the transfers of
    /// its neighbours.
    pub steps: StepBound,
    /// Cost of the run: its cycles, transfers, operations and activities; the right side is in system memory before it
    /// begins. The number of vectors in it is the number of V-cycles.
    pub cost: Cost,
}

impl AsRef<Cost> for Report {
    fn as_ref(&self) -> &Cost {
        &self.cost
    }
}

/// Solves a problem of NPB MG on a simulated machine (CP2, its DMA channel and system memory) with the configuration
/// `config`. `progress` is called with the number of predicted cycles done so far and of all.
///
/// # Errors
/// The memory of the machine does not hold the grids, its core cannot run the kernels, or a kernel or a transfer does
/// not end.
pub fn run(
    config: MachineConfig,
    problem: &MultigridProblem,
    execution: &Execution,
    progress: &mut dyn FnMut(usize, usize),
) -> Result<Report, KernelError> {
    let &MultigridProblem { class, form, wants_solution, .. } = problem;
    pages::check(config.core())?;
    let mut host = Host::new(config, execution);
    let (form, levels, images) = plan::choose(&mut host, class, form)?;
    host.make_arrays_ahead();
    let program = Program::new(&mut host, class, &images, &levels)?;
    // A caller that checks the result needs the right side at once, and has made it by now.
    levels.v.write(&mut host, problem.v())?;
    let bundles = program.run(&mut host, progress)?;
    let finest = levels.finest();
    let is_turned = form != OperatorForm::Plain && !class.iterations().is_multiple_of(2);
    let last = if is_turned { &levels.turned() } else { &levels };
    let steps = (class.iterations(), program.pages());
    let dma = host.machine().dma.stats();
    let bound = StepBound::new(host.config(), &program.least(), dma, class.operations());
    let cost = host.cost(class.operations(), steps, program.least_cycles());
    let device_driven_pages = program.device_driven_pages();
    let residual = levels.r[finest].read(&host)?;
    let solution = wants_solution.then(|| last.u[finest].read(&host)).transpose()?;
    // To free the memory of a host takes as long as the norm.
    let ((), norm) = execution.environment.both(|| drop((program, host)), || norm(&residual));
    Ok(Report {
        class,
        form,
        residual,
        norm,
        solution,
        device_driven_pages,
        bundles,
        steps: bound,
        cost,
    })
}

/// Result and cost of one multigrid operator on whole grids by [`apply`].
#[derive(Clone, Debug, PartialEq)]
pub struct Applied {
    /// Points of the grid of results, x fastest.
    pub output: Vec<f32>,
    /// Cost of the operator: its cycles, transfers, operations and activities. All blocks of the grids are moved and
    /// the kernel is sent to instruction memory, but no faces of the result are copied to make it periodic.
    pub cost: Cost,
}

impl AsRef<Cost> for Applied {
    fn as_ref(&self) -> &Cost {
        &self.cost
    }
}

/// Applies one operator to whole periodic grids on a simulated machine (CP2, its DMA channel and system memory) with
/// the configuration `config`. The operands, x fastest, are `faced`, the grid that is read in blocks with faces (the
/// points around them), of n points along each axis, and `plain`, the one without (such as v of the residual v - A u),
/// of [`outer_points`] points along each axis; `plain` does not count if the kernel has no such operand. `progress` is
/// called with the number of predicted cycles done so far and of all.
///
/// # Errors
/// A grid of this size cannot be cut into blocks that the kernel takes, the memory of the machine does not hold the
/// grids, or a kernel or a transfer does not end.
pub fn apply(
    config: MachineConfig,
    kernel: GridKernel,
    (n, faced, plain): (usize, &[f32], &[f32]),
    execution: &Execution,
    progress: &mut dyn FnMut(usize, usize),
) -> Result<Applied, KernelError> {
    pages::check(config.core())?;
    let mut host = Host::new(config, execution);
    let by = KernelAlone::choose(&mut host, kernel, n)?;
    let grids = alone::grids(&mut host, kernel, n)?;
    grids.faced.write(&mut host, faced)?;
    if kernel.takes_plain() {
        grids.plain.write(&mut host, plain)?;
    }
    let installed = by.install(&mut host, n)?;
    host.send_bundles(&installed.image)?;
    let tasks = [Task::One(kernel, grids)];
    let Plan { groups, least_cycles: least } = Plan::new(&installed, &tasks)?;
    let chain = Chain::new(&mut host, &groups)?;
    let (all, cycles) = (chain.pages, chain.predicted_cycles);
    chain.run(&mut host, &mut |done| progress(done, cycles))?;
    let output = grids.result.read(&host)?;
    let operations = operations(kernel, n);
    Ok(Applied { output, cost: host.cost(operations, (1, all), least) })
}

/// Returns the number of points along each axis of the grid of a kernel's result, which is also the size of its operand
/// without faces, if the grid that it reads with faces (the points around each block) has `n` points along each axis: n
/// / 2 for projections, 2 n for interpolations, else n.
pub fn outer_points(kernel: GridKernel, n: usize) -> usize {
    kernel.outer(GridBlock::new(n, n, n)).n1
}

/// Returns the number of floating-point operations of a kernel on a grid of n points along each axis as the published
/// source \[D\] counts them: for each of the n^3 points 31 of `resid` and `smooth`, 30 of `smooth0`, 35 of `interp` and
/// 27 of `interp0`; 30 for each of the n^3 / 8 results of `proj`; 0 for `norm`.
pub fn operations(kernel: GridKernel, n: usize) -> u64 {
    let points = n.pow(3) as u64;
    match kernel.special() {
        GridKernel::Resid | GridKernel::Smooth => 31 * points,
        GridKernel::Smooth0 => 30 * points,
        GridKernel::Proj => 30 * points / 8,
        GridKernel::Interp => 35 * points,
        GridKernel::Interp0 => 27 * points,
        _ => 0,
    }
}
