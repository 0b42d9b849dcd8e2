//! The engine: blocks of decoded operations, each of which calls the next.
//!
//! `operation` says what an operation is here; `integer`, `memory`, `float`, `flow`, `privileged`, `coprocessor` have
//! one short function for each, and `timing` the time of each; `shape` and `translate` say which function an
//! instruction has, on which operands; `block` makes blocks, and `run` runs them, or what `native` makes of them.

pub(crate) mod block;
mod coprocessor;
mod float;
pub(crate) mod flow;
mod integer;
mod memory;
pub(crate) mod operation;
mod privileged;
mod run;
mod shape;
mod timing;
mod translate;

pub use run::{CpuEngine, RunLimit, Stop};
