//! Multigrid on whole grids in system memory, as NPB MG does it: V-cycles of the kernels on blocks, each
//! operator page by page, the faces of periodic grids copied behind it.
//!
//! - `npb`: classes and data of the benchmark; `reference`: the same on plain arrays;
//! - `grid`: how grids lie in memory; `faces`: their faces;
//! - `operator`: the pages of an operator; `fused`: those of three of them in one go;
//! - `solver`: the V-cycle; `workload`: what `cp2 kernels run mg` does.

mod faces;
mod fused;
mod grid;
pub mod npb;
mod operator;
mod operators;
pub mod reference;
mod solver;
mod workload;

pub use solver::{Applied, Form, Report, apply, operations, outer_points, published_cycles, run};
pub use workload::FAMILY;
