//! Times of NPB MG on many numbers of processors, topologies and latencies, and the estimate of `[D]` beside them.

use crate::decomposition::ProcessGrid;
use crate::error::ClusterMgError;
use crate::multigrid::run_multigrid;
use crate::problem::{ClusterMgMode, ClusterMgProblem, ClusterMgRun};
use crate::procedure::ClusterSetup;
use cp2_cluster::{ClusterOptions, RankAccount, Tick, TimeCause, Topology};
use cp2_emu::MachineConfig;
use cp2_procedures::multigrid::npb::Class;
use cp2_session::execution::Execution;
use cp2_session::reuse::Shelf;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Shares of the time of a processor, in percent, in the order of [`TimeCause::ALL`].
pub type CauseShares = [f64; TimeCause::ALL.len()];

/// Case of a study: a class on so many processors of a topology.
#[derive(Clone, Debug)]
pub struct ScalingCase {
    /// Class of NPB MG.
    pub class: Class,
    /// Grid of processes.
    pub grid: ProcessGrid,
    /// Name of the topology.
    pub name: String,
    /// Links between the processes.
    pub topology: Topology,
    /// Latency of all links in microseconds; `None`: those of the topology.
    pub latency_us: Option<f64>,
    /// Machine of each process.
    pub config: MachineConfig,
}

/// Times of a case.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ScalingRow {
    /// Class of NPB MG.
    pub class: String,
    /// Machine of each processor.
    pub machine: String,
    /// Name of the topology.
    pub topology: String,
    /// Number of processors.
    pub processors: usize,
    /// Latency of all links in microseconds; `None`: those of the topology.
    pub latency_us: Option<f64>,
    /// Time to the end of the last V-cycle in milliseconds.
    pub ms: f64,
    /// Rate in 10^6 operations a second, as NPB counts.
    pub mops: f64,
    /// Points along an axis of the finest level that processor 0 does alone.
    pub gathered: usize,
    /// Shares of the time of processor 0, with the norm.
    pub first: CauseShares,
    /// Means of the shares of the other processors; zeros if there are none.
    pub others: CauseShares,
    /// Name of the direction of a link that was busy longest; empty if nothing was sent.
    pub neck: String,
    /// Percent of the time, with the norm, in which that link was busy.
    pub neck_busy: f64,
}

impl ScalingRow {
    /// Returns the mean share of a cause over all processors in percent.
    pub fn share(&self, cause: TimeCause) -> f64 {
        let others = (self.processors - 1) as f64;
        (self.first[cause as usize] + others * self.others[cause as usize]) / (others + 1.0)
    }
}

/// Returns the times of a case, found by replay, with as many threads of this computer as given.
///
/// # Errors
/// The machine does not hold a block or cannot run the kernels, or its clock does not fit the ticks of the network.
pub fn scaling_row(
    case: &ScalingCase,
    (threads, shelf): (usize, &Arc<Shelf>),
    execution: &Execution,
) -> Result<ScalingRow, ClusterMgError> {
    let with = |us: f64| case.topology.clone().with_latency(Tick::from_ns(1e3 * us));
    let topology = case.latency_us.map_or_else(|| case.topology.clone(), with);
    let problem = ClusterMgProblem {
        class: case.class,
        mode: ClusterMgMode::Replay,
        grid: case.grid,
        gathered: None,
        keeps_levels: false,
        setup: ClusterSetup {
            topology,
            config: case.config.clone(),
            options: ClusterOptions { threads, ..ClusterOptions::default() },
            checkpoints: None,
            shelf: shelf.clone(),
        },
    };
    let run = run_multigrid(&problem, execution)?;
    Ok(row(case, &problem.setup.topology, &run))
}

fn row(case: &ScalingCase, topology: &Topology, run: &ClusterMgRun) -> ScalingRow {
    let ms = run.end().ms();
    let processors = case.grid.processes();
    let links = topology.links().iter().zip(&run.links);
    let neck = links.reduce(|a, b| if b.1.busy > a.1.busy { b } else { a });
    let neck = neck.filter(|(_, used)| used.packets > 0);
    let percent = |part: Tick, whole: Tick| rounded(100.0 * part.ns() / whole.ns(), 2);
    ScalingRow {
        class: case.class.name().to_owned(),
        machine: case.config.name().to_owned(),
        topology: case.name.clone(),
        processors,
        latency_us: case.latency_us,
        ms: rounded(ms, 6),
        mops: rounded(case.class.operations() as f64 / ms / 1e3, 1),
        gathered: run.choice.gathered,
        first: mean_shares(run.accounts.get(..1).unwrap_or_default()),
        others: mean_shares(run.accounts.get(1..).unwrap_or_default()),
        neck: neck.map_or_else(String::new, |(link, _)| link.name().to_owned()),
        neck_busy: neck.map_or(0.0, |(_, used)| percent(used.busy, run.last())),
    }
}

/// Returns the means of the shares of these processors.
fn mean_shares(accounts: &[RankAccount]) -> CauseShares {
    let count = accounts.len().max(1) as f64;
    TimeCause::ALL.map(|cause| {
        let of = accounts.iter().map(|account| account.of(cause).ns() / account.total().ns());
        rounded(100.0 * of.sum::<f64>() / count, 2)
    })
}

/// Returns a number with so many digits behind the point.
fn rounded(number: f64, digits: i32) -> f64 {
    let scale = 10f64.powi(digits);
    // The sum of nothing is -0.0.
    (scale * number).round() / scale + 0.0
}

/// Rates with which `[D]` estimates a run on several processors.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EstimateRates {
    /// Rate of the residual on one processor, in operations a second.
    pub residual: f64,
    /// Bytes that a link takes in a second, in each direction.
    pub link: f64,
}

impl EstimateRates {
    /// VM9 at 1000/600 MHz: `[D]` table 3.4 and section 1.3.
    pub const VM9: Self = Self { residual: 5186e6, link: 1250e6 };
    /// VM7: `[D]` table 3.3 and section 1.3.
    pub const VM7: Self = Self { residual: 1465e6, link: 500e6 };
}

/// Operations of the residual at a point, as `[D]` counts.
const RESIDUAL: f64 = 31.0;
/// Rate of multigrid, as NPB counts, in parts of that of the residual (`[D]` 3.2.6).
const OF_RESIDUAL: f64 = 0.52;
/// Bytes of an element.
const ELEMENT: f64 = 4.0;

/// Estimate of `[D]` for the residual on a grid that is dealt out: formulas (3.8) and (3.9).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MgEstimate {
    /// Computing (3.8) in seconds.
    pub computing: f64,
    /// Exchange of three pairs of faces (3.9) in seconds.
    pub exchange: f64,
    /// Rate of multigrid that follows, in operations a second as NPB counts.
    pub rate: f64,
}

impl MgEstimate {
    /// Returns the estimate for a grid of `points` points along an axis.
    pub fn new(points: usize, grid: ProcessGrid, rates: EstimateRates) -> Self {
        let block = grid.counts.map(|count| (points / count) as f64);
        let [x, y, z] = block;
        let all = (points as f64).powi(3);
        let computing = RESIDUAL * x * y * z / rates.residual;
        let exchange = ELEMENT * (y * z + x * z + x * y) / rates.link;
        let rate = OF_RESIDUAL * RESIDUAL * all / (computing + exchange);
        Self { computing, exchange, rate }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The numbers of section 9 of the reference: class, processors, computing and exchange in ms, rate in 10^9 operations a second.
    const PRINTED: [(usize, usize, f64, f64, f64); 5] = [
        (256, 2, 50.14, 0.419, 5.35),
        (256, 8, 12.54, 0.157, 21.3),
        (512, 8, 100.29, 0.629, 21.4),
        (512, 16, 50.14, 0.419, 42.8),
        (512, 64, 12.54, 0.157, 170.0),
    ];

    #[test]
    fn estimates_are_those_of_the_source() {
        for (points, processors, computing, exchange, rate) in PRINTED {
            let grid = ProcessGrid::new(processors, points).unwrap();
            let found = MgEstimate::new(points, grid, EstimateRates::VM9);
            let close = |found: f64, printed: f64| (found / printed - 1.0).abs() < 4e-3;
            assert!(close(1e3 * found.computing, computing), "{points} {processors} {found:?}");
            assert!(close(1e3 * found.exchange, exchange), "{points} {processors} {found:?}");
            assert!(close(1e-9 * found.rate, rate), "{points} {processors} {found:?}");
        }
    }
}
