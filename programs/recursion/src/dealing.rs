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
    /// The next context goes to the lane that has worked least so far, the first of equals.
    Queue,
    /// Lanes share their stack pointer and take as many contexts at a time as there are lanes.
    CommonDepth,
}

impl Dealing {
    /// All ways.
    pub const ALL: [Self; 4] = [Self::Block, Self::Cyclic, Self::Queue, Self::CommonDepth];
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
    let mut nodes = Vec::new();
    for context in contexts {
        let mut lane = SearchLane::new(task, 0, task.deepest());
        lane.begin(context);
        lane.solve(&context.parameters)?;
        nodes.push(lane.counts.calls);
    }
    let longest = match dealing {
        Dealing::CommonDepth => {
            let mut joint = JointLanes::new(task, lanes);
            for group in contexts.chunks(lanes) {
                joint.solve(group)?;
            }
            joint.calls
        }
        _ => dealt(&nodes, lanes, dealing).into_iter().max().unwrap_or(0),
    };
    Ok(LaneWork { nodes: nodes.iter().sum(), longest, lanes })
}

/// Returns the nodes of each lane.
fn dealt(nodes: &[u64], lanes: usize, dealing: Dealing) -> Vec<u64> {
    let mut work = vec![0; lanes];
    for (at, nodes_of_one) in nodes.iter().enumerate() {
        let lane = match dealing {
            Dealing::Block => at / nodes.len().div_ceil(lanes),
            Dealing::Cyclic => at % lanes,
            Dealing::Queue | Dealing::CommonDepth => {
                (0..lanes).min_by_key(|&lane| work[lane]).unwrap_or(0)
            }
        };
        work[lane] += nodes_of_one;
    }
    work
}
