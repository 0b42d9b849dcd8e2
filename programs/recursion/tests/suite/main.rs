//! Tasks on the host, against the tables of the reference and plain programs.

#![allow(clippy::unwrap_used, reason = "a test's helpers may panic")]

mod dealing;
mod tasks;
