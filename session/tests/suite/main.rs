//! The library by its public interfaces: checked runs with their leaps and findings, arrays and arguments, what the costs of
//! procedures are made of, what a thread reuses.

#![allow(clippy::unwrap_used, reason = "a test's helpers may panic")]

mod arrays;
mod check;
mod costs;
mod findings;
mod leaps;
mod library;
mod parts;
mod reuse;
