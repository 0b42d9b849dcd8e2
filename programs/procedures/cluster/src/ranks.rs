//! The ranks of a run: each has a machine with its part, and goes through its actions.

use crate::actions::RankAction;
use crate::error::ClusterMgError;
use crate::exchange::ExchangePlans;
use crate::gather;
use crate::packing::routines;
use crate::problem::{ClusterMgProblem, LevelValues, RankRun};
use cp2_cluster::{ClusterError, ClusterOutcome, Endpoint, Tick, TimeCause};
use cp2_emu::machine::Key;
use cp2_isa::{Cycle, MemoryAddress};
use cp2_procedures::host::pages::BANK_WORDS;
use cp2_procedures::multigrid::{KernelRoutines, LevelArray, MultigridPart, PartOutline};
use cp2_session::error::{KeepingError, KernelError};
use cp2_session::execution::Execution;

/// Name of the procedure in errors.
const PROCEDURE: &str = "mg on several processors";

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

/// Makes the part of a rank, goes through its actions, and takes the norm.
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
    let actions = plans.actions(part.steps(), &grid, rank);
    let mut rank = MgRank { part, endpoint, period, position: 0 };
    rank.resume(actions.len())?;
    while let Some(&action) = actions.get(rank.position) {
        rank.act(action).await?;
        rank.position += 1;
    }
    rank.finish(size.points, problem.keeps_levels).await
}

/// A rank of a run: its machine and its side of the network, in one time.
struct MgRank {
    part: MultigridPart,
    endpoint: Endpoint,
    /// Ticks of a cycle of the machine.
    period: Tick,
    /// Number of actions that are done.
    position: usize,
}

impl MgRank {
    /// Goes on from a checkpoint, if the run does.
    fn resume(&mut self, actions: usize) -> Result<(), ClusterMgError> {
        let Some(state) = self.endpoint.take_resumed() else { return Ok(()) };
        let (position, part) = state.split_first_chunk().unwrap_or((&[0; 8], &state));
        self.position = usize::try_from(u64::from_le_bytes(*position)).unwrap_or(usize::MAX);
        self.part.restore(part)?;
        match self.position < actions && self.machine_time() == self.endpoint.clock() {
            true => Ok(()),
            false => Err(KernelError::from(KeepingError::Damaged).into()),
        }
    }

    async fn act(&mut self, action: RankAction) -> Result<(), ClusterMgError> {
        match action {
            RankAction::Run { chain, cause } => self.run(chain, cause),
            RankAction::Send { to, tag, at, bytes } => self.send(to, tag, (at, bytes)),
            RankAction::Receive { from, tag, at } => self.recv(from, tag, at).await,
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

    /// Receives a message into a buffer. While the rank waits, it can leave its machine and its position to a checkpoint.
    async fn recv(
        &mut self,
        from: usize,
        tag: u32,
        at: MemoryAddress,
    ) -> Result<(), ClusterMgError> {
        let Self { part, endpoint, position, .. } = self;
        let save = || {
            let mut state = (*position as u64).to_le_bytes().to_vec();
            state.extend(part.save().map_err(|e| e.to_string())?);
            Ok(state)
        };
        let message = endpoint.recv_saving(from, tag, save).await?;
        self.follow()?;
        let words = message.bytes.as_chunks().0.iter().map(|&word| u64::from_be_bytes(word));
        self.part.host().write_words(at, &words.collect::<Vec<_>>())?;
        Ok(())
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
