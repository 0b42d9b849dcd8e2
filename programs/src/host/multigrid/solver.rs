//! V-cycles on a machine: grids of all levels, the kernels in instruction memory, one operator after
//! the other.

use super::faces;
use super::grid::Grid;
use super::npb::{Class, charges};
use super::operator::{Grids, Operation, Resident};
use crate::engine::Execution;
use crate::error::KernelError;
use crate::host::cost::Cost;
use crate::host::pages;
use crate::host::session::Host;
use crate::multigrid::sized::{cycle, source};
use crate::multigrid::{Kernel, Operator};
use cp2_emu::MachineConfig;
use num_complex::Complex32;

/// What a run made and cost.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
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

/// The machine while it solves.
struct Solver<'a> {
    host: &'a mut Host,
    kernels: Vec<Resident>,
    pages: usize,
    /// Fewest cycles of all kernels: what the fuller slot has to issue.
    progress: &'a mut dyn FnMut(usize),
}

impl Solver<'_> {
    /// One operator on grids.
    fn apply(
        &mut self,
        kernel: Kernel,
        [faced, plain, result]: [Grid; 3],
    ) -> Result<(), KernelError> {
        let found = self.kernels.iter().find(|resident| resident.kernel == kernel);
        let Some(&resident) = found else {
            return Err(KernelError::Channel(format!("{} is not installed", kernel.name())));
        };
        let operation = Operation::new(resident, faced.n)?;
        let pages = operation.pages_on(&Grids { faced, plain: Some(plain), result })?;
        self.run(&pages)?;
        let mark = self.host.allocated();
        self.pages += faces::copy(self.host, &result)?;
        self.host.free_from(mark);
        Ok(())
    }

    fn run(&mut self, pages: &[pages::Page]) -> Result<(), KernelError> {
        let mark = self.host.allocated();
        let before = self.pages;
        pages::run(self.host, pages, &mut |done| (self.progress)(before + done))?;
        self.host.free_from(mark);
        self.pages += pages.len();
        Ok(())
    }

    /// The residual of the finest grid.
    fn residual(&mut self, levels: &Levels) -> Result<(), KernelError> {
        let finest = levels.u.len() - 1;
        self.apply(Kernel::Resid, [levels.u[finest], levels.v, levels.r[finest]])
    }

    /// A V-cycle, and the residual behind it.
    fn cycle(&mut self, levels: &Levels) -> Result<(), KernelError> {
        let Levels { u, r, v } = levels;
        let finest = u.len() - 1;
        for k in (1..=finest).rev() {
            self.apply(Kernel::Proj, [r[k], r[k], r[k - 1]])?;
        }
        self.apply(Kernel::Smooth0, [r[0], r[0], u[0]])?;
        for k in 1..=finest {
            let (kernel, right) =
                if k == finest { (Kernel::Interp, *v) } else { (Kernel::Interp0, r[k]) };
            self.apply(kernel, [u[k - 1], u[k], u[k]])?;
            self.apply(Kernel::Resid, [u[k], right, r[k]])?;
            self.apply(Kernel::Smooth, [r[k], u[k], u[k]])?;
        }
        self.residual(levels)
    }
}

/// Puts the constants of the kernels into memory.
fn residents(host: &mut Host, class: Class) -> Result<Vec<Resident>, KernelError> {
    let (frames, core) = (cycle(), *host.config().core());
    let entries = host.install_all("multigrid_cycle", || source(&core, &frames))?;
    let mut residents = Vec::new();
    for (&(kernel, frame), entry) in frames.iter().zip(entries) {
        let mut words = kernel.constants(&weights(kernel, class));
        words.resize(words.len().next_multiple_of(2), 0);
        let address = host.allocate(8 * words.len() as u64)?;
        let halves = |&word: &u64| {
            Complex32::new(f32::from_bits((word >> 32) as u32), f32::from_bits(word as u32))
        };
        host.write(address, &words.iter().map(halves).collect::<Vec<_>>())?;
        residents.push(Resident { kernel, frame, entry, constants: (address as usize, words.len()) });
    }
    Ok(residents)
}

/// Solves the problem of a class; `progress` is told how many pages are computed.
///
/// # Errors
/// A machine whose memory does not hold the grids, or that cannot run the kernels.
pub fn run(
    config: MachineConfig,
    class: Class,
    execution: Execution,
    progress: &mut dyn FnMut(usize),
) -> Result<Report, KernelError> {
    pages::check(config.core())?;
    let mut host = Host::new(config, execution);
    let levels = Levels::new(&mut host, class.points())?;
    levels.v.write(&mut host, &charges(class.points()))?;
    let kernels = residents(&mut host, class)?;
    // What is written before counts as there when the work begins.
    let mut solver = Solver { host: &mut host, kernels, pages: 0, progress };
    solver.apply(Kernel::Resid, [levels.u[levels.u.len() - 1], levels.v, levels.r[levels.r.len() - 1]])?;
    for _ in 0..class.iterations() {
        solver.cycle(&levels)?;
    }
    let pages = solver.pages;
    let finest = levels.u.len() - 1;
    Ok(Report {
        residual: levels.r[finest].read(&host)?,
        solution: levels.u[finest].read(&host)?,
        cost: Cost::of(&host, class.operations(), (class.iterations(), pages), 0.0),
    })
}
