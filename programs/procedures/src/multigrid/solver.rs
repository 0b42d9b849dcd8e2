//! Runs of multigrid on a machine: a class of NPB MG in one of its forms, or an operator alone.

use super::form::OperatorForm;
use super::grid::Grid;
use super::installed::{Installed, Joined};
use super::levels::{Levels, Task};
use super::npb::{Class, charges};
use super::operator::{Grids, frame_alone};
use super::program::{Plan, Program};
use super::reference::norm;
use crate::host::pages::{self, Chain};
use crate::host::{Host, StepBound};
use cp2_emu::MachineConfig;
use cp2_emu::machine::Key;
use cp2_kernels::multigrid::fused::Onto;
use cp2_kernels::multigrid::{GridBlock, GridKernel};
use cp2_session::Environment;
use cp2_session::cost::Cost;
use cp2_session::error::KernelError;
use cp2_session::execution::Execution;
use std::sync::OnceLock;

/// A problem to be solved, and the form in which it is solved.
#[derive(Clone, Debug)]
pub struct MultigridProblem {
    /// Class of NPB MG.
    pub class: Class,
    /// Form of the operators of the finest grid.
    pub form: OperatorForm,
    /// Whether the solution is returned beside the residual.
    pub wants_solution: bool,
    /// Environment that keeps the places of the charges from run to run.
    environment: Environment,
    /// The right side, once it was asked for.
    v: OnceLock<Vec<f32>>,
}

impl MultigridProblem {
    /// Creates the problem of a class; the environment keeps the places of its charges.
    pub fn new(
        environment: &Environment,
        class: Class,
        form: OperatorForm,
        wants_solution: bool,
    ) -> Self {
        Self { class, form, wants_solution, environment: environment.clone(), v: OnceLock::new() }
    }

    /// Returns the right side, x fastest.
    pub fn v(&self) -> &[f32] {
        self.v.get_or_init(|| charges(&self.environment, self.class.points()))
    }
}

/// Results and cost of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// Class that was solved.
    pub class: Class,
    /// Form in which the operators of the finest grid were done.
    pub form: OperatorForm,
    /// The last residual, x fastest.
    pub residual: Vec<f32>,
    /// Root of the mean square of the last residual.
    pub norm: f64,
    /// The solution, if it is wanted.
    pub solution: Option<Vec<f32>>,
    /// Number of pages that CP2 turned itself.
    pub turned: usize,
    /// Number of bundles that were sent to instruction memory while CP2 stood still.
    pub bundles: usize,
    /// The bound of the page scheme step by step.
    pub steps: StepBound,
    /// Cost of the run: the data are in memory before.
    pub cost: Cost,
}

impl AsRef<Cost> for Report {
    fn as_ref(&self) -> &Cost {
        &self.cost
    }
}

/// Returns the form with the fewest predicted cycles of those that work on the finest grid in columns. The predictions follow
/// from the machine and the class, so the environment keeps them.
///
/// # Errors
/// A machine whose memory does not hold the grids, or that cannot run the kernels.
pub fn best_form(
    environment: &Environment,
    config: &MachineConfig,
    class: Class,
) -> Result<OperatorForm, KernelError> {
    let widest = OperatorForm::Wide.allowed(class.points(), config.core());
    if widest != OperatorForm::Wide {
        return Ok(widest);
    }
    let key = format!("predicted cycles of mg {class}, wide and fused\n{}", config.dump());
    let cycles = environment.numbers_of(&key, 2, || {
        let predicted = |form: OperatorForm| predicted_cycles(environment, config, class, form);
        let (wide, fused) =
            environment.both(|| predicted(OperatorForm::Wide), || predicted(OperatorForm::Fused));
        Ok::<_, KernelError>(vec![wide?, fused?])
    })?;
    Ok(if cycles[0] < cycles[1] { OperatorForm::Wide } else { OperatorForm::Fused })
}

/// Predicts the cycles of a form on the finest grid: for each task, the larger of its transfers, one after the other, and of
/// its kernels.
fn predicted_cycles(
    environment: &Environment,
    config: &MachineConfig,
    class: Class,
    form: OperatorForm,
) -> Result<f64, KernelError> {
    let clock = f64::from(config.value(Key::CpuClock));
    let mut host = Host::new(config.clone(), &environment.execution(*config.core()));
    let levels = Levels::new(&mut host, class.points(), form)?;
    let columns = form.columns().into_iter();
    let joined = columns.flat_map(|of| [Joined::Fused(of, Onto::Old), Joined::Down(of)]);
    let joined: Vec<_> = joined.collect();
    let installed = Installed::new(&mut host, &[], &joined, GridKernel::operator)?;
    let mut cycles = 0.0;
    for task in levels.on_finest(false) {
        let Plan { groups, least_cycles } = Plan::new(&installed, &[task])?;
        let pages = groups.iter().flat_map(|group| &group.pages);
        let moved = pages.flat_map(|page| page.load.iter().chain(&page.unload));
        let us = host.rates().of_transfers(moved, &host.machine().memory);
        cycles += (us * clock).max(least_cycles);
    }
    Ok(cycles)
}

/// Solves a problem; `progress` is told how many of how many predicted cycles are done.
///
/// # Errors
/// A machine whose memory does not hold the grids, or that cannot run the kernels.
pub fn run(
    config: MachineConfig,
    problem: &MultigridProblem,
    execution: &Execution,
    progress: &mut dyn FnMut(usize, usize),
) -> Result<Report, KernelError> {
    let &MultigridProblem { class, form, wants_solution, .. } = problem;
    pages::check(config.core())?;
    let mut host = Host::new(config, execution);
    let form = form.allowed(class.points(), host.config().core());
    let levels = Levels::new(&mut host, class.points(), form)?;
    host.make_arrays_ahead();
    let program = Program::new(&mut host, (class, form), &levels)?;
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
    let turned = program.turned();
    let residual = levels.r[finest].read(&host)?;
    let solution = wants_solution.then(|| last.u[finest].read(&host)).transpose()?;
    // To free the memory of a host takes as long as the norm.
    let ((), norm) = execution.environment.both(|| drop((program, host)), || norm(&residual));
    Ok(Report { class, form, residual, norm, solution, turned, bundles, steps: bound, cost })
}

/// Result and cost of an operator.
#[derive(Clone, Debug, PartialEq)]
pub struct Applied {
    /// The result, x fastest.
    pub output: Vec<f32>,
    /// Cost of the operator: the kernel is sent to instruction memory and all blocks are moved, but no faces are copied.
    pub cost: Cost,
}

impl AsRef<Cost> for Applied {
    fn as_ref(&self) -> &Cost {
        &self.cost
    }
}

/// Applies one operator to periodic grids of any size that can be cut into blocks, n points along an axis of
/// the grid that is read with its faces.
///
/// # Errors
/// A size that the kernel does not take, or a machine whose memory does not hold the grids.
pub fn apply(
    config: MachineConfig,
    kernel: GridKernel,
    (n, faced, plain): (usize, &[f32], &[f32]),
    execution: &Execution,
    progress: &mut dyn FnMut(usize, usize),
) -> Result<Applied, KernelError> {
    pages::check(config.core())?;
    let mut host = Host::new(config, execution);
    let outer = outer_points(kernel, n);
    let grid = Grid::new(&mut host, n)?;
    let (other, result) = (Grid::new(&mut host, outer)?, Grid::new(&mut host, outer)?);
    grid.write(&mut host, faced)?;
    if kernel.takes_plain() {
        other.write(&mut host, plain)?;
    }
    let frames = [(kernel, frame_alone(kernel))];
    let installed = Installed::new(&mut host, &frames, &[], GridKernel::operator)?;
    host.send_bundles(&installed.image)?;
    let grids = Grids { faced: grid, plain: other, result, has_faces: false };
    let tasks = [Task::One(kernel, grids)];
    let Plan { groups, least_cycles: least } = Plan::new(&installed, &tasks)?;
    let chain = Chain::new(&mut host, &groups)?;
    let (all, cycles) = (chain.pages, chain.predicted_cycles);
    chain.run(&mut host, &mut |done| progress(done, cycles))?;
    let output = result.read(&host)?;
    let operations = operations(kernel, n);
    Ok(Applied { output, cost: host.cost(operations, (1, all), least) })
}

/// Returns the points along an axis of the result, and of the grid to which the kernel adds, for n points of the other grid.
pub fn outer_points(kernel: GridKernel, n: usize) -> usize {
    kernel.outer(GridBlock::new(n, n, n)).n1
}

/// Returns the operations on a grid by the counting of \[D\]: 31 for a point of `resid` and `smooth`, 30 of `smooth0`, 30 for
/// a coarse point of `proj`, 35 of `interp` and 27 of `interp0`.
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
