//! Portions of the work of a search: passes between two looks at who is idle, and what one call of the kernel does.

use super::stacks::Stacks;
use cp2_recursion::{HandedOver, IdleFrame, SearchLane, Task};
use cp2_session::error::KernelError;

/// Frames below a stack, if a task has idle ones; else where idle lanes are, and where they return to.
pub(super) const IDLES: [usize; 2] = [4, 2];
/// Most passes between two looks at who is idle, if idle frames do not limit them.
const PASSES: usize = 100;
/// Fewest passes between two looks, which take about as long as some.
const LEAST_PASSES: u64 = 8;
/// Looks at who is idle in the passes of a context.
const LOOKS: u64 = 8;
/// Contexts that are solved on the host to tell how long one is, and steps after which one is long.
const SAMPLES: usize = 8;
const LONG: u64 = 2000;
/// Passes of a call of the kernel, about: some million cycles, so that the host can show how far a search is, and keep its state.
const CALL_PASSES: u64 = 1 << 15;

/// Returns the steps of a context, the mean of some that are spread over all; what takes more than `most` steps counts as these.
fn context_passes<T: Task>(task: &T, handed: &HandedOver, most: u64) -> Result<u64, KernelError> {
    let every = handed.contexts.len().div_ceil(SAMPLES).max(1);
    let mut lane = SearchLane::new(task, 0, task.deepest());
    let mut all = Vec::new();
    for context in handed.contexts.iter().step_by(every) {
        let before = lane.counts.steps;
        let too_few = |_| KernelError::Internal("a task has more frames than it says");
        lane.solve_within(context, most).map_err(too_few)?;
        all.push(lane.counts.steps - before);
    }
    Ok(all.iter().sum::<u64>() / all.len().max(1) as u64)
}

/// Returns the calls that the host makes: those above the contexts, and, where values are sums, the first step of each context too.
pub(super) fn host_calls<T: Task>(task: &T, handed: &HandedOver) -> u64 {
    handed.host_calls + if task.is_sum() { handed.contexts.len() as u64 } else { 0 }
}

/// Parts of the work of a search: passes of a block, between which idle lanes get contexts, and what a call of the kernel does.
#[derive(Clone, Copy, Debug)]
pub(super) struct Portions {
    /// Passes of a block.
    pub passes: usize,
    /// Binary logarithm of the blocks of a call, 1 to 31; without meaning where frames are in registers.
    pub blocks: u32,
    /// Groups of contexts of a call, where frames are in registers.
    pub groups: usize,
}

impl Portions {
    /// Returns the portions of a search, by the length of some contexts.
    pub(super) fn of<T: Task>(
        task: &T,
        handed: &HandedOver,
        (stacks, idle): (Stacks, Option<IdleFrame>),
    ) -> Result<Self, KernelError> {
        if stacks == Stacks::Registers {
            let each = context_passes(task, handed, CALL_PASSES)?.max(1);
            let groups = (CALL_PASSES / each).max(1) as usize;
            return Ok(Self { passes: 1, blocks: 1, groups });
        }
        let most = idle.map_or(PASSES, |idle| IDLES[0] * idle.steps as usize) as u64;
        let each = context_passes(task, handed, LONG)?;
        let passes = (each / LOOKS).clamp(LEAST_PASSES, most);
        let blocks = (CALL_PASSES / passes).max(2).ilog2();
        Ok(Self { passes: passes as usize, blocks, groups: 0 })
    }
}
