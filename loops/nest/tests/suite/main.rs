//! Tests of loop nests as texts: what is read, what is refused and how, and execution.
#![allow(clippy::unwrap_used, reason = "a test's helpers may panic")]

mod codes;
mod execution;
mod random;
mod reading;
mod refusals;
