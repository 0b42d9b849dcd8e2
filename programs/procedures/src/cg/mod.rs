//! Conjugate gradients on vectors and a sparse matrix in system memory: NPB CG, and the solution of a system of
//! equations. The products by the matrix are those of `crate::sparse`.

mod kernels;
mod machine;
pub mod reference;
mod solver;
mod vectors;

pub use machine::DirectionMethod;
pub use solver::{CgProblem, Report, SolverLimits, check, order, run};
