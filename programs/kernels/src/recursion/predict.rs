//! Passes and blocks of a search before it runs, from the work of its contexts.

use super::portions::{Portions, host_calls};
use super::search::Prepared;
use super::stacks::{LanePlan, Stacks};
use cp2_isa::SECTIONS;
use cp2_recursion::{
    CallWork, Dealing, HandedOver, JointLanes, OutlineLevel, SearchContext, StackOverflow, Task,
    estimated_work,
};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Passes of all contexts for which lanes with a common depth are tried at once; of more the passes are counted when they decide.
const SOON: u64 = 1 << 18;
/// Steps in which the passes of groups of contexts are estimated.
const GROUP_STEPS: u64 = 1 << 20;

/// Work that a task has from a depth on, for the host and for lanes.
pub(super) struct DepthWork {
    /// Depth at which the host hands over.
    pub depth: usize,
    /// Passes of each context that lanes get, in their order, and whether it returns a value that is not 0.
    pub contexts: Vec<(u64, bool)>,
    /// Passes of each group of contexts that lanes with a common depth take together, with one search of a register and with two.
    pub groups: [Groups; 2],
    /// Whether the work of contexts is counted; else it is estimated.
    is_exact: bool,
    /// Cycles of the control processor for the calls of the host.
    pub host_cycles: f64,
    /// Contexts, and the portions in which lanes take them.
    pub prepared: Prepared,
}

/// Groups of contexts that lanes with a common depth take together.
#[derive(Clone, Debug, Default)]
pub(super) struct Groups {
    /// Passes of each.
    pub passes: Vec<u64>,
    /// Whether they are counted; else they are estimated.
    is_exact: bool,
}

impl Groups {
    /// Returns the number of the group with the fewest passes, of those that have more than one.
    pub(super) fn shortest(&self) -> Option<usize> {
        let all = self.passes.iter().enumerate().filter(|(_, passes)| **passes > 1);
        all.min_by_key(|(_, passes)| **passes).map(|(at, _)| at)
    }
}

/// Returns the passes of a call with all that it calls: where values are sums a pass does the first step of a call together with the step
/// that calls it.
fn passes<T: Task>(task: &T, work: &CallWork) -> u64 {
    if task.is_sum() { work.steps - work.calls } else { work.steps }
}

impl DepthWork {
    /// Returns the work from a depth on.
    pub(super) fn new<T: Task>(
        task: &T,
        (depth, level, prepared): (usize, &OutlineLevel, Prepared),
        (stacks, halves): (Stacks, &[usize]),
    ) -> Result<Self, StackOverflow> {
        let all = level.work.iter().map(|work| (passes(task, work), work.value != 0));
        let is_given = |passes: u64| !task.is_sum() || passes > 0;
        let mut found = Self {
            depth,
            contexts: all.filter(|&(passes, _)| is_given(passes)).collect(),
            groups: Default::default(),
            is_exact: level.is_exact,
            host_cycles: host_cycles(task, level, &prepared.handed),
            prepared,
        };
        if stacks != Stacks::Own {
            let of_all: u64 = found.contexts.iter().map(|(passes, _)| passes).sum();
            for &halves in halves {
                found.estimate_groups(task, halves)?;
                if of_all <= SOON {
                    found.count_groups(task, halves)?;
                }
            }
        }
        Ok(found)
    }

    /// Whether the passes of a plan are those that lanes do; else they rest on estimates.
    pub(super) fn is_exact(&self, plan: &LanePlan) -> bool {
        self.is_exact && (plan.stacks == Stacks::Own || self.groups[plan.halves - 1].is_exact)
    }

    /// Returns the contexts of groups with so many searches of a register.
    fn in_groups(&self, halves: usize) -> Vec<Vec<SearchContext>> {
        let contexts = self.prepared.given().cloned().collect::<Vec<_>>();
        contexts.chunks(SECTIONS * halves).map(<[_]>::to_vec).collect()
    }

    /// Estimates the passes of groups of contexts.
    fn estimate_groups<T: Task>(&mut self, task: &T, halves: usize) -> Result<(), StackOverflow> {
        let work = estimated_work(task, &self.in_groups(halves), GROUP_STEPS)?;
        // The first call of a group is the host's.
        let passes = work.iter().map(|work| work.calls.round() as u64 - 1).collect();
        self.groups[halves - 1] = Groups { passes, is_exact: false };
        Ok(())
    }

    /// Counts the passes of groups of contexts, if that takes no longer than it took to count those of contexts; returns whether it did.
    pub(super) fn count_groups<T: Task>(
        &mut self,
        task: &T,
        halves: usize,
    ) -> Result<bool, StackOverflow> {
        if !self.is_exact || self.groups[halves - 1].is_exact {
            return Ok(false);
        }
        let mut joint = JointLanes::new(task, SECTIONS * halves);
        let mut passes = Vec::new();
        for group in self.in_groups(halves) {
            let before = joint.calls;
            joint.solve(&group)?;
            passes.push(joint.calls - before - 1);
        }
        self.groups[halves - 1] = Groups { passes, is_exact: true };
        Ok(true)
    }

    /// Returns the blocks that a plan takes.
    pub(super) fn blocks(&self, plan: &LanePlan) -> u64 {
        let each = self.prepared.portions.passes as u64;
        let blocks = match plan.stacks {
            Stacks::CommonDepth | Stacks::Registers => {
                let mut slots = vec![0; plan.slots];
                for (number, passes) in self.groups[plan.halves - 1].passes.iter().enumerate() {
                    slots[number % plan.slots] += passes;
                }
                slots.into_iter().max().unwrap_or(0).div_ceil(each)
            }
            Stacks::Own => {
                let contexts = self.contexts.iter();
                let in_blocks = contexts.map(|&(passes, found)| (passes.div_ceil(each), found));
                of_own_stacks(&in_blocks.collect::<Vec<_>>(), plan)
            }
        };
        blocks.max(1)
    }

    /// Returns the calls of the kernel that so many blocks of a plan take.
    pub(super) fn calls(&self, plan: &LanePlan, blocks: u64) -> u64 {
        let Portions { blocks: logarithm, groups, .. } = self.prepared.portions;
        match plan.stacks {
            Stacks::Registers => {
                self.groups[plan.halves - 1].passes.len().div_ceil(groups).max(1) as u64
            }
            Stacks::CommonDepth | Stacks::Own => blocks.div_ceil(1 << logarithm),
        }
    }
}

/// Returns the cycles of the control processor for the calls of the host.
fn host_cycles<T: Task>(task: &T, level: &OutlineLevel, handed: &HandedOver) -> f64 {
    let calls = host_calls(task, handed) as f64;
    let estimated = level.operations_above as f64 / level.calls_above.max(1) as f64;
    calls * task.host_cycles().unwrap_or(estimated)
}

/// Returns the blocks until lanes with stacks of their own have ended with contexts of so many blocks; where lanes stop, until one
/// has ended with a value that is not 0.
fn of_own_stacks(contexts: &[(u64, bool)], plan: &LanePlan) -> u64 {
    let mut lists = [Vec::new(), Vec::new()];
    let of_first = contexts.len().div_ceil(2);
    for (at, context) in contexts.iter().enumerate() {
        let half = match (plan.halves, plan.dealing) {
            (1, _) => 0,
            (_, Dealing::Block) => at / of_first,
            (_, Dealing::Cyclic | Dealing::Queue) => at % 2,
        };
        lists[half].push(*context);
    }
    let ends: Vec<(u64, bool)> = lists.iter().flat_map(|list| ends(list, plan)).collect();
    let first = ends.iter().filter(|(_, found)| *found && plan.stops).map(|(end, _)| *end).min();
    first.unwrap_or_else(|| ends.iter().map(|(end, _)| *end).max().unwrap_or(0))
}

/// Returns the block behind which each context of a list ends, and whether it has found something. Lanes that ask ask at the begin of a block, slot by
/// slot, and in a slot section by section.
fn ends(list: &[(u64, bool)], plan: &LanePlan) -> Vec<(u64, bool)> {
    let lanes = SECTIONS * plan.slots;
    if plan.dealing == Dealing::Queue {
        let mut free: BinaryHeap<_> = (0..lanes).map(|lane| Reverse((0, lane))).collect();
        let take = |&(blocks, found): &(u64, bool)| {
            let Reverse((begin, lane)) = free.pop().unwrap_or(Reverse((0, 0)));
            free.push(Reverse((begin + blocks, lane)));
            (begin + blocks, found)
        };
        return list.iter().map(take).collect();
    }
    let mut all = Vec::new();
    for lane in 0..lanes {
        let share = plan.dealing.share((lane, lanes), list.len());
        let own = share.into_iter().flat_map(|share| (share.first..share.end).step_by(share.step));
        let mut end = 0;
        all.extend(own.map(|at| {
            end += list[at].0;
            (end, list[at].1)
        }));
    }
    all
}
