//! Runs of NPB MG on several processors.

use crate::error::ClusterMgError;
use crate::problem::{ClusterMgProblem, ClusterMgRun};
use crate::ranks::{RunSize, run_size};
use crate::trial;
use cp2_cluster::ClusterOutcome;
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
    let (gathered, trials) = trial::gathered_level(problem, execution)?;
    let points = problem.class.points();
    let v = right_side(&execution.environment, points);
    let size = RunSize { points, iterations: problem.class.iterations(), gathered };
    let outcome = run_size(problem, execution, size, &v)?;
    let ClusterOutcome { results, accounts, links, messages, events, .. } = outcome;
    Ok(ClusterMgRun { ranks: results, accounts, links, messages, events, gathered, trials })
}
