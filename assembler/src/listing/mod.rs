//! What a program became, for people to read: its bundles beside the lines that they come from (`program`), the
//! schedules of pipelined loops as tables (`pipeline`), its symbols (`map`).

mod map;
mod pipeline;
mod program;

pub use map::{SymbolEntry, SymbolMap};
pub use pipeline::{PipelineCell, kernel, operations, pipelines};
pub use program::program;
