//! Multigrid on whole grids in system memory, as NPB MG does it: V-cycles of the kernels on blocks, each
//! operator page by page, the faces of periodic grids copied behind it.
//!
//! - `npb`: classes and data of the benchmark; `reference`: the same on plain arrays;
//! - `grid`: how grids lie in memory; `faces`: their faces;
//! - `operator`: the pages of an operator;
//! - `solver`: the V-cycle; `workload`: what `cp2 kernels run mg` does.

mod faces;
mod grid;
pub mod npb;
mod operator;
mod operators;
pub mod reference;
mod solver;
mod workload;

pub use solver::{Applied, Report, apply, operations, outer_points, run};
pub use workload::FAMILY;
