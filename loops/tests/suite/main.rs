//! Tests of the analysis of loop nests.
#![allow(clippy::unwrap_used, reason = "a test's helpers may panic")]

mod codes;
mod compiled;
mod coprocessor;
mod generated;
mod kit;
mod known;
mod nests;
mod pairs;
mod random;
mod reports;
mod sharing;
