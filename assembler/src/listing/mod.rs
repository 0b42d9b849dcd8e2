//! Texts and tables for people about an assembled program: the listing of its bundles beside the source lines
//! (`program`), the schedules of pipelined loops (`pipeline`), and its symbols (`map`).

mod map;
mod pipeline;
mod program;

pub use map::{SymbolEntry, SymbolMap};
pub use pipeline::{PipelineCell, kernel, operations, pipelines};
pub use program::program;
