//! How contexts are dealt out to lanes, and how much of the lanes that uses.

use crate::driver::{SearchLane, StackOverflow};
use crate::joint::JointLanes;
use crate::task::{SearchContext, Task};

/// Way in which contexts are dealt out to lanes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dealing {
    /// Contiguous shares of the list.
    Block,
    /// Context i goes to lane i modulo their number.
    Cyclic,
    /// The next context goes to the lane that asks first: that which has worked least so far, the first of equals.
    Queue,
}

/// Contexts of a list that are a lane's from the begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ContextShare {
    /// Number of the first one.
    pub first: usize,
    /// Distance from one to the next.
    pub step: usize,
    /// Number before which all of them are.
    pub end: usize,
}

impl Dealing {
    /// All ways, with their names.
    pub const ALL: [(&'static str, Self); 3] =
        [("block", Self::Block), ("cyclic", Self::Cyclic), ("queue", Self::Queue)];

    /// Returns the name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Block => "block",
            Self::Cyclic => "cyclic",
            Self::Queue => "queue",
        }
    }

    /// Returns the share of a lane, of so many lanes, in a list of so many contexts; none where lanes ask for them.
    pub fn share(self, (lane, lanes): (usize, usize), contexts: usize) -> Option<ContextShare> {
        match self {
            Self::Block => {
                let each = contexts.div_ceil(lanes);
                let first = (lane * each).min(contexts);
                Some(ContextShare { first, step: 1, end: (first + each).min(contexts) })
            }
            Self::Cyclic => Some(ContextShare { first: lane, step: lanes, end: contexts }),
            Self::Queue => None,
        }
    }
}

/// Work that lanes did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LaneWork {
    /// Nodes of all contexts.
    pub nodes: u64,
    /// Nodes of the lane with most of them; with a common depth those that at least one lane entered.
    pub longest: u64,
    /// Lanes.
    pub lanes: usize,
}

impl LaneWork {
    /// Returns the share of the lanes that did work, 0 to 1.
    pub fn efficiency(&self) -> f64 {
        self.nodes as f64 / (self.lanes as f64 * self.longest.max(1) as f64)
    }
}

/// Solves the contexts of a task on so many lanes, dealt out in a way, and returns the work.
///
/// # Errors
/// A stack overflows.
pub fn lane_work<T: Task>(
    task: &T,
    contexts: &[SearchContext],
    (lanes, dealing): (usize, Dealing),
) -> Result<LaneWork, StackOverflow> {
    let nodes = context_nodes(task, contexts)?;
    let longest = dealt(&nodes, lanes, dealing).into_iter().max().unwrap_or(0);
    Ok(LaneWork { nodes: nodes.iter().sum(), longest, lanes })
}

/// Solves the contexts of a task on sections of so many lanes that share their stack pointer and take as many contexts at a time as there
/// are lanes, with so many stacks that take these groups in turn, and returns the work: a lane is as long as the joint nodes of its stack.
///
/// # Errors
/// A stack overflows.
pub fn joint_work<T: Task>(
    task: &T,
    contexts: &[SearchContext],
    (lanes, stacks): (usize, usize),
) -> Result<LaneWork, StackOverflow> {
    let nodes = context_nodes(task, contexts)?;
    let mut all = vec![0; stacks];
    let mut joint = JointLanes::new(task, lanes);
    for (number, group) in contexts.chunks(lanes).enumerate() {
        let before = joint.calls;
        joint.solve(group)?;
        all[number % stacks] += joint.calls - before;
    }
    let longest = all.into_iter().max().unwrap_or(0);
    Ok(LaneWork { nodes: nodes.iter().sum(), longest, lanes: lanes * stacks })
}

/// Returns the nodes of each context.
fn context_nodes<T: Task>(task: &T, contexts: &[SearchContext]) -> Result<Vec<u64>, StackOverflow> {
    let of = |context: &SearchContext| {
        let mut lane = SearchLane::new(task, 0, task.deepest());
        lane.solve_context(context)?;
        Ok(lane.counts.calls)
    };
    contexts.iter().map(of).collect()
}

/// Returns the nodes of each lane.
fn dealt(nodes: &[u64], lanes: usize, dealing: Dealing) -> Vec<u64> {
    let of_share = |lane: usize| {
        let share = dealing.share((lane, lanes), nodes.len());
        let own = share.map(|share| (share.first..share.end).step_by(share.step));
        own.into_iter().flatten().map(|at| nodes[at]).sum()
    };
    let mut work: Vec<u64> = (0..lanes).map(of_share).collect();
    if dealing == Dealing::Queue {
        for nodes_of_one in nodes {
            let first = (0..lanes).min_by_key(|&lane| work[lane]).unwrap_or(0);
            work[first] += nodes_of_one;
        }
    }
    work
}
