//! Tests of programs on several processors. `programs/c/build.sh` makes the programs anew; `programs/c/mpi.sh` compares them with the
//! same sources under another MPI.
#![allow(clippy::unwrap_used, reason = "a test's helpers may panic")]

mod foreign;
mod kit;
mod order;
mod results;
mod times;
mod wrong;
