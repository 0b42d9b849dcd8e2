//! What a rank does, action by action, in the order of its steps. A checkpoint has the number of the action at which a rank waits.

use crate::decomposition::{FaceSide, ProcessGrid};
use crate::exchange::{AxisExchange, ExchangePlans, GatherPlan};
use cp2_cluster::TimeCause;
use cp2_isa::MemoryAddress;
use cp2_procedures::cg::{CgScalar, CgSum};
use cp2_procedures::multigrid::PartStep;

/// Tags of the messages of the gathered level; those of faces are below.
const GATHER: u32 = 6;
const DEAL: u32 = 7;

/// Action of a rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RankAction {
    /// Run a chain of pages.
    Run { chain: usize, cause: TimeCause },
    /// Send a buffer.
    Send { to: usize, tag: u32, at: MemoryAddress, bytes: usize },
    /// Receive into a buffer.
    Receive { from: usize, tag: u32, at: MemoryAddress },
    /// Add up a sum of all ranks.
    Sum(CgSum),
    /// Make a scalar of sums.
    Scalar(CgScalar),
}

/// Returns the action that copies between arrays and buffers.
const fn packing(chain: usize) -> RankAction {
    RankAction::Run { chain, cause: TimeCause::Packing }
}

impl ExchangePlans {
    /// Returns the actions of all steps.
    pub(crate) fn actions(
        &self,
        steps: &[PartStep],
        grid: &ProcessGrid,
        rank: usize,
    ) -> Vec<RankAction> {
        let mut actions = Vec::new();
        for step in steps {
            match *step {
                PartStep::Operators(chain) => {
                    actions.push(RankAction::Run { chain, cause: TimeCause::Computing });
                }
                PartStep::Exchange { array, points } => {
                    for exchange in self.of(array, points) {
                        actions.extend(of_axis(exchange, grid, rank));
                    }
                }
                PartStep::Gather => actions.extend(self.gather.iter().flat_map(gathered)),
                PartStep::Deal => actions.extend(self.gather.iter().flat_map(dealt)),
            }
        }
        actions
    }
}

/// Exchanges both faces along an axis with the neighbours.
fn of_axis(exchange: &AxisExchange, grid: &ProcessGrid, rank: usize) -> Vec<RankAction> {
    let AxisExchange { axis, pack, unpack, sent, received, bytes } = *exchange;
    let neighbours = FaceSide::BOTH.map(|side| grid.neighbour(rank, axis, side));
    let tag = |side: usize| (2 * axis + side) as u32;
    let send = |side: usize| RankAction::Send {
        to: neighbours[side],
        tag: tag(side),
        at: sent[side],
        bytes,
    };
    // What lies beyond the low side is the high face of the neighbour there.
    let receive = |side: usize| RankAction::Receive {
        from: neighbours[side],
        tag: tag(1 - side),
        at: received[side],
    };
    vec![packing(pack), send(0), send(1), receive(0), receive(1), packing(unpack)]
}

/// Brings the residual of the gathered level to the process that does it alone.
fn gathered(plan: &GatherPlan) -> Vec<RankAction> {
    let mut actions = vec![packing(plan.pack)];
    let Some(root) = &plan.root else {
        let (at, bytes) = plan.residual;
        actions.push(RankAction::Send { to: 0, tag: GATHER, at, bytes });
        return actions;
    };
    let others = root.residuals.iter().enumerate().skip(1);
    actions.extend(others.map(|(from, &at)| RankAction::Receive { from, tag: GATHER, at }));
    actions.push(packing(root.assemble));
    actions
}

/// Brings the solution of the gathered level back to all processes.
fn dealt(plan: &GatherPlan) -> Vec<RankAction> {
    let (at, bytes) = plan.solution;
    let mut actions = Vec::new();
    match &plan.root {
        Some(root) => {
            actions.push(packing(root.divide));
            let others = root.solutions.iter().enumerate().skip(1);
            actions.extend(others.map(|(to, &at)| RankAction::Send { to, tag: DEAL, at, bytes }));
        }
        None => actions.push(RankAction::Receive { from: 0, tag: DEAL, at }),
    }
    actions.push(packing(plan.unpack));
    actions
}
