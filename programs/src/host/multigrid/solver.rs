//! V-cycles on a machine: grids of all levels, the kernels in instruction memory, one operator after
//! the other.

use super::faces;
use super::grid::Grid;
use super::npb::{Class, charges};
use super::operator::{Grids, Operation, Resident};
use crate::engine::Execution;
use crate::error::KernelError;
use crate::host::cost::Cost;
use crate::host::pages::{self, Chain, Group};
use crate::host::session::Host;
use crate::multigrid::sized::{Frames, cycle, frame, source};
use crate::multigrid::{Block, Kernel, Operator};
use cp2_emu::MachineConfig;
use cp2_isa::Core;
use num_complex::Complex32;

/// What a run made and cost.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// The problem.
    pub class: Class,
    /// The last residual, x fastest.
    pub residual: Vec<f32>,
    /// The solution.
    pub solution: Vec<f32>,
    /// What it cost: kernels installed before, data in memory.
    pub cost: Cost,
}

impl AsRef<Cost> for Report {
    fn as_ref(&self) -> &Cost {
        &self.cost
    }
}

/// The weights of a kernel in a class.
fn weights(kernel: Kernel, class: Class) -> Operator {
    match kernel {
        Kernel::Smooth | Kernel::Smooth0 if class == Class::B => Operator::S_LARGE,
        _ => kernel.operator(),
    }
}

/// The smoother of a class.
pub(super) fn smoother(class: Class) -> Operator {
    weights(Kernel::Smooth, class)
}

/// The finest grid is the last of each.
struct Levels {
    u: Vec<Grid>,
    r: Vec<Grid>,
    v: Grid,
}

impl Levels {
    fn new(host: &mut Host, n: usize) -> Result<Self, KernelError> {
        let sizes = || (1..=n.trailing_zeros()).map(|k| 1 << k);
        let u = sizes().map(|n| Grid::new(host, n)).collect::<Result<_, _>>()?;
        let r = sizes().map(|n| Grid::new(host, n)).collect::<Result<_, _>>()?;
        Ok(Self { u, r, v: Grid::new(host, n)? })
    }
}

/// One operator on grids.
#[derive(Clone, Copy, Debug)]
struct Step {
    kernel: Kernel,
    grids: Grids,
}

impl Levels {
    fn finest(&self) -> usize {
        self.u.len() - 1
    }

    /// The residual of the finest grid.
    fn residual(&self) -> Step {
        let k = self.finest();
        step(Kernel::Resid, [self.u[k], self.v, self.r[k]])
    }

    /// A V-cycle, and the residual behind it.
    fn cycle(&self) -> Vec<Step> {
        let (Self { u, r, v }, finest) = (self, self.finest());
        let down = (1..=finest).rev().map(|k| step(Kernel::Proj, [r[k], r[k], r[k - 1]]));
        let coarsest = step(Kernel::Smooth0, [r[0], r[0], u[0]]);
        let up = (1..=finest).flat_map(|k| {
            let (kernel, right) =
                if k == finest { (Kernel::Interp, *v) } else { (Kernel::Interp0, r[k]) };
            [
                step(kernel, [u[k - 1], u[k], u[k]]),
                step(Kernel::Resid, [u[k], right, r[k]]),
                step(Kernel::Smooth, [r[k], u[k], u[k]]),
            ]
        });
        down.chain([coarsest]).chain(up).chain([self.residual()]).collect()
    }
}

fn step(kernel: Kernel, [faced, plain, result]: [Grid; 3]) -> Step {
    Step { kernel, grids: Grids { faced, plain, result, has_faces: true } }
}

/// Operators one after the other, with fewest cycles of their kernels.
struct Plan {
    groups: Vec<Group>,
    least_cycles: f64,
}

impl Plan {
    fn new(core: &Core, residents: &[Resident], steps: &[Step]) -> Result<Self, KernelError> {
        let mut plan = Self { groups: Vec::new(), least_cycles: 0.0 };
        for Step { kernel, grids } in steps {
            let found = residents.iter().find(|resident| resident.kernel == *kernel);
            let Some(&resident) = found else {
                return Err(KernelError::Channel(format!("{} is not installed", kernel.name())));
            };
            let operation = Operation::new(resident, grids.faced.n)?;
            let tail = if grids.has_faces { faces::transfers(&grids.result)? } else { Vec::new() };
            plan.groups.push(Group { pages: operation.pages_on(grids)?, tail });
            plan.least_cycles += operation.least_cycles(core)?;
        }
        Ok(plan)
    }
}

/// Puts the constants of the kernels into memory.
fn residents(
    host: &mut Host,
    frames: Frames<'_>,
    weights: impl Fn(Kernel) -> Operator,
) -> Result<Vec<Resident>, KernelError> {
    let core = *host.config().core();
    let name: Vec<_> =
        frames.iter().map(|(kernel, frame)| format!("{} {frame}", kernel.name())).collect();
    let entries = host.install_all(&name.join(", "), || source(&core, frames))?;
    let mut residents = Vec::new();
    for (&(kernel, frame), entry) in frames.iter().zip(entries) {
        let mut words = kernel.constants(&weights(kernel));
        words.resize(words.len().next_multiple_of(2), 0);
        let address = host.allocate(8 * words.len() as u64)?;
        let halves = |&word: &u64| {
            Complex32::new(f32::from_bits((word >> 32) as u32), f32::from_bits(word as u32))
        };
        host.write(address, &words.iter().map(halves).collect::<Vec<_>>())?;
        residents.push(Resident {
            kernel,
            frame,
            entry,
            constants: (address as usize, words.len()),
        });
    }
    Ok(residents)
}

/// Solves the problem of a class; `progress` is told how many pages of how many are computed.
///
/// # Errors
/// A machine whose memory does not hold the grids, or that cannot run the kernels.
pub fn run(
    config: MachineConfig,
    class: Class,
    execution: Execution,
    progress: &mut dyn FnMut(usize, usize),
) -> Result<Report, KernelError> {
    pages::check(config.core())?;
    let core = *config.core();
    let mut host = Host::new(config, execution);
    let levels = Levels::new(&mut host, class.points())?;
    levels.v.write(&mut host, &charges(class.points()))?;
    let residents = residents(&mut host, &cycle(), |kernel| weights(kernel, class))?;
    let first = Plan::new(&core, &residents, &[levels.residual()])?;
    let cycle = Plan::new(&core, &residents, &levels.cycle())?;
    let least = first.least_cycles + class.iterations() as f64 * cycle.least_cycles;
    let first = Chain::new(&mut host, &first.groups)?;
    let cycle = Chain::new(&mut host, &cycle.groups)?;
    let all = first.pages + class.iterations() * cycle.pages;
    first.run(&mut host, &mut |pages| progress(pages, all))?;
    for k in 0..class.iterations() {
        let before = first.pages + k * cycle.pages;
        cycle.run(&mut host, &mut |pages| progress(before + pages, all))?;
    }
    let finest = levels.finest();
    Ok(Report {
        class,
        residual: levels.r[finest].read(&host)?,
        solution: levels.u[finest].read(&host)?,
        cost: Cost::of(&host, class.operations(), (class.iterations(), all), least),
    })
}

/// What an operator made and cost.
#[derive(Clone, Debug, PartialEq)]
pub struct Applied {
    /// The result, x fastest.
    pub output: Vec<f32>,
    /// What it cost: the kernel's way to instruction memory and all blocks, no copies of faces.
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
    kernel: Kernel,
    (n, faced, plain): (usize, &[f32], &[f32]),
    execution: Execution,
    progress: &mut dyn FnMut(usize, usize),
) -> Result<Applied, KernelError> {
    pages::check(config.core())?;
    let core = *config.core();
    let mut host = Host::new(config, execution);
    let outer = outer_points(kernel, n);
    let grid = Grid::new(&mut host, n)?;
    let (other, result) = (Grid::new(&mut host, outer)?, Grid::new(&mut host, outer)?);
    grid.write(&mut host, faced)?;
    if kernel.takes_plain() {
        other.write(&mut host, plain)?;
    }
    let frames = [(kernel, frame(kernel))];
    let residents = residents(&mut host, &frames, Kernel::operator)?;
    let mut step = step(kernel, [grid, other, result]);
    step.grids.has_faces = false;
    let Plan { groups, least_cycles: least } = Plan::new(&core, &residents, &[step])?;
    let chain = Chain::new(&mut host, &groups)?;
    let all = chain.pages;
    chain.run(&mut host, &mut |pages| progress(pages, all))?;
    let output = result.read(&host)?;
    let operations = operations(kernel, n);
    Ok(Applied { output, cost: Cost::of(&host, operations, (1, all), least) })
}

/// Points along an axis of the result, and of what is added to.
pub fn outer_points(kernel: Kernel, n: usize) -> usize {
    kernel.outer(Block::new(n, n, n)).n1
}

/// Operations on a grid by the counting of \[D\]: 31 for a point of `resid` and `smooth`, 30 of `smooth0`, 30
/// for a coarse point of `proj`, 35 of `interp` and 27 of `interp0`.
pub fn operations(kernel: Kernel, n: usize) -> u64 {
    let points = n.pow(3) as u64;
    match kernel.special() {
        Kernel::Resid | Kernel::Smooth => 31 * points,
        Kernel::Smooth0 => 30 * points,
        Kernel::Proj => 30 * points / 8,
        Kernel::Interp => 35 * points,
        Kernel::Interp0 => 27 * points,
        _ => 0,
    }
}
