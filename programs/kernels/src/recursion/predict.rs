//! Passes and blocks of a search before it runs, from the work of its contexts.

use super::portions::Portions;
use super::stacks::{LanePlan, Stacks};
use cp2_isa::SECTIONS;
use cp2_recursion::{
    CallWork, Dealing, HandedOver, JointLanes, OutlineLevel, SearchContext, StackOverflow, Task,
    spread,
};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Calls that lanes with a common depth may make to learn the passes of groups of contexts from a depth.
const JOINT_CALLS: u64 = 1 << 18;
/// Passes of a group for each pass of its contexts, where no group was solved.
const JOINT_SHARE: f64 = 0.6;

/// Work that a task has from a depth on, for the host and for lanes.
pub(super) struct DepthWork {
    /// Depth at which the host hands over.
    pub depth: usize,
    /// Passes of each context that lanes get, in their order, and whether it returns a value that is not 0.
    pub contexts: Vec<(u64, bool)>,
    /// Passes of each group of contexts that lanes with a common depth take together, with one search of a register and with two.
    pub groups: [Vec<u64>; 2],
    /// Whether passes are those that lanes do; else they are estimated from some contexts.
    pub is_exact: bool,
    /// Cycles of the control processor for the calls of the host.
    pub host_cycles: f64,
    /// Passes of a block, and what a call of the kernel does.
    pub portions: Portions,
}

/// Returns the passes of a call with all that it calls: where values are sums a pass does the first step of a call together with the step
/// that calls it.
fn passes<T: Task>(task: &T, work: &CallWork) -> u64 {
    if task.is_sum() { work.steps - work.calls } else { work.steps }
}

/// Returns the calls that the host makes: those above the contexts, and, where values are sums, the first step of each context too.
pub(super) fn host_calls<T: Task>(task: &T, handed: &HandedOver) -> u64 {
    handed.host_calls + if task.is_sum() { handed.contexts.len() as u64 } else { 0 }
}

impl DepthWork {
    /// Returns the work from a depth on; `share` is the part of the passes of contexts that groups of them have at the depth below, and becomes
    /// that of this one.
    pub(super) fn new<T: Task>(
        task: &T,
        (depth, level, handed): (usize, &OutlineLevel, &HandedOver),
        (portions, stacks): (Portions, Stacks),
        share: &mut [Option<f64>; 2],
    ) -> Result<Self, StackOverflow> {
        let all = level.work.iter().map(|work| (passes(task, work), work.value != 0));
        let all: Vec<_> = all.collect();
        let is_given = |passes: u64| !task.is_sum() || passes > 0;
        let mut found = Self {
            depth,
            contexts: all.iter().copied().filter(|&(passes, _)| is_given(passes)).collect(),
            groups: [Vec::new(), Vec::new()],
            is_exact: level.is_exact,
            host_cycles: host_cycles(task, level, handed),
            portions,
        };
        if stacks == Stacks::CommonDepth {
            let contexts = handed.contexts.iter().zip(&all);
            let contexts = contexts.filter(|(_, (passes, _))| is_given(*passes));
            let contexts: Vec<SearchContext> = contexts.map(|(one, _)| one.clone()).collect();
            for halves in 1..=2 {
                let share = &mut share[halves - 1];
                let (groups, is_exact) = found.joint(task, (&contexts, halves), share)?;
                found.groups[halves - 1] = groups;
                found.is_exact &= is_exact;
            }
        }
        Ok(found)
    }

    /// Returns the passes of groups of contexts, and whether all are exact: a group of one context has its passes, others are solved, some of them if that
    /// takes too long.
    fn joint<T: Task>(
        &self,
        task: &T,
        (contexts, halves): (&[SearchContext], usize),
        share: &mut Option<f64>,
    ) -> Result<(Vec<u64>, bool), StackOverflow> {
        let lanes = SECTIONS * halves;
        let groups: Vec<_> = contexts.chunks(lanes).zip(self.contexts.chunks(lanes)).collect();
        let of_all = |at: usize| groups[at].1.iter().map(|(passes, _)| passes).sum::<u64>();
        let mut found = vec![None; groups.len()];
        let (mut left, mut joint) = (JOINT_CALLS, JointLanes::new(task, lanes));
        let mut known = (0, 0);
        for at in spread(groups.len()) {
            if groups[at].0.len() == 1 {
                found[at] = Some(of_all(at));
                continue;
            }
            // Half of the calls that are left, but nothing that surely takes more.
            let least = groups[at].1.iter().map(|(passes, _)| *passes).max().unwrap_or(0);
            if least > left / 2 {
                continue;
            }
            let calls = joint.calls_within(groups[at].0, left / 2)?;
            left -= calls.unwrap_or(left / 2);
            // The first call of a group is the host's.
            found[at] = calls.map(|calls| calls - 1);
            known.0 += found[at].unwrap_or(0);
            known.1 += found[at].map_or(0, |_| of_all(at));
        }
        if known.1 > 0 {
            *share = Some(known.0 as f64 / known.1 as f64);
        }
        let is_exact = found.iter().all(Option::is_some);
        let estimated = |at: usize| (share.unwrap_or(JOINT_SHARE) * of_all(at) as f64) as u64;
        let all = found.iter().enumerate().map(|(at, passes)| passes.unwrap_or(estimated(at)));
        Ok((all.collect(), is_exact))
    }

    /// Returns the blocks that a plan takes.
    pub(super) fn blocks(&self, plan: &LanePlan) -> u64 {
        let each = self.portions.passes as u64;
        let blocks = match plan.stacks {
            Stacks::CommonDepth | Stacks::Registers => {
                let mut slots = vec![0; plan.slots];
                for (number, passes) in self.groups[plan.halves - 1].iter().enumerate() {
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

    /// Returns the calls of the kernel that so many blocks take.
    pub(super) fn calls(&self, blocks: u64) -> u64 {
        blocks.div_ceil(1 << self.portions.blocks)
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
