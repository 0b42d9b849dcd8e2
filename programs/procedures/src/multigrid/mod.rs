//! Multigrid on whole grids in system memory, as NPB MG does it: V-cycles of the kernels on blocks, each operator page
//! by page, after which the faces of periodic grids are copied. A page is what is in one part of local memory at once.
//!
//! - `npb`: classes and data of NPB MG; `reference`: its V-cycles and operators on plain arrays;
//! - `grid`: grids in memory; `faces`: copies of their faces;
//! - `columns`: the common part of the pages of several operators in one go;
//! - `operator`: the pages of an operator; `fused`: those of three operators in one go; `down`: those of residual and
//!   projection in one go;
//! - `described`: operators for programs in other languages;
//! - `timed`: multigrid as time only, with counts of kernels that the caller gives;
//! - `form`: the forms of a V-cycle; `installed`: the contents of instruction memory at one time,
//!   and `images` those that take turns; `levels`: the grids of all levels
//!   and the tasks on them; `program`: the order of the tasks in a run;
//! - `part`: the part of one process in multigrid on several processors, and its times without values;
//! - `alone`: the choice of the kernel of an operator alone; `plan`: the choice of the form; `solver`: runs of a class of NPB MG, or of an operator alone.

mod alone;
mod columns;
mod described;
mod down;
mod faces;
pub mod form;
mod fused;
mod grid;
mod images;
mod installed;
mod levels;
pub mod npb;
mod operator;
mod part;
mod plan;
mod program;
pub mod reference;
mod solver;
mod timed;

pub use described::{OperatorDescription, described, text};
pub use form::{OperatorForm, smoother};
pub use grid::PaddedGrid;
pub use installed::KernelRoutines;
pub use operator::Cut;
pub use part::{LevelArray, MultigridPart, MultigridTimes, PartMoment, PartOutline, PartStep};
pub use solver::{Applied, MultigridProblem, Report, apply, operations, outer_points, run};
pub use timed::{KernelCycles, class_cycles, operator_cycles};
