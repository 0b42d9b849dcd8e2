//! Tests of ranks and links without any procedure.
#![allow(clippy::unwrap_used, reason = "a test's helpers may panic")]

mod checkpoints;
mod deadlock;
mod exchange;
mod files;
mod foreign;
mod kit;
mod processes;
mod random;
mod times;
