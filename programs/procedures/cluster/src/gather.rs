//! Results of the ranks that other processes of the computer have done.

use crate::error::ClusterMgError;
use crate::procedure::RankResult;
use cp2_cluster::{ClusterError, ClusterOutcome, Transport, TransportError};

/// Brings the results of all ranks to all processes; the arrays of others to the first process alone.
pub(crate) fn results<R: RankResult>(
    transport: Option<&dyn Transport>,
    outcome: ClusterOutcome<R>,
) -> Result<ClusterOutcome<R>, ClusterMgError> {
    let Some(transport) = transport else { return Ok(outcome) };
    let (own, results) = (&outcome.own, &outcome.results);
    let of_all: Vec<(&usize, R)> = own.iter().zip(results.iter().map(R::brief)).collect();
    let mut rows = vec![encoded(&of_all)?; transport.processes()];
    let whole: Vec<(&usize, &R)> = own.iter().zip(results).collect();
    if let Some(first) = rows.first_mut().filter(|_| transport.process() > 0) {
        *first = encoded(&whole)?;
    }
    let taken = transport.exchange(rows).map_err(ClusterError::Transport)?;
    let mut all: Vec<(usize, R)> = own.iter().copied().zip(outcome.results).collect();
    for (_, row) in taken.iter().enumerate().filter(|(from, _)| *from != transport.process()) {
        let of_others: Vec<(usize, R)> = postcard::from_bytes(row).map_err(broken)?;
        all.extend(of_others);
    }
    all.sort_by_key(|(rank, _)| *rank);
    let (own, results) = all.into_iter().unzip();
    Ok(ClusterOutcome { own, results, ..outcome })
}

fn encoded(ranks: &impl serde::Serialize) -> Result<Vec<u8>, ClusterMgError> {
    postcard::to_stdvec(ranks).map_err(broken)
}

fn broken(error: impl std::fmt::Display) -> ClusterMgError {
    let told = format!("the results of a process cannot be read: {error}");
    ClusterError::Transport(TransportError(told)).into()
}
