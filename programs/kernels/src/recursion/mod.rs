//! Recursive searches on CP2: kernels made from the recorded steps of a task.

mod bits;
mod frame;
mod lane_text;
mod own_layout;
mod own_stacks;
mod run;
#[cfg(test)]
mod tests;

pub use run::{OwnPlan, SearchOutcome, solve_with_own_stacks};
