//! Procedures on several processors as far as all are alike: the complex on which they run, what their runs find, and what commands
//! and reports ask of them.

use crate::error::ClusterMgError;
use cp2_cluster::{
    CheckpointStore, ClusterOptions, ClusterOutcome, Keeping, LinkUse, MessageRecord, RankAccount,
    RankEvent, Tick, Topology,
};
use cp2_emu::MachineConfig;
use cp2_session::execution::Execution;
use cp2_session::reuse::Shelf;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::sync::Arc;

/// Complex on which a procedure runs, and the way in which it is run.
#[derive(Clone, Debug)]
pub struct ClusterSetup {
    /// Links between the processors.
    pub topology: Topology,
    /// Machine of each processor.
    pub config: MachineConfig,
    /// The way in which ranks and network are run; checkpoints are not told here, but in `checkpoints`.
    pub options: ClusterOptions,
    /// Checkpoints of the run, if some are to be made, or the run goes on from one.
    pub checkpoints: Option<RunCheckpoints>,
    /// Programs that all ranks and runs of the problem share.
    pub shelf: Arc<Shelf>,
}

/// Checkpoints of a run on several processors.
#[derive(Clone, Debug)]
pub struct RunCheckpoints {
    /// Place where they are kept.
    pub store: Arc<dyn CheckpointStore>,
    /// Whether the run goes on from the last one.
    pub resumes: bool,
}

/// Result of a rank, which goes from process to process of the computer.
pub trait RankResult: Clone + Serialize + DeserializeOwned {
    /// Returns the result without the arrays that the first process alone gets.
    #[must_use]
    fn brief(&self) -> Self;
    /// Returns the moment at which the rank was done.
    fn end(&self) -> Tick;
    /// Returns the bytes of system memory that arrays, buffers and queues of descriptors take.
    fn memory(&self) -> u64;
}

/// Results of a run on several processors: `R` is that of a rank, `C` what was chosen before the run.
#[derive(Clone, Debug)]
pub struct ClusterResults<R, C = ()> {
    /// Result of each rank.
    pub ranks: Vec<R>,
    /// Account of the time of each rank.
    pub accounts: Vec<RankAccount>,
    /// Use of each direction of each link.
    pub links: Vec<LinkUse>,
    /// Messages of the run.
    pub messages: Vec<MessageRecord>,
    /// Events of each rank, which [`cp2_cluster::goal`] takes.
    pub events: Vec<Vec<RankEvent>>,
    /// Choices that were made before the run.
    pub choice: C,
}

impl<R: RankResult, C> ClusterResults<R, C> {
    pub(crate) fn new(outcome: ClusterOutcome<R>, choice: C) -> Self {
        let ClusterOutcome { results, accounts, links, messages, events, .. } = outcome;
        Self { ranks: results, accounts, links, messages, events, choice }
    }

    /// Returns the moment at which the last rank was done.
    pub fn end(&self) -> Tick {
        self.ranks.iter().map(RankResult::end).max().unwrap_or_default()
    }

    /// Returns the moment at which the last rank ended, after what is not counted: the norm of multigrid.
    pub fn last(&self) -> Tick {
        self.accounts.iter().map(RankAccount::total).max().unwrap_or_default()
    }
}

/// Problem of a procedure on several processors.
pub trait ClusterProcedure: Sized {
    /// Result of a rank.
    type Rank: RankResult;
    /// Choices that are made before the run.
    type Choice;

    /// Returns the complex on which it runs.
    fn setup(&self) -> &ClusterSetup;

    /// Returns the complex on which it runs, to change it.
    fn setup_mut(&mut self) -> &mut ClusterSetup;

    /// Returns all on which results depend besides complex and version.
    fn outline(&self) -> String;

    /// Runs the procedure.
    ///
    /// # Errors
    /// The machine does not hold its part or cannot run the kernels, its clock does not fit the ticks of the network, or the number of
    /// processors is refused.
    fn run(
        &self,
        execution: &Execution,
    ) -> Result<ClusterResults<Self::Rank, Self::Choice>, ClusterMgError>;

    /// Returns the same problem on one processor, whose topology is given.
    #[must_use]
    fn alone(&self, topology: Topology) -> Self;

    /// Whether the results are the bits of those of `one` on one processor; `None` if the runs find no values.
    fn is_same(
        &self,
        run: &ClusterResults<Self::Rank, Self::Choice>,
        one: (&Self, &ClusterResults<Self::Rank, Self::Choice>),
    ) -> Option<bool>;

    /// Returns all on which the bytes of a run depend.
    fn identity(&self) -> String {
        let ClusterSetup { topology, config, .. } = self.setup();
        let version = env!("CARGO_PKG_VERSION");
        format!("{version} {} {topology:?} {}", self.outline(), config.dump())
    }

    /// Returns how checkpoints of the run are kept, if they are.
    fn keeping(&self) -> Option<Keeping> {
        let RunCheckpoints { store, resumes } = self.setup().checkpoints.clone()?;
        Some(Keeping { store, about: self.identity().into_bytes(), resumes })
    }
}
