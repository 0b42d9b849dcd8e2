//! Recursive searches on CP2: kernels made from the recorded steps of a task.

mod bits;
mod common;
mod frame;
mod kernel;
mod lane_text;
mod layout;
mod own;
mod run;
mod stacks;
#[cfg(test)]
mod tests;

pub use run::{SearchOutcome, solve};
pub use stacks::{LanePlan, Stacks};
