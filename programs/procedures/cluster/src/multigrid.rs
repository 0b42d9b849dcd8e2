//! Runs of NPB MG on several processors.

use crate::error::ClusterMgError;
use crate::problem::{ClusterMgMode, ClusterMgProblem, ClusterMgRun, GatherTrial, RunCheckpoints};
use crate::ranks::{RunSize, run_size};
use crate::trial;
use cp2_cluster::{ClusterError, ClusterOptions, ClusterOutcome, Keeping, OTHER_RUN};
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
    let options = ClusterOptions { keeping, ..problem.options.clone() };
    let outcome = run_size(&ClusterMgProblem { options, ..problem.clone() }, execution, size, &v)?;
    let ClusterOutcome { results, accounts, links, messages, events, .. } = outcome;
    Ok(ClusterMgRun { ranks: results, accounts, links, messages, events, gathered, trials })
}

/// Returns the gathered level, the trials by which it was chosen, and what checkpoints are kept of the run. A run that goes on
/// from a checkpoint takes the level from it.
fn begin(
    problem: &ClusterMgProblem,
    execution: &Execution,
) -> Result<(usize, Vec<GatherTrial>, Option<Keeping>), ClusterMgError> {
    let Some(RunCheckpoints { store, resumes }) = problem.checkpoints.clone() else {
        let (gathered, trials) = trial::gathered_level(problem, execution)?;
        return Ok((gathered, trials, None));
    };
    let refused = |told: String| ClusterMgError::from(ClusterError::Checkpoint(told));
    let mut keeping = Keeping { store, about: Vec::new(), resumes };
    let told =
        keeping.description_of_last(problem.options.transport.as_deref()).map_err(refused)?;
    let identity = identity(problem);
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

/// Returns all on which the bytes of a run depend.
fn identity(problem: &ClusterMgProblem) -> String {
    let ClusterMgProblem { class, mode, grid, topology, config, gathered, .. } = problem;
    let machine = config.dump();
    let version = env!("CARGO_PKG_VERSION");
    format!("{version} {class} {mode:?} {grid:?} {gathered:?} {topology:?} {machine}")
}
