//! Cycle-exact emulator of CP2. It never parses assembly text and does no input or output.

pub mod arith;
pub mod array;
mod compare;
pub mod cp2;
pub mod dma;
pub mod instructions;
pub mod machine;
pub mod memory;
pub mod profile;
pub mod state;
pub mod state_json;
pub mod stats;
pub mod trace;

pub use compare::Difference;
pub use cp2::{Cp2, End, Fault, RunResult};
pub use machine::{Engine, Goal, Machine, MachineConfig, Pause, ReferenceEngine};
pub use profile::Profile;
pub use state::State;
pub use stats::Stats;
