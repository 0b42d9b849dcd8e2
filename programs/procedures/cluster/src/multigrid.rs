//! Runs of NPB MG on several processors: each rank has a machine with its part, and goes through the steps of the part.

use crate::decomposition::{FaceSide, ProcessGrid};
use crate::error::ClusterMgError;
use crate::exchange::{AxisExchange, ExchangePlans};
use crate::packing::routines;
use crate::trial;
use cp2_cluster::{
    ClusterError, ClusterOptions, ClusterOutcome, Endpoint, LinkUse, MessageRecord, RankAccount,
    Tick, TimeCause, Topology,
};
use cp2_emu::MachineConfig;
use cp2_emu::machine::Key;
use cp2_isa::{Cycle, MemoryAddress};
use cp2_procedures::multigrid::npb::{Class, right_side};
use cp2_procedures::multigrid::{KernelRoutines, LevelArray, MultigridPart, PartOutline, PartStep};
use cp2_session::cost::Cost;
use cp2_session::execution::Execution;
use cp2_session::reuse::Shelf;
use std::sync::Arc;

/// Tags of the messages of the gathered level; those of faces are below.
const GATHER: u32 = 6;
const DEAL: u32 = 7;

/// Problem of NPB MG on several processors.
#[derive(Clone, Debug)]
pub struct ClusterMgProblem {
    /// Class of NPB MG.
    pub class: Class,
    /// Grid of processes, one for each rank of the topology.
    pub grid: ProcessGrid,
    /// Links between the processes.
    pub topology: Topology,
    /// Machine of each process.
    pub config: MachineConfig,
    /// Points along an axis of the finest level that one process does alone; `None`: the level with the shortest time in trials.
    pub gathered: Option<usize>,
    /// Whether the values of all levels are kept, for comparisons.
    pub keeps_levels: bool,
    /// The way in which ranks and network are run.
    pub options: ClusterOptions,
    /// Programs that all ranks and runs of the problem share.
    pub shelf: Arc<Shelf>,
}

/// Time of a trial with one gathered level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GatherTrial {
    /// Points along an axis of the gathered level.
    pub points: usize,
    /// Time of the trial.
    pub time: Tick,
}

/// Values of an array of a level in a block, or in the whole grid of a gathered level.
#[derive(Clone, Debug, PartialEq)]
pub struct LevelValues {
    /// Array of the level.
    pub array: LevelArray,
    /// Points along an axis of the whole grid.
    pub points: usize,
    /// Whether the values are those of the whole grid, and not of a block.
    pub is_whole: bool,
    /// Values, x fastest.
    pub values: Vec<f32>,
}

/// What a rank has at the end.
#[derive(Clone, Debug, PartialEq)]
pub struct RankRun {
    /// Residual after the last V-cycle in the block of the process, x fastest.
    pub residual: Vec<f32>,
    /// Root of the mean square of the residual over all points, from sums of blocks.
    pub norm: f64,
    /// Largest magnitude of the residual over all points.
    pub largest: f64,
    /// Moment at which the last V-cycle was done, before the norm.
    pub end: Tick,
    /// Cost of what the machine did.
    pub cost: Cost,
    /// Values of all levels, if they were asked for.
    pub levels: Vec<LevelValues>,
}

/// Results of a run on several processors.
#[derive(Clone, Debug)]
pub struct ClusterMgRun {
    /// What each rank has at the end.
    pub ranks: Vec<RankRun>,
    /// Account of the time of each rank.
    pub accounts: Vec<RankAccount>,
    /// Use of each direction of each link.
    pub links: Vec<LinkUse>,
    /// Messages of the run.
    pub messages: Vec<MessageRecord>,
    /// Points along an axis of the gathered level; with one process those of the finest level.
    pub gathered: usize,
    /// Trials by which the gathered level was chosen, if there were several.
    pub trials: Vec<GatherTrial>,
}

impl ClusterMgRun {
    /// Returns the moment at which the last rank had done its last V-cycle.
    pub fn end(&self) -> Tick {
        self.ranks.iter().map(|rank| rank.end).max().unwrap_or_default()
    }

    /// Returns the norm of the residual.
    pub fn norm(&self) -> f64 {
        self.ranks.first().map_or(0.0, |rank| rank.norm)
    }

    /// Returns the residual at the points of the finest grid, x fastest.
    pub fn residual(&self, problem: &ClusterMgProblem) -> Vec<f32> {
        let points = problem.class.points();
        let mut all = vec![0.0; points.pow(3)];
        for (number, rank) in self.ranks.iter().enumerate() {
            problem.grid.put(number, points, &rank.residual, &mut all);
        }
        all
    }
}

/// Runs NPB MG on several processors in the plain form: one operator after the other, and an exchange of faces after each.
///
/// # Errors
/// The machine does not hold a block or cannot run the kernels, its clock does not fit the ticks of the network, or a level cannot
/// be gathered.
pub fn run_multigrid(
    problem: &ClusterMgProblem,
    execution: &Execution,
) -> Result<ClusterMgRun, ClusterMgError> {
    let (gathered, trials) = trial::gathered_level(problem, execution)?;
    let points = problem.class.points();
    let v = right_side(&execution.environment, points);
    let size = RunSize { points, iterations: problem.class.iterations(), gathered };
    let outcome = run_size(problem, execution, size, &v)?;
    let ClusterOutcome { results, accounts, links, messages } = outcome;
    Ok(ClusterMgRun { ranks: results, accounts, links, messages, gathered, trials })
}

/// Size of a run: that of the class, or of a trial.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RunSize {
    pub(crate) points: usize,
    pub(crate) iterations: usize,
    pub(crate) gathered: usize,
}

/// Runs V-cycles of a size with the right side `v`.
pub(crate) fn run_size(
    problem: &ClusterMgProblem,
    execution: &Execution,
    size: RunSize,
    v: &[f32],
) -> Result<ClusterOutcome<RankRun>, ClusterMgError> {
    let mhz = u64::from(problem.config.value(Key::CpuClock));
    let period = Tick::period(mhz).ok_or(ClusterMgError::Clock { mhz })?;
    let given = problem.grid.processes();
    if problem.topology.ranks() != given {
        let topology = problem.topology.ranks();
        return Err(ClusterError::Ranks { topology, given }.into());
    }
    let shelf = &problem.shelf;
    let start = |endpoint: Endpoint| {
        let environment = execution.environment.reusing(shelf);
        let execution = Execution { environment, ..execution.clone() };
        go_through(Setup { problem, execution, size, period, v }, endpoint)
    };
    Ok(cp2_cluster::run(&problem.topology, &problem.options, start)?)
}

/// What a rank needs to begin.
struct Setup<'r> {
    problem: &'r ClusterMgProblem,
    execution: Execution,
    size: RunSize,
    period: Tick,
    v: &'r [f32],
}

/// Makes the part of a rank, goes through its steps, and takes the norm.
async fn go_through(setup: Setup<'_>, endpoint: Endpoint) -> Result<RankRun, ClusterMgError> {
    let Setup { problem, execution, size, period, v } = setup;
    let (grid, rank) = (problem.grid, endpoint.rank());
    let is_cut = grid.counts[0] > 1;
    let outline = PartOutline {
        class: problem.class,
        points: size.points,
        iterations: size.iterations,
        processes: grid.counts,
        gathered: size.gathered,
        is_root: rank == 0,
        routines: if is_cut { routines() } else { KernelRoutines::default() },
    };
    let mut part = MultigridPart::new(problem.config.clone(), &execution, outline)?;
    let plans = ExchangePlans::new(&mut part, problem.config.core(), &grid)?;
    part.write_right_side(&grid.take(rank, size.points, v))?;
    let mut rank = MgRank { part, endpoint, period, grid, plans };
    for step in rank.part.steps().to_vec() {
        rank.step(step).await?;
    }
    rank.finish(size.points, problem.keeps_levels).await
}

/// A rank of a run: its machine and its side of the network, in one time.
struct MgRank {
    part: MultigridPart,
    endpoint: Endpoint,
    /// Ticks of a cycle of the machine.
    period: Tick,
    grid: ProcessGrid,
    plans: ExchangePlans,
}

impl MgRank {
    async fn step(&mut self, step: PartStep) -> Result<(), ClusterMgError> {
        match step {
            PartStep::Operators(chain) => self.run(chain, TimeCause::Computing),
            PartStep::Exchange { array, points } => {
                for exchange in self.plans.of(array, points).to_vec() {
                    self.exchange(exchange).await?;
                }
                Ok(())
            }
            PartStep::Gather => self.gather().await,
            PartStep::Deal => self.deal().await,
        }
    }

    /// Runs a chain on the machine, and takes its time to the side of the network.
    fn run(&mut self, chain: usize, cause: TimeCause) -> Result<(), ClusterMgError> {
        self.part.run_chain(chain)?;
        self.endpoint.advance_to(self.moment(), cause);
        Ok(())
    }

    /// Returns the moment of the machine.
    fn moment(&self) -> Tick {
        Tick(self.part.cycle().0 * self.period.0)
    }

    /// Lets the machine follow the clock of the network, to the next whole cycle.
    fn follow(&mut self) -> Result<(), ClusterMgError> {
        let cycle = self.endpoint.clock().0.div_ceil(self.period.0);
        self.part.host().pass_until(Cycle(cycle))?;
        self.endpoint.advance_to(self.moment(), TimeCause::Overhead);
        Ok(())
    }

    fn send(
        &mut self,
        to: usize,
        tag: u32,
        (at, bytes): (MemoryAddress, usize),
    ) -> Result<(), ClusterMgError> {
        let words = self.part.host().read_words(at, bytes / 8)?;
        let bytes = words.into_iter().flat_map(u64::to_be_bytes).collect();
        self.endpoint.send(to, tag, bytes)?;
        self.follow()
    }

    async fn recv(
        &mut self,
        from: usize,
        tag: u32,
        at: MemoryAddress,
    ) -> Result<(), ClusterMgError> {
        let message = self.endpoint.recv(from, tag).await?;
        self.follow()?;
        let words = message.bytes.as_chunks().0.iter().map(|&word| u64::from_be_bytes(word));
        self.part.host().write_words(at, &words.collect::<Vec<_>>())?;
        Ok(())
    }

    /// Exchanges both faces along an axis with the neighbours.
    async fn exchange(&mut self, exchange: AxisExchange) -> Result<(), ClusterMgError> {
        let AxisExchange { axis, pack, unpack, sent, received, bytes } = exchange;
        let rank = self.endpoint.rank();
        let neighbours = FaceSide::BOTH.map(|side| self.grid.neighbour(rank, axis, side));
        self.run(pack, TimeCause::Packing)?;
        for side in 0..2 {
            self.send(neighbours[side], (2 * axis + side) as u32, (sent[side], bytes))?;
        }
        for side in 0..2 {
            // What lies beyond the low side is the high face of the neighbour there.
            let tag = (2 * axis + 1 - side) as u32;
            self.recv(neighbours[side], tag, received[side]).await?;
        }
        self.run(unpack, TimeCause::Packing)
    }

    /// Brings the residual of the gathered level to the process that does it alone.
    async fn gather(&mut self) -> Result<(), ClusterMgError> {
        let Some(plan) = self.plans.gather.clone() else { return Ok(()) };
        self.run(plan.pack, TimeCause::Packing)?;
        let Some(root) = plan.root else { return self.send(0, GATHER, plan.residual) };
        for (from, at) in root.residuals.into_iter().enumerate().skip(1) {
            self.recv(from, GATHER, at).await?;
        }
        self.run(root.assemble, TimeCause::Packing)
    }

    /// Brings the solution of the gathered level back to all processes.
    async fn deal(&mut self) -> Result<(), ClusterMgError> {
        let Some(plan) = self.plans.gather.clone() else { return Ok(()) };
        match plan.root {
            Some(root) => {
                self.run(root.divide, TimeCause::Packing)?;
                for (to, at) in root.solutions.into_iter().enumerate().skip(1) {
                    self.send(to, DEAL, (at, plan.solution.1))?;
                }
            }
            None => self.recv(0, DEAL, plan.solution.0).await?,
        }
        self.run(plan.unpack, TimeCause::Packing)
    }

    /// Takes the norm of the residual, which costs messages and no other time, as on one processor.
    async fn finish(
        mut self,
        points: usize,
        keeps_levels: bool,
    ) -> Result<RankRun, ClusterMgError> {
        let end = self.endpoint.clock();
        let residual = self.part.residual()?;
        let squares: f64 = residual.iter().map(|&x| f64::from(x) * f64::from(x)).sum();
        let largest = residual.iter().map(|x| f64::from(x.abs())).fold(0.0, f64::max);
        let norm = (self.endpoint.sum(squares).await / points.pow(3) as f64).sqrt();
        let largest = self.endpoint.maximum(largest).await;
        let mut levels = Vec::new();
        for points in (1..=points.trailing_zeros()).map(|k| 1 << k).filter(|_| keeps_levels) {
            for array in [LevelArray::U, LevelArray::R] {
                let grids = [self.part.block(array, points), self.part.whole(array, points)];
                for (grid, is_whole) in grids.into_iter().zip([false, true]) {
                    let Some(grid) = grid else { continue };
                    let values = grid.read(self.part.host())?;
                    levels.push(LevelValues { array, points, is_whole, values });
                }
            }
        }
        let cost = self.part.cost();
        Ok(RankRun { residual, norm, largest, end, cost, levels })
    }
}
