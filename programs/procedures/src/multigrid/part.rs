//! The part of one process in multigrid on several processors: its block of the grid of each level, the whole grids of the
//! coarse levels if it is the one that does them alone, and the operators on both in the order of a run. The steps between
//! operators, exchanges of faces and the like, are the caller's. `times` has the times of a part without its values.

mod times;

use super::form::weights;
use super::grid::PaddedGrid;
use super::images::frames;
use super::installed::{Installed, KernelRoutines};
use super::levels::Task;
use super::npb::Class;
use super::operator::Grids;
use super::program;
use crate::host::pages::{ChainMoment, KnownTimes, Page};
use crate::host::{Host, pages};
use cp2_emu::dma::Descriptor;
use cp2_emu::{Machine, MachineConfig};
use cp2_isa::{BundleAddress, Cycle};
use cp2_kernels::multigrid::GridKernel;
use cp2_session::cost::{ChosenPlan, Cost};
use cp2_session::error::KernelError;
use cp2_session::execution::Execution;

pub use times::{MultigridTimes, PartMoment};

/// Name of the procedure in checkpoints.
const PROCEDURE: &str = "part of mg";
/// Operations of a point in a V-cycle, as NPB counts them.
const NPB_OPERATIONS: u64 = 58;

/// Description of the part of one process: the class, the block of the process, and the levels that one process does alone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PartOutline {
    /// Class of NPB MG, which decides the weights of the smoother.
    pub class: Class,
    /// Points along an axis of the finest grid: those of the class, or fewer for a trial.
    pub points: usize,
    /// Number of V-cycles.
    pub iterations: usize,
    /// Number of processes along x, y and z, each a power of two.
    pub processes: [usize; 3],
    /// Points along an axis of the finest grid that one process does alone. With one process it is the finest of all.
    pub gathered: usize,
    /// Whether this process does the gathered levels.
    pub is_root: bool,
    /// Kernels of the caller that stand beside those of the operators.
    pub routines: KernelRoutines,
}

/// Array of a level of multigrid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LevelArray {
    /// Solution, or correction below the finest level.
    U,
    /// Residual.
    R,
}

/// Step of the run of a part, in the order of the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PartStep {
    /// Operators on the block, or on gathered levels: the chain of pages of this number.
    Operators(usize),
    /// Exchange of the faces of an array of the block with the neighbours, along the axes with several processes. `points` is
    /// the number of points along an axis of the whole grid of the level.
    Exchange {
        /// Array of the level.
        array: LevelArray,
        /// Points along an axis of the whole grid.
        points: usize,
    },
    /// Blocks of the residual of the gathered level go to the process that does it alone.
    Gather,
    /// Blocks of the solution of the gathered level come back, with their faces.
    Deal,
}

/// Grids of a level.
#[derive(Clone, Copy, Debug)]
struct LevelGrids {
    points: usize,
    u: PaddedGrid,
    r: PaddedGrid,
}

impl LevelGrids {
    fn all(
        host: &mut Host,
        levels: impl Iterator<Item = (usize, [usize; 3])> + Clone,
    ) -> Result<Vec<Self>, KernelError> {
        let mut grids = |size: [usize; 3]| PaddedGrid::new(host, size);
        let mut of_all = || levels.clone().map(|(_, n)| grids(n)).collect::<Result<Vec<_>, _>>();
        let (u, r) = (of_all()?, of_all()?);
        let both = u.into_iter().zip(r);
        Ok(levels.zip(both).map(|((points, _), (u, r))| Self { points, u, r }).collect())
    }
}

/// Part of one process in multigrid on several processors: a machine with its arrays, and the chains of pages of its operators.
#[derive(Debug)]
pub struct MultigridPart {
    host: Host,
    outline: PartOutline,
    /// Levels of which the process has a block, coarsest first.
    blocks: Vec<LevelGrids>,
    /// Levels that the process has as a whole, coarsest first.
    wholes: Vec<LevelGrids>,
    v: PaddedGrid,
    chains: Vec<program::Part>,
    steps: Vec<PartStep>,
    installed: Installed,
    is_begun: bool,
}

impl MultigridPart {
    /// Creates the machine of a process with the configuration `config`, its arrays and its chains of pages. All arrays are 0 until
    /// [`Self::write_right_side`].
    ///
    /// # Errors
    /// The memory of the machine does not hold the arrays, its core cannot run the kernels, or a block is too small for them.
    pub fn new(
        config: MachineConfig,
        execution: &Execution,
        outline: PartOutline,
    ) -> Result<Self, KernelError> {
        pages::check(config.core())?;
        let mut host = Host::new(config, execution);
        host.set_plan(ChosenPlan::only("plain, all kernels together".to_owned()));
        let (class, finest) = (outline.class, outline.points);
        let sizes = |from: usize, to: usize| {
            (from.trailing_zeros()..=to.trailing_zeros()).map(|k| 1usize << k)
        };
        let is_alone = outline.gathered == finest;
        let block = |points: usize| outline.processes.map(|count| points / count);
        let wholes = if outline.is_root { sizes(2, outline.gathered) } else { sizes(4, 2) };
        let wholes = LevelGrids::all(&mut host, wholes.map(|n| (n, [n; 3])))?;
        let blocks = if is_alone { sizes(4, 2) } else { sizes(outline.gathered, finest) };
        let blocks = LevelGrids::all(&mut host, blocks.map(|n| (n, block(n))))?;
        let v = PaddedGrid::new(&mut host, if is_alone { [finest; 3] } else { block(finest) })?;
        let frames = frames();
        let weights = |kernel| weights(kernel, class);
        let installed =
            Installed::with_routines(&mut host, (&frames, &[]), weights, &outline.routines)?;
        let (chains, steps, is_begun) = (Vec::new(), Vec::new(), false);
        let mut part =
            Self { host, outline, blocks, wholes, v, chains, steps, installed, is_begun };
        part.host.make_arrays_ahead();
        part.plan()?;
        Ok(part)
    }

    /// Makes the chains and the order of the steps.
    fn plan(&mut self) -> Result<(), KernelError> {
        let mut known: Vec<Vec<Task>> = Vec::new();
        for planned in self.planned() {
            match planned {
                Planned::Tasks(tasks) => {
                    let found = known.iter().position(|one| *one == tasks);
                    let number = match found {
                        Some(number) => number,
                        None => {
                            let chain =
                                program::Part::new(&mut self.host, &self.installed, &tasks)?;
                            self.chains.push(chain);
                            known.push(tasks);
                            known.len() - 1
                        }
                    };
                    self.steps.push(PartStep::Operators(number));
                }
                Planned::Step(step) => self.steps.push(step),
            }
        }
        Ok(())
    }

    /// Returns the steps of the run: the residual of u = 0, then V-cycles.
    fn planned(&self) -> Vec<Planned> {
        let mut order = Order { part: self, tasks: Vec::new(), planned: Vec::new() };
        order.descent(false);
        order.end_run();
        for k in 0..self.outline.iterations {
            order.below();
            order.finest(k + 1 == self.outline.iterations);
            order.end_run();
        }
        order.planned
    }

    /// Returns the steps of the run, in their order.
    pub fn steps(&self) -> &[PartStep] {
        &self.steps
    }

    /// Returns the outline of the part.
    pub const fn outline(&self) -> &PartOutline {
        &self.outline
    }

    /// Returns the host, which the caller's own steps use.
    pub fn host(&mut self) -> &mut Host {
        &mut self.host
    }

    /// Returns the cycle of the machine.
    pub fn cycle(&self) -> Cycle {
        self.host.machine().cycle()
    }

    /// Returns the block of an array on the level whose whole grid has `points` points along an axis, `None` if the process has
    /// no block of it.
    pub fn block(&self, array: LevelArray, points: usize) -> Option<PaddedGrid> {
        of_level(&self.blocks, array, points)
    }

    /// Returns the whole grid of an array on a level that this process does alone, `None` if it does not.
    pub fn whole(&self, array: LevelArray, points: usize) -> Option<PaddedGrid> {
        of_level(&self.wholes, array, points)
    }

    /// Returns the address of the first bundle of a kernel of [`PartOutline::routines`], `None` if there is none of this name.
    pub fn routine(&self, name: &str) -> Option<BundleAddress> {
        let mut kernels = self.installed.image.kernels.iter();
        kernels.find(|kernel| kernel.name == name).map(|kernel| kernel.start)
    }

    /// Writes the block of the right side v, x fastest, which takes no cycles.
    ///
    /// # Errors
    /// The points are not those of the block.
    pub fn write_right_side(&mut self, v: &[f32]) -> Result<(), KernelError> {
        if v.len() != self.v.n.iter().product::<usize>() {
            return Err(KernelError::Internal("a right side of another number of points"));
        }
        self.v.write(&mut self.host, v)
    }

    /// Returns the points of the last residual in the block of the process, x fastest.
    ///
    /// # Errors
    /// The array reaches beyond memory.
    pub fn residual(&self) -> Result<Vec<f32>, KernelError> {
        self.finest(LevelArray::R)?.read(&self.host)
    }

    fn finest(&self, array: LevelArray) -> Result<PaddedGrid, KernelError> {
        let n = self.outline.points;
        let grid = self.block(array, n).or_else(|| self.whole(array, n));
        grid.ok_or(KernelError::Internal("a part without a finest grid"))
    }

    /// Adds a chain of the caller's pages, and of transfers behind them which need no kernel; returns its number.
    ///
    /// # Errors
    /// Memory does not hold the queue of its transfers.
    pub fn add_chain(
        &mut self,
        pages: Vec<Page>,
        tail: Vec<Descriptor>,
    ) -> Result<usize, KernelError> {
        let part = program::Part::of_pages(&mut self.host, &self.installed, pages, tail)?;
        self.chains.push(part);
        Ok(self.chains.len() - 1)
    }

    /// Runs a chain: of operators, or one that was added. The first call sends the kernels to instruction memory before.
    ///
    /// # Errors
    /// A kernel or a transfer has a fault, or does not end.
    pub fn run_chain(&mut self, number: usize) -> Result<(), KernelError> {
        let Self { host, chains, installed, is_begun, .. } = self;
        if !*is_begun {
            host.send_bundles(&installed.image)?;
            *is_begun = true;
        }
        let part = chains.get(number).ok_or(KernelError::Internal("no such chain"))?;
        part.chain.run(host, &mut |_| {})
    }

    /// Takes a moment behind a chain, whose times are known or measured on the machine.
    fn pass_chain(
        &mut self,
        number: usize,
        known: &mut KnownTimes,
        moment: &mut ChainMoment,
    ) -> Result<(), KernelError> {
        let Self { host, chains, installed, is_begun, .. } = self;
        if !*is_begun {
            host.send_bundles(&installed.image)?;
            *is_begun = true;
        }
        let part = chains.get(number).ok_or(KernelError::Internal("no such chain"))?;
        known.pass(host, (number, &part.chain), moment)
    }

    /// Returns the machine.
    fn machine(&self) -> &Machine {
        self.host.machine()
    }

    /// Returns the cycles in which the kernels are sent to instruction memory.
    fn sending_cycles(&self) -> u64 {
        self.host.sending_cycles(&self.installed.image)
    }

    /// Returns the machine with its memories, and what is known of its run, as bytes: between two chains.
    ///
    /// # Errors
    /// The machine is larger than the format allows.
    pub fn save(&mut self) -> Result<Vec<u8>, KernelError> {
        let mut bytes = vec![u8::from(self.is_begun)];
        bytes.extend(self.host.save(PROCEDURE)?);
        Ok(bytes)
    }

    /// Goes on from what a part of the same outline, with the same chains of the caller, has [saved](Self::save).
    ///
    /// # Errors
    /// The bytes are damaged, or of another machine.
    pub fn restore(&mut self, saved: &[u8]) -> Result<(), KernelError> {
        let (is_begun, saved) = saved.split_first().unwrap_or((&0, saved));
        self.is_begun = *is_begun != 0;
        let installed = self.is_begun.then_some(&self.installed.image);
        self.host.restore(PROCEDURE, saved, installed)
    }

    /// Returns the cost of what the process did so far; the operations are its share of those of the class.
    pub fn cost(&self) -> Cost {
        let chains = self.steps.iter().filter_map(|step| match step {
            PartStep::Operators(number) => self.chains.get(*number),
            _ => None,
        });
        let (mut pages, mut least) = (0, 0.0);
        for part in chains {
            pages += part.chain.pages;
            least += part.least_cycles;
        }
        let processes: usize = self.outline.processes.iter().product();
        let points = self.outline.points.pow(3) as u64 / processes as u64;
        let operations = NPB_OPERATIONS * points * self.outline.iterations as u64;
        self.host.cost(operations, (self.outline.iterations, pages), least)
    }
}

fn of_level(levels: &[LevelGrids], array: LevelArray, points: usize) -> Option<PaddedGrid> {
    let level = levels.iter().find(|level| level.points == points)?;
    Some(match array {
        LevelArray::U => level.u,
        LevelArray::R => level.r,
    })
}

/// Tasks that are one chain, or a step between chains.
#[derive(Clone, Debug, PartialEq)]
enum Planned {
    Tasks(Vec<Task>),
    Step(PartStep),
}

/// The steps of a run as they are put in order. Tasks are collected until a step stands behind them.
struct Order<'p> {
    part: &'p MultigridPart,
    tasks: Vec<Task>,
    planned: Vec<Planned>,
}

impl Order<'_> {
    /// Ends a chain.
    fn end_run(&mut self) {
        if !self.tasks.is_empty() {
            self.planned.push(Planned::Tasks(std::mem::take(&mut self.tasks)));
        }
    }

    fn step(&mut self, step: PartStep) {
        self.end_run();
        self.planned.push(Planned::Step(step));
    }

    fn is_alone(&self) -> bool {
        self.part.outline.gathered == self.part.outline.points
    }

    /// Adds an operator on the blocks of a level and the exchange of the faces of its result, or on the whole grids.
    fn operator(
        &mut self,
        kernel: GridKernel,
        [faced, plain, result]: [PaddedGrid; 3],
        of_block: Option<(LevelArray, usize)>,
    ) {
        let processes = self.part.outline.processes;
        // The gathered residual is sent without faces, and its own are never read.
        let goes_away = of_block == Some((LevelArray::R, self.part.outline.gathered));
        let periodic = processes.map(|count| !goes_away && (of_block.is_none() || count == 1));
        self.tasks.push(Task::One(kernel, Grids { faced, plain, result, periodic }));
        if let Some((array, points)) = of_block.filter(|_| !goes_away) {
            self.step(PartStep::Exchange { array, points });
        }
    }

    /// Adds the residual of the finest level, and its projection unless it is the last one.
    fn descent(&mut self, is_last: bool) {
        let part = self.part;
        let levels = if self.is_alone() { &part.wholes } else { &part.blocks };
        let of_block = |array, points| (!self.is_alone()).then_some((array, points));
        let [.., below, finest] = levels[..] else { return };
        let residual = of_block(LevelArray::R, finest.points);
        let projected = of_block(LevelArray::R, below.points);
        self.operator(GridKernel::Resid, [finest.u, part.v, finest.r], residual);
        if !is_last {
            self.operator(GridKernel::Proj, [finest.r, finest.r, below.r], projected);
        }
    }

    /// Adds the operators below the finest level.
    fn below(&mut self) {
        let part = self.part;
        for level in (2..part.blocks.len()).rev() {
            let (fine, coarse) = (part.blocks[level - 1], part.blocks[level - 2]);
            let array = (LevelArray::R, coarse.points);
            self.operator(GridKernel::Proj, [fine.r, fine.r, coarse.r], Some(array));
        }
        if !self.is_alone() {
            self.step(PartStep::Gather);
        }
        self.alone();
        if !self.is_alone() {
            self.step(PartStep::Deal);
        }
        for level in 1..part.blocks.len().saturating_sub(1) {
            let (fine, coarse) = (part.blocks[level], part.blocks[level - 1]);
            self.up(GridKernel::Interp0, coarse, fine, Some(fine.points));
        }
    }

    /// Adds the operators of the levels that the process does alone.
    fn alone(&mut self) {
        let part = self.part;
        let count = part.wholes.len() - usize::from(self.is_alone() && !part.wholes.is_empty());
        for level in (1..count).rev() {
            let (fine, coarse) = (part.wholes[level], part.wholes[level - 1]);
            self.operator(GridKernel::Proj, [fine.r, fine.r, coarse.r], None);
        }
        if let Some(coarsest) = part.wholes.first() {
            self.operator(GridKernel::Smooth0, [coarsest.r, coarsest.r, coarsest.u], None);
        }
        for level in 1..count {
            self.up(GridKernel::Interp0, part.wholes[level - 1], part.wholes[level], None);
        }
    }

    /// Adds interpolation, residual and smoother of a level below the finest one.
    fn up(
        &mut self,
        interpolation: GridKernel,
        coarse: LevelGrids,
        fine: LevelGrids,
        of_block: Option<usize>,
    ) {
        let of = |array| of_block.map(|points| (array, points));
        self.operator(interpolation, [coarse.u, fine.u, fine.u], of(LevelArray::U));
        self.operator(GridKernel::Resid, [fine.u, fine.r, fine.r], of(LevelArray::R));
        self.operator(GridKernel::Smooth, [fine.r, fine.u, fine.u], of(LevelArray::U));
    }

    /// Adds the operators of the finest level after those below it, up to the residual of the next V-cycle.
    fn finest(&mut self, is_last: bool) {
        let part = self.part;
        let levels = if self.is_alone() { &part.wholes } else { &part.blocks };
        let [.., coarse, fine] = levels[..] else { return };
        let of = |array| (!self.is_alone()).then_some((array, fine.points));
        let (u, r) = (of(LevelArray::U), of(LevelArray::R));
        self.operator(GridKernel::Interp, [coarse.u, fine.u, fine.u], u);
        self.operator(GridKernel::Resid, [fine.u, part.v, fine.r], r);
        self.operator(GridKernel::Smooth, [fine.r, fine.u, fine.u], u);
        self.descent(is_last);
    }
}
