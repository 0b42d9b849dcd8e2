//! The ranks of a run: each has a machine with its part, and goes through the steps of the part.

use crate::decomposition::{FaceSide, ProcessGrid};
use crate::error::ClusterMgError;
use crate::exchange::{AxisExchange, ExchangePlans};
use crate::gather;
use crate::packing::routines;
use crate::problem::{ClusterMgProblem, LevelValues, RankRun};
use cp2_cluster::{ClusterError, ClusterOutcome, Endpoint, Tick, TimeCause};
use cp2_emu::machine::Key;
use cp2_isa::{Cycle, MemoryAddress};
use cp2_procedures::host::pages::BANK_WORDS;
use cp2_procedures::multigrid::{KernelRoutines, LevelArray, MultigridPart, PartOutline, PartStep};
use cp2_session::error::KernelError;
use cp2_session::execution::Execution;

/// Name of the procedure in errors.
const PROCEDURE: &str = "mg on several processors";
/// Tags of the messages of the gathered level; those of faces are below.
const GATHER: u32 = 6;
const DEAL: u32 = 7;

/// Size of a run: that of the class, or of a trial.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RunSize {
    pub(crate) points: usize,
    pub(crate) iterations: usize,
    pub(crate) gathered: usize,
}

/// Runs V-cycles of a size with the right side `v`. All ranks are in the results, those of other processes of the computer too.
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
        // Recordings and checkpoints are of one machine.
        let alone = Execution { recorder: None, keeper: None, ..execution.clone() };
        let execution = Execution { environment, ..alone };
        go_through(Setup { problem, execution, size, period, v }, endpoint)
    };
    let outcome = cp2_cluster::run(&problem.topology, &problem.options, start)?;
    gather::results(problem.options.transport.as_deref(), outcome)
}

/// Problem, size and data with which a rank begins.
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
    if grid.processes() > 1 {
        let words = problem.config.core().lmem_words();
        KernelError::require(PROCEDURE, "words of local memory", 2 * BANK_WORDS, words)?;
    }
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
        self.endpoint.advance_to(self.machine_time(), cause);
        Ok(())
    }

    /// Returns the moment of the machine.
    fn machine_time(&self) -> Tick {
        Tick(self.part.cycle().0 * self.period.0)
    }

    /// Lets the machine follow the clock of the network, to the next whole cycle.
    fn follow(&mut self) -> Result<(), ClusterMgError> {
        let cycle = self.endpoint.clock().0.div_ceil(self.period.0);
        self.part.host().pass_until(Cycle(cycle))?;
        self.endpoint.advance_to(self.machine_time(), TimeCause::Overhead);
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
        let cost = Some(self.part.cost());
        Ok(RankRun { residual, norm, largest, end, cost, levels })
    }
}
