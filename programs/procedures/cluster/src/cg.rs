//! NPB CG on several processors: each has rows of the matrix and the same part of all vectors. Before a product all get the whole
//! vector, and sums over all are added along a tree.

use crate::actions::RankAction;
use crate::driver::RankDriver;
use crate::error::ClusterMgError;
use crate::procedure::{ClusterProcedure, ClusterResults, ClusterSetup, RankResult};
use crate::ranks::run_ranks;
use cp2_cluster::{Endpoint, Tick, TimeCause, Topology};
use cp2_isa::MemoryAddress;
use cp2_procedures::cg::{CgPart, CgStep, CgVector, SegmentedCg};
use cp2_session::cost::Cost;
use cp2_session::execution::Execution;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Problem of NPB CG on several processors, as many as the topology has.
#[derive(Clone, Debug)]
pub struct ClusterCgProblem {
    /// Matrix of a class, dealt to segments.
    pub problem: Arc<SegmentedCg>,
    /// Complex on which it runs.
    pub setup: ClusterSetup,
}

/// Result of a rank at the end of NPB CG.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CgRankRun {
    /// Segments of the last solution.
    pub solution: Vec<f32>,
    /// Zeta after each outer iteration, the same in all ranks.
    pub zetas: Vec<f64>,
    /// Norm of b - A z after each outer iteration, the same in all ranks.
    pub residuals: Vec<f64>,
    /// Moment at which the rank was done.
    pub end: Tick,
    /// Bytes of system memory that arrays, matrix and queues of descriptors take.
    pub memory: u64,
    /// Cost of what the machine did; `None` if another process of the computer did the rank.
    #[serde(skip)]
    pub cost: Option<Cost>,
}

impl RankResult for CgRankRun {
    fn brief(&self) -> Self {
        Self { solution: Vec::new(), ..self.clone() }
    }

    fn end(&self) -> Tick {
        self.end
    }

    fn memory(&self) -> u64 {
        self.memory
    }
}

/// Results of NPB CG on several processors.
pub type ClusterCgRun = ClusterResults<CgRankRun>;

impl ClusterCgRun {
    /// Returns zeta after each outer iteration.
    pub fn zetas(&self) -> &[f64] {
        self.ranks.first().map_or(&[], |rank| &rank.zetas)
    }

    /// Returns the norm of b - A z after each outer iteration.
    pub fn residuals(&self) -> &[f64] {
        self.ranks.first().map_or(&[], |rank| &rank.residuals)
    }

    /// Returns the last solution in the order of the class.
    pub fn solution(&self, problem: &SegmentedCg) -> Vec<f32> {
        let all: Vec<f32> =
            self.ranks.iter().flat_map(|rank| rank.solution.iter().copied()).collect();
        problem.ordered(&all)
    }
}

/// Runs NPB CG on several processors.
///
/// # Errors
/// The number of processors is refused, the machine does not hold its rows or cannot run the kernels, its clock does not fit the
/// ticks of the network, or a scalar is not finite.
pub fn run_cg(
    problem: &ClusterCgProblem,
    execution: &Execution,
) -> Result<ClusterCgRun, ClusterMgError> {
    let start = |endpoint, execution, period| go_through(problem, execution, (endpoint, period));
    let outcome = run_ranks(&problem.setup, execution, problem.keeping(), start)?;
    Ok(ClusterResults::new(outcome, ()))
}

impl ClusterProcedure for ClusterCgProblem {
    type Rank = CgRankRun;
    type Choice = ();

    fn setup(&self) -> &ClusterSetup {
        &self.setup
    }

    fn setup_mut(&mut self) -> &mut ClusterSetup {
        &mut self.setup
    }

    fn outline(&self) -> String {
        format!("cg {:?} {:?}", self.problem.class(), self.problem.plan())
    }

    fn run(&self, execution: &Execution) -> Result<ClusterCgRun, ClusterMgError> {
        run_cg(self, execution)
    }

    fn alone(&self, topology: Topology) -> Self {
        let setup = ClusterSetup { topology, ..self.setup.clone() };
        Self { setup, ..self.clone() }
    }

    fn is_same(&self, run: &ClusterCgRun, (_, one): (&Self, &ClusterCgRun)) -> Option<bool> {
        let bits = |run: &ClusterCgRun| -> (Vec<u32>, Vec<u64>) {
            let solution = run.solution(&self.problem).into_iter().map(f32::to_bits).collect();
            let sums = run.zetas().iter().chain(run.residuals()).map(|sum| sum.to_bits());
            (solution, sums.collect())
        };
        Some(bits(one) == bits(run))
    }
}

/// Makes the part of a rank and goes through its actions.
async fn go_through(
    problem: &ClusterCgProblem,
    execution: Execution,
    (endpoint, period): (Endpoint, Tick),
) -> Result<CgRankRun, ClusterMgError> {
    let of = (endpoint.rank(), endpoint.ranks());
    let part = CgPart::new(problem.setup.config.clone(), &execution, problem.problem.clone(), of)?;
    let steps = part.steps();
    let actions: Vec<_> = steps.iter().flat_map(|step| actions(&part, *step, of)).collect();
    let mut rank = RankDriver::new(part, endpoint, period);
    rank.go_through(&actions).await?;
    let end = rank.endpoint.clock();
    let part = &mut rank.part;
    let memory = part.host().allocated().0 - MemoryAddress::FIRST.0;
    let (zetas, residuals) = (part.zetas().to_vec(), part.residuals().to_vec());
    Ok(CgRankRun {
        solution: part.solution()?,
        zetas,
        residuals,
        end,
        memory,
        cost: Some(part.cost()),
    })
}

/// Returns the actions of a step.
fn actions(part: &CgPart, step: CgStep, (rank, ranks): (usize, usize)) -> Vec<RankAction> {
    match step {
        CgStep::Run(chain) => vec![RankAction::Run { chain, cause: TimeCause::Computing }],
        CgStep::Share(vector) => shared(part, vector, (rank, ranks)),
        CgStep::Sum(sum) => vec![RankAction::Sum(sum)],
        CgStep::Scalar(scalar) => vec![RankAction::Scalar(scalar)],
    }
}

/// Gives the segments of all to all: in round k ranks whose numbers differ in bit k exchange all that they have, 2^k parts.
fn shared(part: &CgPart, vector: CgVector, (rank, ranks): (usize, usize)) -> Vec<RankAction> {
    let rounds = 0..ranks.trailing_zeros();
    let exchange = |round: u32| {
        let (other, first) = (rank ^ (1 << round), |rank: usize| rank >> round << round);
        let place = |rank: usize| part.segments_of(vector, first(rank));
        let ((at, bytes), (theirs, _)) = (place(rank), place(other));
        [
            RankAction::Send { to: other, tag: round, at, bytes: bytes << round },
            RankAction::Receive { from: other, tag: round, at: theirs },
        ]
    };
    rounds.flat_map(exchange).collect()
}
