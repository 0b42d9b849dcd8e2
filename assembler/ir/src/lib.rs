//! What assembler, scheduler, checker and linter hand to each other: linear code and its scheduled
//! bundles (`linear`), assembled programs (`image`), what their kernels declare (`interface`) and the rules that each obeys (`structure`),
//! diagnostics and the table of their codes. Nothing here parses, schedules or runs.

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
