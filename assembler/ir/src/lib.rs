//! Data that assembler, scheduler, checker and linter of CP2 hand to each other: linear code and its scheduled bundles
//! (`linear`), assembled programs (`image`), what their kernels declare (`interface`), promises of linear code
//! (`promises`), the rules of control flow that programs obey (`structure`), diagnostics and the table of their codes
//! (`diagnostic`, `codes`), and the places of bundles in the source (`sites`, `expansion`). Nothing here parses,
//! schedules or runs.

pub mod codes;
pub mod diagnostic;
pub mod expansion;
pub mod image;
pub mod interface;
pub mod linear;
mod place;
pub mod promises;
pub mod sites;
pub mod structure;
pub mod text;
