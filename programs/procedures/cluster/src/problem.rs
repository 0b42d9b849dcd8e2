//! Problems of NPB MG on several processors, and what their runs find.

use crate::decomposition::ProcessGrid;
use crate::procedure::{ClusterResults, ClusterSetup, RankResult};
use cp2_cluster::Tick;
use cp2_procedures::multigrid::LevelArray;
use cp2_procedures::multigrid::npb::Class;
use cp2_session::cost::Cost;
use serde::{Deserialize, Serialize};

/// Mode of a run of NPB MG on several processors.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ClusterMgMode {
    /// All processors compute.
    #[default]
    Exact,
    /// Times alone are found, and no values: a page takes the time that such a page has been measured to take, from the same state
    /// of clocks and memory. All times are those of [`Self::Exact`].
    Replay,
}

impl ClusterMgMode {
    /// Returns the name of the mode in reports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::Replay => "replay",
        }
    }
}

/// Problem of NPB MG on several processors.
#[derive(Clone, Debug)]
pub struct ClusterMgProblem {
    /// Class of NPB MG.
    pub class: Class,
    /// Mode of the run.
    pub mode: ClusterMgMode,
    /// Grid of processes, one for each rank of the topology.
    pub grid: ProcessGrid,
    /// Points along an axis of the finest level that one process does alone; `None`: the level with the shortest time in trials,
    /// which leave out the levels that are not coarser than the grid of a trial.
    pub gathered: Option<usize>,
    /// Whether the values of all levels are kept, for comparisons.
    pub keeps_levels: bool,
    /// Complex on which it runs.
    pub setup: ClusterSetup,
}

/// Time of a trial with one gathered level.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
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

/// Result of a rank at the end of a run. Of a rank that another process of the computer did, the first of these processes has all
/// but the values of levels and the cost; the others have not the residual either.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RankRun {
    /// Residual after the last V-cycle in the block of the process, x fastest; empty in a replay, whose norms are 0.
    pub residual: Vec<f32>,
    /// Root of the mean square of the residual over all points, from sums of blocks.
    pub norm: f64,
    /// Largest magnitude of the residual over all points.
    pub largest: f64,
    /// Moment at which the last V-cycle was done, before the norm.
    pub end: Tick,
    /// Bytes of system memory that arrays, buffers and queues of descriptors take.
    pub memory: u64,
    /// Cost of what the machine did; `None` if another process of the computer did the rank, and in a replay.
    #[serde(skip)]
    pub cost: Option<Cost>,
    /// Values of all levels, if they were asked for.
    #[serde(skip)]
    pub levels: Vec<LevelValues>,
}

impl RankResult for RankRun {
    fn brief(&self) -> Self {
        Self { residual: Vec::new(), ..self.clone() }
    }

    fn end(&self) -> Tick {
        self.end
    }

    fn memory(&self) -> u64 {
        self.memory
    }
}

/// Level that processor 0 does alone with all below it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GatherChoice {
    /// Points along an axis of the gathered level; with one process those of the finest level.
    pub gathered: usize,
    /// Trials by which the gathered level was chosen, if there were several.
    pub trials: Vec<GatherTrial>,
}

/// Results of NPB MG on several processors.
pub type ClusterMgRun = ClusterResults<RankRun, GatherChoice>;

impl ClusterMgRun {
    /// Returns the norm of the residual, 0 in a replay.
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
