//! Runs of searches on CP2 alone.

use super::memory::SearchOutcome;
use super::search::LaneSearch;
use cp2_emu::End;
use cp2_recursion::Task;
use cp2_session::error::KernelError;
use cp2_session::execution::{Execution, KernelRunner};
use cp2_session::workload::Listener;

/// Runs a search on CP2; returns the outcome, and the cycles of all calls of the kernel, which the limit of `on` bounds. `listener` is
/// told the contexts that lanes have begun with, and all.
///
/// # Errors
/// A stack overflows, or the run is not over within the limit of cycles.
pub fn solve<T: Task>(
    search: &LaneSearch<'_, T>,
    on: &Execution,
    listener: &mut dyn Listener,
) -> Result<(SearchOutcome, u64), KernelError> {
    let (mut cp2, entry) = KernelRunner::with("search", search.source(), on)?;
    let memory = search.memory();
    cp2.state().lmem[..memory.len()].copy_from_slice(&memory);
    let (mut calls, mut cycles) = (0, 0);
    while calls == 0 || !search.has_ended(calls, &cp2.state().lmem) {
        let arguments = search.call_arguments(calls).into_iter().map(usize::from);
        let ended = cp2.call(entry, &arguments.collect::<Vec<_>>());
        // A call that does not end may be one in which a stack overflowed.
        search.check_guards(&cp2.state().lmem)?;
        cycles += ended?.cycles;
        if cycles > on.limit() {
            return Err(KernelError::Run(Box::new(End::CycleLimit(on.limit()))));
        }
        calls += 1;
        listener.progress(search.begun(calls, &cp2.state().lmem), search.contexts());
    }
    Ok((search.outcome(&cp2.state().lmem)?, cycles))
}
