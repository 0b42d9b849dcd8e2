//! V-cycles on a machine: grids of all levels, the kernels in instruction memory, one operator after
//! the other.

use super::faces;
use super::fused::{self, Fused, FusedGrids};
use super::grid::Grid;
use super::npb::{Class, charges};
use super::operator::{Grids, Operation, Resident};
use crate::engine::Execution;
use crate::error::KernelError;
use crate::host::cost::Cost;
use crate::host::pages::{self, Chain, Command, Group};
use crate::host::session::Host;
use crate::multigrid::fused as kernels;
use crate::multigrid::sized::{Frames, cycle, frame, source};
use crate::multigrid::{Block, Kernel, Operator};
use cp2_emu::MachineConfig;
use cp2_emu::machine::Key;
use cp2_isa::Core;
use num_complex::Complex32;

/// How the operators of the finest grid are done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// One after the other, each with all words of its own.
    Plain,
    /// Interpolation, residual and smoother in one go, where the grid can be cut into columns: it wins on all
    /// classes of NPB.
    Fused,
}

/// What a run made and cost.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// The problem.
    pub class: Class,
    /// How the operators of the finest grid were done.
    pub form: Form,
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
    /// Where fused operators put the new u of the finest grid, in turn with its own.
    turned: Option<Grid>,
    r: Vec<Grid>,
    v: Grid,
}

impl Levels {
    fn new(host: &mut Host, n: usize, form: Form) -> Result<Self, KernelError> {
        let sizes = || (1..=n.trailing_zeros()).map(|k| 1 << k);
        let u = sizes().map(|n| Grid::new(host, n)).collect::<Result<_, _>>()?;
        let r = sizes().map(|n| Grid::new(host, n)).collect::<Result<_, _>>()?;
        let turned = if form == Form::Fused { Some(Grid::new(host, n)?) } else { None };
        Ok(Self { u, turned, r, v: Grid::new(host, n)? })
    }
}

/// One operator on grids, or three in one go.
#[derive(Clone, Copy, Debug)]
enum Step {
    One(Kernel, Grids),
    Fused(FusedGrids),
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

    /// The same with the two places of the finest u exchanged.
    fn turned(&self) -> Self {
        let Self { u, turned, r, v } = self;
        let (mut u, mut turned) = (u.clone(), *turned);
        if let (Some(own), Some(other)) = (u.last_mut(), &mut turned) {
            std::mem::swap(own, other);
        }
        Self { u, turned, r: r.clone(), v: *v }
    }

    /// A V-cycle, and the residual behind it. The new u of the finest grid is in its other place if there is
    /// one.
    fn cycle(&self) -> Vec<Step> {
        let (Self { u, r, v, turned }, finest) = (self, self.finest());
        let down = (1..=finest).rev().map(|k| step(Kernel::Proj, [r[k], r[k], r[k - 1]]));
        let coarsest = step(Kernel::Smooth0, [r[0], r[0], u[0]]);
        let up = (1..=finest).flat_map(|k| match turned {
            Some(result) if k == finest => {
                let (coarse, u) = (u[k - 1], u[k]);
                vec![Step::Fused(FusedGrids { coarse, u, v: *v, result: *result })]
            }
            _ => {
                let (kernel, right) =
                    if k == finest { (Kernel::Interp, *v) } else { (Kernel::Interp0, r[k]) };
                vec![
                    step(kernel, [u[k - 1], u[k], u[k]]),
                    step(Kernel::Resid, [u[k], right, r[k]]),
                    step(Kernel::Smooth, [r[k], u[k], u[k]]),
                ]
            }
        });
        let residual = if turned.is_some() { self.turned().residual() } else { self.residual() };
        down.chain([coarsest]).chain(up).chain([residual]).collect()
    }
}

fn step(kernel: Kernel, [faced, plain, result]: [Grid; 3]) -> Step {
    Step::One(kernel, Grids { faced, plain, result, has_faces: true })
}

/// Operators one after the other, with fewest cycles of their kernels.
struct Plan {
    groups: Vec<Group>,
    least_cycles: f64,
}

/// What is in instruction memory.
struct Installed {
    residents: Vec<Resident>,
    fused: Option<Fused>,
}

impl Plan {
    fn new(core: &Core, installed: &Installed, steps: &[Step]) -> Result<Self, KernelError> {
        let mut plan = Self { groups: Vec::new(), least_cycles: 0.0 };
        let missing = |name: &str| KernelError::Channel(format!("{name} is not installed"));
        for step in steps {
            match step {
                Step::One(kernel, grids) => {
                    let mut residents = installed.residents.iter();
                    let resident = residents.find(|resident| resident.kernel == *kernel);
                    let &resident = resident.ok_or_else(|| missing(kernel.name()))?;
                    let operation = Operation::new(resident, grids.faced.n)?;
                    let result = &grids.result;
                    let tail = if grids.has_faces { faces::transfers(result)? } else { Vec::new() };
                    plan.groups.push(Group { pages: operation.pages_on(grids)?, tail });
                    plan.least_cycles += operation.least_cycles(core)?;
                }
                Step::Fused(grids) => {
                    let fused = installed.fused.ok_or_else(|| missing("the fused form"))?;
                    let (pages, least) = fused.pages(core, grids)?;
                    plan.groups.push(Group { pages, tail: faces::transfers(&grids.result)? });
                    plan.least_cycles += least;
                }
            }
        }
        Ok(plan)
    }
}

/// Puts words into memory, whole beats.
fn write_words(host: &mut Host, mut words: Vec<u64>) -> Result<(usize, usize), KernelError> {
    words.resize(words.len().next_multiple_of(2), 0);
    let address = host.allocate(8 * words.len() as u64)?;
    let halves = |&word: &u64| {
        Complex32::new(f32::from_bits((word >> 32) as u32), f32::from_bits(word as u32))
    };
    host.write(address, &words.iter().map(halves).collect::<Vec<_>>())?;
    Ok((address as usize, words.len()))
}

/// Puts the kernels into instruction memory and their constants into memory.
fn install(
    host: &mut Host,
    frames: Frames<'_>,
    weights: impl Fn(Kernel) -> Operator,
    form: Form,
) -> Result<Installed, KernelError> {
    let core = *host.config().core();
    let mut name: Vec<_> =
        frames.iter().map(|(kernel, frame)| format!("{} {frame}", kernel.name())).collect();
    let is_fused = form == Form::Fused;
    if is_fused {
        name.push("fused".to_owned());
    }
    let text = || {
        let fused = if is_fused { kernels::source(&core) } else { String::new() };
        Ok(source(&core, frames)? + &fused)
    };
    let entries = host.install_all(&name.join(", "), text)?;
    let by_words = host.config().value(Key::DmaWords) == 1;
    let mut residents = Vec::new();
    for (&(kernel, frame), &entry) in frames.iter().zip(&entries) {
        let constants = write_words(host, kernel.constants(&weights(kernel)))?;
        residents.push(Resident { kernel, frame, entry, constants, by_words });
    }
    let fused = match entries[frames.len()..] {
        [interp, resid, smooth] => Some(Fused {
            entries: [interp, resid, smooth],
            constants: write_words(host, kernels::constants(&weights(Kernel::Smooth)))?,
        }),
        _ => None,
    };
    Ok(Installed { residents, fused })
}

/// Solves the problem of a class; `progress` is told how many pages of how many are computed.
///
/// # Errors
/// A machine whose memory does not hold the grids, or that cannot run the kernels.
pub fn run(
    config: MachineConfig,
    class: Class,
    form: Form,
    execution: Execution,
    progress: &mut dyn FnMut(usize, usize),
) -> Result<Report, KernelError> {
    pages::check(config.core())?;
    let core = *config.core();
    let mut host = Host::new(config, execution);
    let form = if fused::takes(class.points()) { form } else { Form::Plain };
    let levels = Levels::new(&mut host, class.points(), form)?;
    levels.v.write(&mut host, &charges(class.points()))?;
    let mut frames = cycle();
    frames.retain(|&(kernel, _)| match kernel {
        Kernel::Norm => false,
        Kernel::Interp => form == Form::Plain,
        _ => true,
    });
    let installed = install(&mut host, &frames, |kernel| weights(kernel, class), form)?;
    let first = Plan::new(&core, &installed, &[levels.residual()])?;
    let turned = levels.turned();
    let cycle = Plan::new(&core, &installed, &levels.cycle())?;
    let least = first.least_cycles + class.iterations() as f64 * cycle.least_cycles;
    let first = Chain::new(&mut host, &first.groups)?;
    let mut cycles = vec![Chain::new(&mut host, &cycle.groups)?];
    if form == Form::Fused {
        let back = Plan::new(&core, &installed, &turned.cycle())?;
        cycles.push(Chain::new(&mut host, &back.groups)?);
    }
    let of_cycle = cycles[0].pages;
    let all = first.pages + class.iterations() * of_cycle;
    first.run(&mut host, &mut |pages| progress(pages, all))?;
    for k in 0..class.iterations() {
        let before = first.pages + k * of_cycle;
        cycles[k % cycles.len()].run(&mut host, &mut |pages| progress(before + pages, all))?;
    }
    let finest = levels.finest();
    let last = if class.iterations().is_multiple_of(cycles.len()) { &levels } else { &turned };
    Ok(Report {
        class,
        form,
        residual: levels.r[finest].read(&host)?,
        solution: last.u[finest].read(&host)?,
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
    let installed = install(&mut host, &frames, Kernel::operator, Form::Plain)?;
    let grids = Grids { faced: grid, plain: other, result, has_faces: false };
    let steps = [Step::One(kernel, grids)];
    let Plan { groups, least_cycles: least } = Plan::new(&core, &installed, &steps)?;
    let chain = Chain::new(&mut host, &groups)?;
    let all = chain.pages;
    chain.run(&mut host, &mut |pages| progress(pages, all))?;
    let output = result.read(&host)?;
    let operations = operations(kernel, n);
    Ok(Applied { output, cost: Cost::of(&host, operations, (1, all), least) })
}

/// Cycles of an operator on a grid of n points along an axis as it was measured: pages of the same blocks, the published
/// count in the place of the kernel's, the host's work for a page between the pages. The numbers mean nothing.
///
/// # Errors
/// Those of [`apply`].
pub fn published_cycles(
    config: MachineConfig,
    kernel: Kernel,
    n: usize,
) -> Result<u64, KernelError> {
    let core = *config.core();
    let mut host = Host::new(config, Execution::on(core));
    let outer = outer_points(kernel, n);
    let faced = Grid::new(&mut host, n)?;
    let (plain, result) = (Grid::new(&mut host, outer)?, Grid::new(&mut host, outer)?);
    let frames = [(kernel, kernel.usual_block())];
    let installed = install(&mut host, &frames, Kernel::operator, Form::Plain)?;
    let begin = host.timeline().cycles();
    let steps = [Step::One(kernel, Grids { faced, plain, result, has_faces: false })];
    for Group { mut pages, .. } in Plan::new(&core, &installed, &steps)?.groups {
        let commands = pages.iter_mut().flat_map(|page| &mut page.commands);
        for command in commands {
            if let Command::Run(call) = command {
                call.least_cycles = kernel.published().unwrap_or(0);
            }
        }
        pages::run(&mut host, &pages, &mut |_| {})?;
    }
    Ok(host.timeline().cycles() - begin)
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
