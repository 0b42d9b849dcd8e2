//! What a program became, for people to read: its bundles beside the lines that they come from (`program`), the
//! schedules of pipelined loops as tables (`pipeline`), its symbols (`map`).

mod map;
mod pipeline;
mod program;

pub use map::{Entry, Map};
pub use pipeline::{Cell, kernel, operations, pipelines};
pub use program::program;
