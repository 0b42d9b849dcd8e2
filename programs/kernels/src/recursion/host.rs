//! The search as the host does it, beside that of the lanes.

use super::search::LaneSearch;
use cp2_recursion::{SearchCounts, SearchLane, Task, combine};
use cp2_session::error::KernelError;
use std::sync::atomic::{AtomicBool, Ordering};

/// Steps between two looks whether the host is to stop; a power of two.
const LOOK: u64 = 1 << 16;

/// A search as the host does it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HostSearch {
    /// Value of the task.
    pub value: u32,
    /// Nodes: calls of host and lanes.
    pub nodes: u64,
    /// Passes of lanes that are busy.
    pub passes: u64,
}

impl<T: Task + Sync> LaneSearch<'_, T> {
    /// Does work, and solves the contexts on the host meanwhile, in a thread of its own; if the work fails, the host stops. Returns the result
    /// of the work, and the value and the work that the lanes have.
    ///
    /// # Errors
    /// The work fails, or the task has more frames than it says.
    pub fn beside_host<R>(
        &self,
        work: impl FnOnce() -> Result<R, KernelError>,
    ) -> Result<(R, HostSearch), KernelError> {
        let stops = AtomicBool::new(false);
        std::thread::scope(|scope| {
            let host = scope.spawn(|| self.on_host_until(&stops));
            let result = work();
            stops.store(result.is_err(), Ordering::Relaxed);
            let right = host.join().map_err(|_| KernelError::Internal("the host's search"))?;
            let result = result?;
            Ok((result, right?.ok_or(KernelError::Internal("the host stopped its search"))?))
        })
    }
}

impl<T: Task> LaneSearch<'_, T> {
    /// Solves the contexts on the host, for comparison; returns the value, and the work that the lanes have.
    ///
    /// # Errors
    /// The task has more frames than it says.
    pub fn on_host(&self) -> Result<HostSearch, KernelError> {
        let found = self.on_host_until(&AtomicBool::new(false))?;
        found.ok_or(KernelError::Internal("the host stopped its search"))
    }

    /// Solves the contexts on the host; returns none if it is told to stop before.
    fn on_host_until(&self, stops: &AtomicBool) -> Result<Option<HostSearch>, KernelError> {
        let too_few = |_| KernelError::Internal("a task has more frames than it says");
        let goes_on = |steps: u64| !steps.is_multiple_of(LOOK) || !stops.load(Ordering::Relaxed);
        let mut lane = SearchLane::new(self.task, 0, self.task.deepest());
        let mut values = Vec::new();
        for context in &self.handed.contexts {
            match lane.solve_while(context, goes_on).map_err(too_few)? {
                Some(value) => values.push(value),
                None => return Ok(None),
            }
        }
        let SearchCounts { calls, steps, .. } = lane.counts;
        // Where values are sums, a pass does the first step of a call together with the step that calls it.
        let passes = if self.task.is_sum() { steps - calls } else { steps };
        let nodes = self.handed.host_calls + calls;
        let value = combine(self.task, self.plan.depth, &values).map_err(too_few)?;
        Ok(Some(HostSearch { value, nodes, passes }))
    }
}
