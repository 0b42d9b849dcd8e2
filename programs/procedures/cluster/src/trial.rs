//! The level that one process does alone, chosen by trials: one V-cycle on a grid of a few levels for each level that can be
//! gathered and is coarser than the grid of the trial. Times do not depend on values, and finer levels take as long whichever level is gathered.

use crate::error::ClusterMgError;
use crate::problem::{ClusterMgProblem, GatherTrial};
use crate::ranks::{RunSize, run_size};
use cp2_session::execution::Execution;

/// Points along an axis of the finest grid of a trial, unless more processes need a finer one.
const FINEST: usize = 64;

/// Most points along an axis of a gathered level: a row with the points beside it is one burst of the channel.
const LARGEST: usize = 128;

/// Returns the levels that can be gathered, coarsest first: those whose blocks have enough points, below the finest level.
fn candidates(problem: &ClusterMgProblem) -> Vec<usize> {
    let below = problem.class.points() / 2;
    let levels = (1..=below.trailing_zeros()).map(|k| 1 << k);
    let can_be = |points: &usize| (4..=LARGEST).contains(points) && problem.grid.divides(*points);
    levels.filter(can_be).collect()
}

/// Returns the points along an axis of the level that is gathered, and the trials by which it was chosen.
pub(crate) fn gathered_level(
    problem: &ClusterMgProblem,
    execution: &Execution,
) -> Result<(usize, Vec<GatherTrial>), ClusterMgError> {
    let finest = problem.class.points();
    if problem.grid.processes() == 1 {
        return Ok((finest, Vec::new()));
    }
    let allowed = candidates(problem);
    if let Some(given) = problem.gathered {
        return match allowed.contains(&given) {
            true => Ok((given, Vec::new())),
            false => Err(ClusterMgError::Gathered { given, allowed }),
        };
    }
    let coarsest = allowed.first().copied().unwrap_or(finest / 2);
    let points = FINEST.max(4 * coarsest).min(finest);
    let tried: Vec<usize> = allowed.into_iter().filter(|&level| level < points).collect();
    if let [only] = tried[..] {
        return Ok((only, Vec::new()));
    }
    let v = vec![0.0; points.pow(3)];
    let mut trials = Vec::new();
    for gathered in tried {
        let size = RunSize { points, iterations: 1, gathered };
        let trial = ClusterMgProblem { keeps_levels: false, ..problem.clone() };
        let outcome = run_size(&trial, execution, (size, None), &v)?;
        let time = outcome.results.iter().map(|rank| rank.end).max().unwrap_or_default();
        trials.push(GatherTrial { points: gathered, time });
    }
    let best = trials.iter().min_by_key(|trial| (trial.time, trial.points));
    Ok((best.map_or(finest / 2, |trial| trial.points), trials))
}
