//! Texts for people, made from the table of operations: the reference page of all operations, and the entry of one.

mod entry;
mod page;
mod words;

pub use entry::{entry, matching};
pub use page::isa_page;
pub use words::{Latency, OperandInfo, exceptions, form, latencies, operands};
