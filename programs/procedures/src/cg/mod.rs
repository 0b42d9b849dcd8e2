//! Conjugate gradients on vectors and a sparse matrix in system memory: NPB CG, and the solution of a system of
//! equations. The products by the matrix are those of `crate::sparse`. `part` is the part of one process in NPB CG on several
//! processors.

mod kernels;
mod machine;
mod part;
pub mod reference;
mod segments;
mod solver;
mod vectors;

pub use machine::DirectionMethod;
pub use part::{CG_SEGMENTS, CgPart, CgScalar, CgStep, CgSum, CgVector, SegmentedCg};
pub use solver::{CgProblem, Report, SolverLimits, check, order, run};
