//! Conjugate gradients in system memory: products by sparse matrices and vectors through pages. The products are
//! in `crate::sparse`.

mod kernels;
mod machine;
pub mod reference;
mod solver;
mod vectors;

pub use machine::DirectionMethod;
pub use solver::{CgProblem, Report, SolverLimits, check, order, run};
