//! Runs of NPB MG on several processors.

use crate::decomposition::ProcessGrid;
use crate::error::ClusterMgError;
use crate::problem::{
    ClusterMgMode, ClusterMgProblem, ClusterMgRun, GatherChoice, GatherTrial, RankRun,
};
use crate::procedure::{ClusterProcedure, ClusterResults, ClusterSetup, RunCheckpoints};
use crate::ranks::{RunSize, run_size};
use crate::trial;
use cp2_cluster::{ClusterError, Keeping, OTHER_RUN, Topology};
use cp2_procedures::multigrid::npb::right_side;
use cp2_session::execution::Execution;

/// Runs NPB MG on several processors in the plain form: one operator after the other, and an exchange of faces after each.
///
/// # Errors
/// The machine does not hold a block or cannot run the kernels, its clock does not fit the ticks of the network, or a level cannot
/// be gathered.
pub fn run_multigrid(
    problem: &ClusterMgProblem,
    execution: &Execution,
) -> Result<ClusterMgRun, ClusterMgError> {
    let (gathered, trials, keeping) = begin(problem, execution)?;
    let points = problem.class.points();
    let v = match problem.mode {
        ClusterMgMode::Exact => right_side(&execution.environment, points),
        ClusterMgMode::Replay => Vec::new(),
    };
    let size = RunSize { points, iterations: problem.class.iterations(), gathered };
    let outcome = run_size(problem, execution, (size, keeping), &v)?;
    Ok(ClusterResults::new(outcome, GatherChoice { gathered, trials }))
}

/// Returns the gathered level, the trials by which it was chosen, and what checkpoints are kept of the run. A run that goes on
/// from a checkpoint takes the level from it.
fn begin(
    problem: &ClusterMgProblem,
    execution: &Execution,
) -> Result<(usize, Vec<GatherTrial>, Option<Keeping>), ClusterMgError> {
    let Some(RunCheckpoints { store, resumes }) = problem.setup.checkpoints.clone() else {
        let (gathered, trials) = trial::gathered_level(problem, execution)?;
        return Ok((gathered, trials, None));
    };
    let refused = |told: String| ClusterMgError::from(ClusterError::Checkpoint(told));
    let mut keeping = Keeping { store, about: Vec::new(), resumes };
    let told =
        keeping.description_of_last(problem.setup.options.transport.as_deref()).map_err(refused)?;
    let identity = problem.identity();
    let (gathered, trials) = match told {
        None => trial::gathered_level(problem, execution)?,
        Some(about) => {
            let other = || refused(OTHER_RUN.to_owned());
            let (of, gathered, trials): (String, usize, Vec<GatherTrial>) =
                postcard::from_bytes(&about).map_err(|_| other())?;
            // The level is told by the checkpoint of the same run, and nothing else reads it.
            if of != identity {
                return Err(other());
            }
            (gathered, trials)
        }
    };
    let about = postcard::to_stdvec(&(&identity, gathered, &trials));
    keeping.about = about.map_err(|e| refused(e.to_string()))?;
    Ok((gathered, trials, Some(keeping)))
}

impl ClusterProcedure for ClusterMgProblem {
    type Rank = RankRun;
    type Choice = GatherChoice;

    fn setup(&self) -> &ClusterSetup {
        &self.setup
    }

    fn setup_mut(&mut self) -> &mut ClusterSetup {
        &mut self.setup
    }

    fn outline(&self) -> String {
        let Self { class, mode, grid, gathered, .. } = self;
        format!("mg {class} {mode:?} {grid:?} {gathered:?}")
    }

    fn run(&self, execution: &Execution) -> Result<ClusterMgRun, ClusterMgError> {
        run_multigrid(self, execution)
    }

    fn alone(&self, topology: Topology) -> Self {
        let setup = ClusterSetup { topology, ..self.setup.clone() };
        Self { grid: ProcessGrid { counts: [1; 3] }, gathered: None, setup, ..self.clone() }
    }

    fn is_same(&self, run: &ClusterMgRun, one: (&Self, &ClusterMgRun)) -> Option<bool> {
        let bits = |(problem, run): (&Self, &ClusterMgRun)| -> Vec<u32> {
            run.residual(problem).into_iter().map(f32::to_bits).collect()
        };
        (self.mode == ClusterMgMode::Exact).then(|| bits(one) == bits((self, run)))
    }
}
