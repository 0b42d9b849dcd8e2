//! Way in which blocks are translated: how memory is found, and with what costs time is told.

use crate::core::Cpu;
use crate::timing::CodeCosts;

/// Way in which blocks are translated; that of all that are there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NativeMode {
    /// Whether pages stand by their addresses, with their rights before them; else they are found by the tables of
    /// memory. Code that tells the time finds them by the tables always, since it has no register for the first page.
    pub(super) is_flat: bool,
    /// Whether addresses are those of a machine, with segments.
    pub(super) is_machine: bool,
    /// Costs of instructions, if code tells the time.
    pub(super) costs: Option<CodeCosts>,
}

impl NativeMode {
    /// Mode of code that is never run.
    pub(super) const NONE: Self = Self { is_flat: false, is_machine: false, costs: None };

    /// Returns the way for a core; `None` if there is none, since code cannot compute with its costs.
    pub(crate) fn of(core: &Cpu) -> Option<Self> {
        let costs = match &core.timing {
            None => None,
            Some(timing) => Some(*timing.code_costs()?),
        };
        Some(Self {
            is_flat: costs.is_none() && core.memory.is_flat(),
            is_machine: core.memory.mmu().is_some(),
            costs,
        })
    }
}
