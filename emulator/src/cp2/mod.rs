//! The reference engine: the specification made to run. In every cycle it reads all operands, executes, and commits all
//! results; it caches nothing.

mod access;
mod engine;
mod events;
mod exchange;
mod fault;
mod fifo;
mod flow;
mod operands;
mod pipeline;
mod possible;
pub mod seam;

pub use engine::{Cp2, End, RunResult};
pub use fault::{Fault, FaultKind};
pub use fifo::{Fifo, FifoEntry};
