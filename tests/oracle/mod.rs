//! A second path for the rules of CP2, written from the reference text before its author read the
//! engine: an interpreter that keeps the whole history of every register, and a generator of random
//! programs. `differential.rs` compares the two. Shared with the engine are the form of a decoded
//! operation and, but for the elementary functions, the values of arithmetic operations in one section.

mod arithmetic;
pub(crate) mod build;
pub(crate) mod compare;
mod control;
pub(crate) mod coverage;
pub(crate) mod defined;
#[path = "../elementary/mod.rs"]
mod elementary;
pub(crate) mod examples;
mod exchange;
pub(crate) mod extended;
mod flow;
mod history;
pub(crate) mod latency;
mod machine;
pub(crate) mod random;
mod rules;
mod state;
mod status;
mod times;

pub(crate) use flow::Meaningless;
pub(crate) use machine::{Ending, Verdict, run};
pub(crate) use rules::{Met, Rule};
