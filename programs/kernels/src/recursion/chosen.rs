//! Searches whose plan is chosen.

use super::choice::{Choice, NoTransfers, Transfers};
use super::search::{LaneSearch, is_too_large};
use super::stacks::{LanePlan, PlanWishes, sentence, too_few_registers};
use cp2_isa::Core;
use cp2_recursion::Task;
use cp2_session::Environment;
use cp2_session::error::KernelError;

impl<'t, T: Task> LaneSearch<'t, T> {
    /// Makes a search whose kernel registers and local memory hold, with what is wished; what is not is chosen: depth, stacks in turn and
    /// searches of a register with which host and lanes together take the fewest predicted cycles.
    ///
    /// # Errors
    /// As of [`Self::new`], and those of the assembler.
    pub fn chosen(
        task: &'t T,
        wishes: PlanWishes,
        of: (&Environment, &Core),
    ) -> Result<Self, KernelError> {
        Self::chosen_beside(task, wishes, (of, &NoTransfers))
    }

    /// Makes a search as [`Self::chosen`] does, where transfers take cycles too.
    ///
    /// # Errors
    /// Those of [`Self::chosen`] and of trials of transfers.
    pub fn chosen_beside(
        task: &'t T,
        wishes: PlanWishes,
        (of, moved): ((&Environment, &Core), &dyn Transfers),
    ) -> Result<Self, KernelError> {
        let (environment, core) = of;
        if let Some((plan, prepared, chosen)) = Choice::new(task, wishes, (of, moved)).best()? {
            let mut search = Self::of_prepared((task, &prepared), plan, core)?;
            search.chosen = chosen;
            return Ok(search);
        }
        // Of what does not fit the least is told.
        let plan = wishes.plan(core);
        let assembled =
            |search: Self| environment.assemble(core, "search", search.source()).map(|_| search);
        match Self::new(task, plan, core).and_then(assembled) {
            Err(error) if !is_too_large(&error) => Err(error),
            Err(KernelError::Assembly(_)) => Err(too_few_registers(&plan, core)),
            Err(error) => Err(sentence(format!("{error}; {}", smaller(&plan)))),
            search => search,
        }
    }
}

/// Returns how a search takes less local memory.
fn smaller(plan: &LanePlan) -> &'static str {
    match (plan.depth, plan.slots) {
        (0, 1) => "take a smaller task, or frames by --frames",
        (_, 1) => "hand over at a lesser depth by --depth",
        (0, _) => "take fewer stacks by --slots, or frames by --frames",
        _ => "hand over at a lesser depth by --depth, or take fewer stacks by --slots",
    }
}
