//! Tests of the assembler through its public interface. The linter's tests stand elsewhere.

#![allow(clippy::unwrap_used, reason = "a helper that panics fails its test, which is wanted")]

mod book;
mod cases;
mod codes;
mod errors;
mod files;
mod harness;
mod language;
mod names;
mod objects;
mod promises;
mod random;
mod render;
mod schedules;
mod text;
