//! Multigrid on whole grids in system memory, as NPB MG does it: V-cycles of the kernels on blocks, each
//! operator page by page, the faces of periodic grids copied behind it.
//!
//! - `npb`: classes and data of the benchmark; `reference`: the same on plain arrays;
//! - `grid`: how grids lie in memory; `faces`: their faces;
//! - `columns`: what pages of several operators in one go have in common;
//! - `operator`: the pages of an operator; `fused`: those of three of them in one go; `down`: of residual and
//!   projection;
//! - `described`: operators for programs in other languages;
//! - `published`: the published procedures as time only;
//! - `form`: the forms of a V-cycle; `installed`: what is in instruction memory; `levels`: the grids and what is done on them; `program`: the order;
//! - `solver`: what is asked for; `workload`: what `cp2 kernels run mg` does.

mod columns;
mod described;
mod down;
mod faces;
mod form;
mod fused;
mod grid;
mod installed;
mod levels;
pub mod npb;
mod operator;
mod operators;
mod program;
mod published;
pub mod reference;
mod solver;
mod workload;

pub use described::{Described, described, text};
pub use form::Form;
pub use operator::Cut;
pub use published::{class_mops as published_class_mops, operator_mops as published_operator_mops};
pub use solver::{Applied, Problem, Report, apply, best_form, operations, outer_points, run};
pub use workload::FAMILY;
