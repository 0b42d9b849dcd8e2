//! Tests of multigrid on several processors.
#![allow(clippy::unwrap_used, reason = "a test's helpers may panic")]

mod bits;
mod cg;
mod checkpoints;
mod errors;
mod fft;
mod kit;
mod replay;
mod scaling;
mod times;
