//! The engine: blocks of decoded operations, each of which calls the next.
//!
//! `operation` says what an operation is here; `integer`, `memory`, `float`, `flow`, `privileged`, `coprocessor`
//! have one short function for each, and `timing` what each takes; `shape` and `translate` say which one an instruction has, on what; `block` makes blocks, and `run` runs
//! them.

mod block;
mod coprocessor;
mod float;
mod flow;
mod integer;
mod memory;
mod operation;
mod privileged;
mod run;
mod shape;
mod timing;
mod translate;

pub use run::{Engine, Stop, Until};
