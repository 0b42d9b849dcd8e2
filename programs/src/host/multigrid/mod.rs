//! Multigrid on whole grids in system memory, as NPB MG does it: V-cycles of the kernels on blocks, each
//! operator page by page, the faces of periodic grids copied behind it.
//!
//! - `npb`: classes and data of the benchmark; `reference`: the same on plain arrays;
//! - `grid`: how grids lie in memory; `faces`: their faces;
//! - `operator`: the pages of an operator; `fused`: those of three of them in one go; `whole`: of all of a grid;
//! - `published`: the published procedures as time only;
//! - `solver`: the V-cycle; `workload`: what `cp2 kernels run mg` does.

mod faces;
mod fused;
mod grid;
pub mod npb;
mod operator;
mod operators;
mod published;
pub mod reference;
mod solver;
mod whole;
mod workload;

pub use published::{class_mops as published_class_mops, operator_mops as published_operator_mops};
pub use solver::{Applied, Form, Report, apply, best_form, operations, outer_points, run};
pub use workload::FAMILY;
