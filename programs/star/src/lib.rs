//! The associative STAR machine, which works on columns of bits: its model and library, a language for its programs, graphs, and
//! programs on graphs. Programs run on a back end by elementary operations, which are counted; the native machine is
//! one. Nothing here reads files or prints.

pub mod cp2;
pub mod graph;
pub mod language;
pub mod library;
pub mod machine;
mod problems;
pub mod report;
pub mod run;
mod shipped;
pub mod values;
pub mod view;

pub use shipped::{SHIPPED, ShippedProgram, shipped};
