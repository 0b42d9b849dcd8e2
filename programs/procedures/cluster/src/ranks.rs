//! The ranks of a run: each has a machine with its part, and goes through its actions.

use crate::driver::RankDriver;
use crate::error::ClusterMgError;
use crate::exchange::ExchangePlans;
use crate::gather;
use crate::packing::routines;
use crate::problem::{ClusterMgMode, ClusterMgProblem, LevelValues, RankRun};
use crate::procedure::{ClusterSetup, RankResult};
use crate::replay::{TimedOutline, TimedOutlines};
use cp2_cluster::{ClusterError, ClusterOptions, ClusterOutcome, Endpoint, Keeping, Tick};
use cp2_emu::MachineConfig;
use cp2_emu::machine::Key;
use cp2_isa::MemoryAddress;
use cp2_procedures::host::pages::BANK_WORDS;
use cp2_procedures::multigrid::{KernelRoutines, LevelArray, MultigridPart, PartOutline};
use cp2_session::error::KernelError;
use cp2_session::execution::Execution;
use cp2_session::reuse::Shelf;
use std::sync::Arc;

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
    (size, keeping): (RunSize, Option<Keeping>),
    v: &[f32],
) -> Result<ClusterOutcome<RankRun>, ClusterMgError> {
    let given = problem.grid.processes();
    let topology = problem.setup.topology.ranks();
    if topology != given {
        return Err(ClusterError::Ranks { topology, given }.into());
    }
    let outlines = TimedOutlines::default();
    run_ranks(&problem.setup, execution, keeping, |endpoint, execution, period| {
        let setup = Setup { problem, execution, size, period, v };
        let outlines = &outlines;
        async move {
            match problem.mode {
                ClusterMgMode::Exact => go_through(setup, endpoint).await,
                ClusterMgMode::Replay => replay(setup, endpoint, outlines).await,
            }
        }
    })
}

/// Runs all ranks of a procedure; `start` begins one, with its side of the network, its execution and the ticks of its cycle. The
/// results of other processes of the computer are among those that are returned.
pub(crate) fn run_ranks<R, W>(
    setup: &ClusterSetup,
    execution: &Execution,
    keeping: Option<Keeping>,
    start: impl Fn(Endpoint, Execution, Tick) -> W + Sync,
) -> Result<ClusterOutcome<R>, ClusterMgError>
where
    R: RankResult + Send,
    W: Future<Output = Result<R, ClusterMgError>> + Send,
{
    let period = period(&setup.config)?;
    let options = ClusterOptions { keeping, ..setup.options.clone() };
    let start = |endpoint: Endpoint| start(endpoint, of_rank(execution, &setup.shelf), period);
    let outcome = cp2_cluster::run(&setup.topology, &options, start)?;
    gather::results(options.transport.as_deref(), outcome)
}

/// Returns the ticks of a cycle of a machine.
fn period(config: &MachineConfig) -> Result<Tick, ClusterMgError> {
    let mhz = u64::from(config.value(Key::CpuClock));
    Tick::period(mhz).ok_or(ClusterMgError::Clock { mhz })
}

/// Returns the execution of a rank, which shares programs with the others. Recordings and checkpoints of it are of one machine.
fn of_rank(execution: &Execution, shelf: &Arc<Shelf>) -> Execution {
    let environment = execution.environment.reusing(shelf);
    Execution { environment, recorder: None, keeper: None, ..execution.clone() }
}

/// Problem, size and data with which a rank begins.
struct Setup<'r> {
    problem: &'r ClusterMgProblem,
    execution: Execution,
    size: RunSize,
    period: Tick,
    v: &'r [f32],
}

impl Setup<'_> {
    /// Makes the part of a rank, with its exchanges.
    fn part(&self, rank: usize) -> Result<(MultigridPart, ExchangePlans), ClusterMgError> {
        let Self { problem, execution, size, .. } = self;
        let grid = problem.grid;
        if grid.processes() > 1 {
            let words = problem.setup.config.core().lmem_words();
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
        let mut part = MultigridPart::new(problem.setup.config.clone(), execution, outline)?;
        let plans = ExchangePlans::new(&mut part, problem.setup.config.core(), &grid)?;
        Ok((part, plans))
    }
}

/// Makes the part of a rank, goes through its actions, and takes the norm.
async fn go_through(setup: Setup<'_>, endpoint: Endpoint) -> Result<RankRun, ClusterMgError> {
    let (mut part, plans) = setup.part(endpoint.rank())?;
    let Setup { problem, size, period, v, .. } = setup;
    let (grid, rank) = (problem.grid, endpoint.rank());
    part.write_right_side(&grid.take(rank, size.points, v))?;
    let actions = plans.actions(part.steps(), &grid, rank);
    let mut rank = RankDriver::new(part, endpoint, period);
    rank.go_through(&actions).await?;
    finish(rank, size.points, problem.keeps_levels).await
}

/// Goes through the actions of a rank without values.
async fn replay(
    setup: Setup<'_>,
    endpoint: Endpoint,
    outlines: &TimedOutlines,
) -> Result<RankRun, ClusterMgError> {
    let rank = endpoint.rank();
    let part = outlines.part(rank == 0, || setup.part(rank))?;
    let (actions, memory) = {
        let mut outline = part.outline();
        let TimedOutline { times, plans } = &mut *outline;
        let actions = plans.actions(times.part().steps(), &setup.problem.grid, rank);
        (actions, times.part().host().allocated().0 - MemoryAddress::FIRST.0)
    };
    let mut rank = RankDriver::new(part, endpoint, setup.period);
    rank.go_through(&actions).await?;
    let mut endpoint = rank.endpoint;
    let end = endpoint.clock();
    // The messages of the norm take their time.
    let norm = endpoint.sum(0.0).await;
    let largest = endpoint.maximum(0.0).await;
    let (residual, levels) = (Vec::new(), Vec::new());
    Ok(RankRun { residual, norm, largest, end, memory, cost: None, levels })
}

/// Takes the norm of the residual, which costs messages and no other time, as on one processor.
async fn finish(
    rank: RankDriver<MultigridPart>,
    points: usize,
    keeps_levels: bool,
) -> Result<RankRun, ClusterMgError> {
    let RankDriver { mut part, mut endpoint, .. } = rank;
    let end = endpoint.clock();
    let residual = part.residual()?;
    let squares: f64 = residual.iter().map(|&x| f64::from(x) * f64::from(x)).sum();
    let largest = residual.iter().map(|x| f64::from(x.abs())).fold(0.0, f64::max);
    let norm = (endpoint.sum(squares).await / points.pow(3) as f64).sqrt();
    let largest = endpoint.maximum(largest).await;
    let mut levels = Vec::new();
    for points in (1..=points.trailing_zeros()).map(|k| 1 << k).filter(|_| keeps_levels) {
        for array in [LevelArray::U, LevelArray::R] {
            let grids = [part.block(array, points), part.whole(array, points)];
            for (grid, is_whole) in grids.into_iter().zip([false, true]) {
                let Some(grid) = grid else { continue };
                let values = grid.read(part.host())?;
                levels.push(LevelValues { array, points, is_whole, values });
            }
        }
    }
    let memory = part.host().allocated().0 - MemoryAddress::FIRST.0;
    let cost = Some(part.cost());
    Ok(RankRun { residual, norm, largest, end, memory, cost, levels })
}
