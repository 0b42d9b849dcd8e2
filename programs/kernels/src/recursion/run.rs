//! Runs of searches on CP2 alone.

use super::memory::SearchOutcome;
use super::search::LaneSearch;
use cp2_recursion::Task;
use cp2_session::error::KernelError;
use cp2_session::execution::{Execution, KernelRunner};

/// Runs a search on CP2; returns the outcome, and the cycles of the kernel.
///
/// # Errors
/// A stack overflows, or the run does not end.
pub fn solve<T: Task>(
    search: &LaneSearch<'_, T>,
    on: &Execution,
) -> Result<(SearchOutcome, u64), KernelError> {
    let (mut cp2, entry) = KernelRunner::with("search", search.source(), on)?;
    let memory = search.memory();
    cp2.state().lmem[..memory.len()].copy_from_slice(&memory);
    let ended = cp2.call(entry, &[]);
    // A run that does not end may be one in which a stack overflowed.
    search.check_guards(&cp2.state().lmem)?;
    let cycles = ended?.cycles;
    Ok((search.outcome(&cp2.state().lmem)?, cycles))
}
