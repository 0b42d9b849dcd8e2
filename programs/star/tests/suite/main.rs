//! Tests of the STAR machine: library, language, programs that come with the crate, graphs, pictures.
#![allow(clippy::unwrap_used, reason = "a test's helpers may panic")]

mod codes;
mod graphs;
mod kit;
mod language;
mod library;
mod on_cp2;
mod programs;
mod random;
mod values;
