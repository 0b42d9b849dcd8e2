//! Recursive searches on CP2: kernels made from the recorded steps of a task.

mod bits;
mod calls;
mod choice;
mod chosen;
mod common;
mod frame;
mod host;
mod kernel;
mod lane_text;
mod layout;
mod memory;
mod own;
mod portions;
mod predict;
mod registers;
mod run;
mod search;
mod stacks;
#[cfg(test)]
mod tests;

pub use choice::{NoTransfers, ShortCall, Transfers};
pub use host::HostSearch;
pub use memory::SearchOutcome;
pub use run::solve;
pub use search::LaneSearch;
pub use stacks::{BetterPlan, LanePlan, PlanWishes, Stacks};
