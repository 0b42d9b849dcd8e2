//! Graphs: as texts, as made by a generator, and as tables for programs.

mod dimacs;
mod ledger;
mod lines;
mod market;
mod read;
mod rmat;
mod snap;
mod sums;
mod tables;

pub use ledger::ReadingLedger;
pub use read::{GraphFormat, read_graph, read_insertions};
pub use rmat::RmatGenerator;
pub use sums::{check_lengths, check_sums};
pub use tables::{Graph, GraphArc, arcs_of_weights};
