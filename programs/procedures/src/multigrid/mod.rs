//! Multigrid on whole grids in system memory, as NPB MG does it: V-cycles of the kernels on blocks, each
//! operator page by page, the faces of periodic grids copied behind it.
//!
//! - `npb`: classes and data of the benchmark; `reference`: the same on plain arrays;
//! - `grid`: how grids lie in memory; `faces`: their faces;
//! - `columns`: what pages of several operators in one go have in common;
//! - `operator`: the pages of an operator; `fused`: those of three of them in one go; `down`: of residual and
//!   projection;
//! - `described`: operators for programs in other languages;
//! - `timed`: multigrid as time only, with counts of kernels that the caller gives;
//! - `form`: the forms of a V-cycle; `installed`: what is in instruction memory; `levels`: the grids and what is done on them; `program`: the order;
//! - `solver`: what is asked for.

mod columns;
mod described;
mod down;
mod faces;
pub mod form;
mod fused;
mod grid;
mod installed;
mod levels;
pub mod npb;
mod operator;
mod program;
pub mod reference;
mod solver;
mod timed;

pub use described::{Described, described, text};
pub use form::{Form, smoother};
pub use operator::Cut;
pub use solver::{Applied, Problem, Report, apply, best_form, operations, outer_points, run};
pub use timed::{Counts, class_cycles, operator_cycles};
