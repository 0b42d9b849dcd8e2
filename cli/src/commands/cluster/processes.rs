//! The processes of MPI that do a run together.

#[cfg(not(feature = "mpi"))]
use crate::process::exit::usage;
use crate::process::exit::{Exit, Outcome};
#[cfg(feature = "mpi")]
use crate::process::exit::{Failure, bad_input, complain};
#[cfg(feature = "mpi")]
use cp2_cluster::TransportError;
use cp2_cluster::{Topology, Transport};
#[cfg(feature = "mpi")]
use cp2_cluster_mpi::{LostProcess, MpiTransport};
use std::fmt;
use std::sync::Arc;

/// Processes of a run, as one of them sees them.
pub(crate) struct Processes {
    /// Way to the others, if there are any.
    pub(crate) transport: Option<Arc<dyn Transport>>,
}

impl Processes {
    /// Whether this process is the one that prints.
    pub(crate) fn is_first(&self) -> bool {
        self.transport.as_ref().is_none_or(|transport| transport.process() == 0)
    }

    /// Returns the results of a run to the first process, which goes on alone, and to the others the code by which they
    /// end. All processes have the same error, and the first tells it.
    pub(crate) fn first_only<R>(&self, run: Outcome<R>) -> Outcome<Result<R, Exit>> {
        match run {
            Err(failure) if !self.is_first() => Ok(Err(failure.exit)),
            Ok(_) if !self.is_first() => Ok(Err(Exit::Success)),
            run => run.map(Ok),
        }
    }
}

/// Joins the processes that were started together, if that is asked for.
#[cfg(feature = "mpi")]
pub(crate) fn join(
    is_asked: bool,
    problem: &impl fmt::Debug,
    topology: &Topology,
) -> Outcome<Processes> {
    if !is_asked {
        return Ok(Processes { transport: None });
    }
    // The processes wait for each other when they end, and what tells of a lost one has its own way with signals.
    crate::process::signals::hold(true);
    let command = format!("{} {problem:?}", env!("CARGO_PKG_VERSION"));
    let topology = topology.clone();
    let lost = move |process: Option<LostProcess>| {
        crate::storage::unfinished::remove_all();
        if let Some(process) = process {
            complain(format!("cp2: error: {}", lost_sentence(process, &topology)));
        }
    };
    let refused = |error: &TransportError| complain(bad_input(error).message);
    let joined = MpiTransport::join(command.as_bytes(), lost, refused);
    let failed = |error: Option<TransportError>| match error {
        Some(error) => bad_input(error),
        None => Failure { exit: Exit::BadInput, message: String::new() },
    };
    let transport: Arc<dyn Transport> = Arc::new(joined.map_err(failed)?);
    Ok(Processes { transport: Some(transport) })
}

/// Returns the sentence about a process that has died, with the processors that it did.
#[cfg(feature = "mpi")]
fn lost_sentence(LostProcess { process, processes }: LostProcess, topology: &Topology) -> String {
    let owners = topology.processes(processes).unwrap_or_default();
    let of = owners.iter().enumerate().filter(|(_, owner)| **owner == process);
    let ranks: Vec<_> = of.map(|(rank, _)| rank.to_string()).collect();
    let plural = if ranks.len() == 1 { "" } else { "s" };
    format!(
        "process {process} of {processes}, which does processor{plural} {}, has died; the run ends",
        ranks.join(", ")
    )
}

/// Refuses processes that this build cannot join.
#[cfg(not(feature = "mpi"))]
pub(crate) fn join(is_asked: bool, _: &impl fmt::Debug, _: &Topology) -> Outcome<Processes> {
    if is_asked {
        return Err(usage("--mpi: this build has no MPI; build it with `--features mpi`"));
    }
    Ok(Processes { transport: None })
}
