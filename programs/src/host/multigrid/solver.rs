//! V-cycles on a machine: grids of all levels, the kernels in instruction memory, one operator after
//! the other.

use super::faces;
use super::fused::{self, Fused, FusedGrids};
use super::grid::Grid;
use super::npb::{Class, charges};
use super::operator::{Grids, Operation, Resident};
use super::whole::{self, Residual, Whole};
use crate::engine::Execution;
use crate::error::KernelError;
use crate::host::cost::Cost;
use crate::host::pages::{self, Chain, Group};
use crate::host::session::Host;
use crate::host::traffic::{RowCost, Traffic};
use crate::multigrid::sized::{Frames, cycle, frame, source};
use crate::multigrid::{Block, Kernel, Operator, fused as kernels, whole as whole_kernels};
use cp2_asm::image::Image;
use cp2_emu::MachineConfig;
use cp2_emu::machine::Key;
use cp2_isa::Core;
use num_complex::Complex32;
use std::sync::Arc;

/// How the operators of the finest grid are done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// One after the other, each with all words of its own.
    Plain,
    /// Interpolation, residual and smoother in one go, where the grid can be cut into columns.
    Fused,
    /// These, the residual behind them and its projection in one go: the way down of a V-cycle with the way up of the
    /// one before.
    Whole,
}

impl Form {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Whole, Self::Fused, Self::Plain];

    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Plain => "plain",
            Self::Fused => "fused",
            Self::Whole => "whole",
        }
    }

    /// The form of this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|form| form.name() == name)
    }

    /// This one, or the one that grids of so many points allow.
    fn allowed(self, n: usize) -> Self {
        let is_allowed = match self {
            Self::Plain => true,
            Self::Fused => fused::takes(n),
            Self::Whole => whole::takes(n),
        };
        if is_allowed { self } else { Self::Plain }
    }
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
pub(super) struct Levels {
    u: Vec<Grid>,
    /// Where fused operators put the new u of the finest grid, in turn with its own.
    turned: Option<Grid>,
    r: Vec<Grid>,
    v: Grid,
}

impl Levels {
    pub(super) fn new(host: &mut Host, n: usize, form: Form) -> Result<Self, KernelError> {
        let sizes = || (1..=n.trailing_zeros()).map(|k| 1 << k);
        // Pages of all operators read the two finest grids of u, and v, further around.
        let grid = |host: &mut Host, n: usize, is_wide: bool| {
            if is_wide && form == Form::Whole { Grid::wide(host, n) } else { Grid::new(host, n) }
        };
        let mut of_u = |of: usize| grid(host, of, 2 * of >= n);
        let u = sizes().map(&mut of_u).collect::<Result<_, _>>()?;
        let r = sizes().map(|n| Grid::new(host, n)).collect::<Result<_, _>>()?;
        let turned = if form == Form::Plain { None } else { Some(grid(host, n, true)?) };
        Ok(Self { u, turned, r, v: grid(host, n, true)? })
    }
}

/// One operator on grids, or three in one go.
#[derive(Clone, Copy, Debug)]
pub(super) enum Task {
    One(Kernel, Grids),
    Fused(FusedGrids),
    Whole(FusedGrids, Residual),
}

impl Levels {
    fn finest(&self) -> usize {
        self.u.len() - 1
    }

    /// The residual of the finest grid.
    fn residual(&self) -> Task {
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

    /// The projection of the residual of the finest grid.
    fn projection(&self) -> Task {
        let (r, finest) = (&self.r, self.finest());
        step(Kernel::Proj, [r[finest], r[finest], r[finest - 1]])
    }

    /// What a V-cycle does below the finest grid.
    fn below(&self) -> Vec<Task> {
        let (Self { u, r, .. }, finest) = (self, self.finest());
        let down = (1..finest).rev().map(|k| step(Kernel::Proj, [r[k], r[k], r[k - 1]]));
        let coarsest = step(Kernel::Smooth0, [r[0], r[0], u[0]]);
        let up = (1..finest).flat_map(|k| {
            [
                step(Kernel::Interp0, [u[k - 1], u[k], u[k]]),
                step(Kernel::Resid, [u[k], r[k], r[k]]),
                step(Kernel::Smooth, [r[k], u[k], u[k]]),
            ]
        });
        down.chain([coarsest]).chain(up).collect()
    }

    /// What works on the finest grid in one go; the new u is in its other place.
    fn in_one_go(&self) -> FusedGrids {
        let (u, finest) = (&self.u, self.finest());
        let result = self.turned.unwrap_or(u[finest]);
        FusedGrids { coarse: u[finest - 1], u: u[finest], v: self.v, result }
    }

    /// A V-cycle, and the residual behind it. The new u of the finest grid is in its other place if there is
    /// one.
    pub(super) fn cycle(&self) -> Vec<Task> {
        let (Self { u, r, v, turned }, k) = (self, self.finest());
        let mut tasks = vec![self.projection()];
        tasks.extend(self.below());
        if turned.is_some() {
            tasks.extend([Task::Fused(self.in_one_go()), self.turned().residual()]);
        } else {
            tasks.extend([
                step(Kernel::Interp, [u[k - 1], u[k], u[k]]),
                step(Kernel::Resid, [u[k], *v, r[k]]),
                step(Kernel::Smooth, [r[k], u[k], u[k]]),
                self.residual(),
            ]);
        }
        tasks
    }

    /// All operators on the finest grid in one go, to the coarse residual of the next V-cycle or to the last residual.
    fn whole(&self, is_last: bool) -> Task {
        let (r, finest) = (&self.r, self.finest());
        let residual = match is_last {
            true => Residual::Stored(r[finest]),
            false => Residual::Projected(r[finest - 1]),
        };
        Task::Whole(self.in_one_go(), residual)
    }
}

fn step(kernel: Kernel, [faced, plain, result]: [Grid; 3]) -> Task {
    Task::One(kernel, Grids { faced, plain, result, has_faces: true })
}

/// Operators one after the other, with fewest cycles of their kernels.
pub(super) struct Plan {
    pub(super) groups: Vec<Group>,
    least_cycles: f64,
}

/// What is in instruction memory.
pub(super) struct Installed {
    pub(super) residents: Vec<Resident>,
    fused: Option<Fused>,
    whole: Option<Whole>,
    image: Arc<Image>,
}

impl Plan {
    pub(super) fn new(
        core: &Core,
        installed: &Installed,
        tasks: &[Task],
    ) -> Result<Self, KernelError> {
        let mut plan = Self { groups: Vec::new(), least_cycles: 0.0 };
        let missing = |name: &str| KernelError::Channel(format!("{name} is not installed"));
        for task in tasks {
            match task {
                Task::One(kernel, grids) => {
                    let mut residents = installed.residents.iter();
                    let resident = residents.find(|resident| resident.kernel == *kernel);
                    let &resident = resident.ok_or_else(|| missing(kernel.name()))?;
                    let operation = Operation::new(resident, grids.faced.n)?;
                    let result = &grids.result;
                    let tail = if grids.has_faces { faces::transfers(result)? } else { Vec::new() };
                    plan.groups.push(Group { pages: operation.pages_on(grids)?, tail });
                    plan.least_cycles += operation.least_cycles(core)?;
                }
                Task::Fused(grids) => {
                    let fused = installed.fused.ok_or_else(|| missing("the fused form"))?;
                    let (pages, least) = fused.pages(core, grids)?;
                    plan.groups.push(Group { pages, tail: faces::transfers(&grids.result)? });
                    plan.least_cycles += least;
                }
                Task::Whole(grids, residual) => {
                    let whole =
                        installed.whole.ok_or_else(|| missing("the form of all operators"))?;
                    let (pages, least) = whole.pages(grids, *residual)?;
                    let mut tail = faces::transfers(&grids.result)?;
                    if let Residual::Projected(coarse) = residual {
                        tail.extend(faces::transfers(coarse)?);
                    }
                    plan.groups.push(Group { pages, tail });
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
pub(super) fn install(
    host: &mut Host,
    frames: Frames<'_>,
    weights: impl Fn(Kernel) -> Operator,
    form: Form,
) -> Result<Installed, KernelError> {
    let installed = assemble(host, frames, weights, form)?;
    host.send_bundles(&installed.image)?;
    Ok(installed)
}

/// Assembles the kernels and puts their constants into memory.
fn assemble(
    host: &mut Host,
    frames: Frames<'_>,
    weights: impl Fn(Kernel) -> Operator,
    form: Form,
) -> Result<Installed, KernelError> {
    let core = *host.config().core();
    let mut name: Vec<_> =
        frames.iter().map(|(kernel, frame)| format!("{} {frame}", kernel.name())).collect();
    name.push(form.name().to_owned());
    let text = || {
        let in_one_go = match form {
            Form::Plain => String::new(),
            Form::Fused => kernels::source(&core),
            Form::Whole => whole_kernels::source(&core),
        };
        Ok(source(&core, frames)? + &in_one_go)
    };
    let image = host.assemble(&name.join(", "), text)?;
    let entries: Vec<_> = image.kernels.iter().map(|kernel| kernel.start).collect();
    let by_words = host.config().value(Key::DmaWords) == 1;
    let mut residents = Vec::new();
    for (&(kernel, frame), &entry) in frames.iter().zip(&entries) {
        let constants = write_words(host, kernel.constants(&weights(kernel)))?;
        residents.push(Resident { kernel, frame, entry, constants, by_words });
    }
    let smoother = weights(Kernel::Smooth);
    let (mut fused, mut whole) = (None, None);
    if let Ok(entries) = <[_; 3]>::try_from(&entries[frames.len()..]) {
        fused =
            Some(Fused { entries, constants: write_words(host, kernels::constants(&smoother))? });
    }
    if let Ok(entries) = <[_; 5]>::try_from(&entries[frames.len()..]) {
        let constants = write_words(host, whole_kernels::constants(&smoother))?;
        whole = Some(Whole { entries, constants });
    }
    Ok(Installed { residents, fused, whole, image })
}

/// Queues of a machine's channel with the kernels that they want.
struct Part {
    chain: Chain,
    least_cycles: f64,
    image: Arc<Image>,
}

impl Part {
    fn new(host: &mut Host, installed: &Installed, tasks: &[Task]) -> Result<Self, KernelError> {
        let core = *host.config().core();
        let Plan { groups, least_cycles } = Plan::new(&core, installed, tasks)?;
        let chain = Chain::new(host, &groups)?;
        Ok(Self { chain, least_cycles, image: installed.image.clone() })
    }
}

/// What is run, and in which order.
struct Program {
    parts: Vec<Part>,
    order: Vec<usize>,
}

impl Program {
    /// The residual of u = 0, then V-cycles with all their kernels in instruction memory.
    fn of_cycles(
        host: &mut Host,
        (class, form): (Class, Form),
        levels: &Levels,
    ) -> Result<Self, KernelError> {
        let mut frames = cycle();
        frames.retain(|&(kernel, _)| match kernel {
            Kernel::Norm => false,
            Kernel::Interp => form == Form::Plain,
            _ => true,
        });
        let installed = assemble(host, &frames, |kernel| weights(kernel, class), form)?;
        let mut parts = vec![Part::new(host, &installed, &[levels.residual()])?];
        parts.push(Part::new(host, &installed, &levels.cycle())?);
        if form == Form::Fused {
            parts.push(Part::new(host, &installed, &levels.turned().cycle())?);
        }
        let turns = parts.len() - 1;
        let order = [0].into_iter().chain((0..class.iterations()).map(|k| 1 + k % turns));
        let order = order.collect();
        Ok(Self { parts, order })
    }

    /// The same with the finest grid in one go, whose kernels do not fit beside the others: they take turns. The
    /// residual of u = 0 is projected as by itself, later ones with what makes them.
    fn in_one_go(host: &mut Host, class: Class, levels: &Levels) -> Result<Self, KernelError> {
        let mut frames = cycle();
        frames.retain(|(kernel, _)| !matches!(kernel, Kernel::Norm | Kernel::Interp));
        let of = |kernel| weights(kernel, class);
        let [others, whole] =
            [assemble(host, &frames, of, Form::Plain)?, assemble(host, &[], of, Form::Whole)?];
        let (turned, last) = (levels.turned(), class.iterations() - 1);
        let mut first = vec![levels.residual(), levels.projection()];
        first.extend(levels.below());
        let of_last = if last.is_multiple_of(2) { levels } else { &turned };
        let parts = vec![
            Part::new(host, &others, &first)?,
            Part::new(host, &others, &levels.below())?,
            Part::new(host, &whole, &[levels.whole(false)])?,
            Part::new(host, &whole, &[turned.whole(false)])?,
            Part::new(host, &whole, &[of_last.whole(true)])?,
        ];
        let of_cycle = |k: usize| [usize::from(k > 0), if k == last { 4 } else { 2 + k % 2 }];
        Ok(Self { parts, order: (0..=last).flat_map(of_cycle).collect() })
    }

    fn pages(&self) -> usize {
        self.order.iter().map(|&part| self.parts[part].chain.pages).sum()
    }

    fn least_cycles(&self) -> f64 {
        self.order.iter().map(|&part| self.parts[part].least_cycles).sum()
    }

    /// Runs it; kernels are sent where others are in instruction memory.
    fn run(
        &self,
        host: &mut Host,
        progress: &mut dyn FnMut(usize, usize),
    ) -> Result<(), KernelError> {
        let (all, mut done) = (self.pages(), 0);
        let mut sent: Option<&Arc<Image>> = None;
        for &part in &self.order {
            let Part { chain, image, .. } = &self.parts[part];
            if !sent.is_some_and(|sent| Arc::ptr_eq(sent, image)) {
                host.send_bundles(image)?;
                sent = Some(image);
            }
            chain.run(host, &mut |pages| progress(done + pages, all))?;
            done += chain.pages;
        }
        Ok(())
    }
}

/// The form that is predicted to take fewest cycles of those that work on the finest grid in one go: what they do
/// there, each page at what its rows cost or its kernels, whichever is larger.
///
/// # Errors
/// A machine whose memory does not hold the grids, or that cannot run the kernels.
pub fn best_form(config: &MachineConfig, class: Class) -> Result<Form, KernelError> {
    let clock = f64::from(config.value(Key::CpuClock));
    let predicted = |form: Form| {
        let mut host = Host::new(config.clone(), Execution::on(*config.core()));
        let levels = Levels::new(&mut host, class.points(), form)?;
        let frames: Vec<_> =
            [Kernel::Resid, Kernel::Proj].map(|kernel| (kernel, frame(kernel))).into();
        let installed = assemble(&mut host, &frames, Kernel::operator, form)?;
        let tasks = match form {
            Form::Whole => vec![levels.whole(false)],
            _ => vec![Task::Fused(levels.in_one_go()), levels.residual(), levels.projection()],
        };
        let mut cycles = 0.0;
        for task in tasks {
            let Plan { groups, least_cycles } = Plan::new(config.core(), &installed, &[task])?;
            let pages = groups.iter().flat_map(|group| &group.pages);
            let moved = Traffic::of(pages.flat_map(|page| page.load.iter().chain(&page.unload)));
            let us: f64 = moved.costs(config).iter().map(RowCost::microseconds).sum();
            cycles += (us * clock).max(least_cycles);
        }
        Ok::<_, KernelError>(cycles)
    };
    // Of class S most is done below the finest grid, which this says nothing of; its kernels stay where they are.
    if Form::Whole.allowed(class.points()) != Form::Whole || class == Class::S {
        return Ok(Form::Fused);
    }
    let is_whole = predicted(Form::Whole)? < predicted(Form::Fused)?;
    Ok(if is_whole { Form::Whole } else { Form::Fused })
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
    let mut host = Host::new(config, execution);
    let form = form.allowed(class.points());
    let levels = Levels::new(&mut host, class.points(), form)?;
    levels.v.write(&mut host, &charges(class.points()))?;
    let program = match form {
        Form::Whole => Program::in_one_go(&mut host, class, &levels)?,
        _ => Program::of_cycles(&mut host, (class, form), &levels)?,
    };
    program.run(&mut host, progress)?;
    let finest = levels.finest();
    let is_turned = form != Form::Plain && !class.iterations().is_multiple_of(2);
    let last = if is_turned { &levels.turned() } else { &levels };
    let steps = (class.iterations(), program.pages());
    Ok(Report {
        class,
        form,
        residual: levels.r[finest].read(&host)?,
        solution: last.u[finest].read(&host)?,
        cost: Cost::of(&host, class.operations(), steps, program.least_cycles()),
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
    let tasks = [Task::One(kernel, grids)];
    let Plan { groups, least_cycles: least } = Plan::new(&core, &installed, &tasks)?;
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
