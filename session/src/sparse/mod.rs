//! Sparse matrices as users give them: stored by rows, and read from Matrix Market files. Kernels have forms of their
//! own for them, in `cp2-kernels`.

mod csr;
mod error;
pub mod market;

pub use csr::{Csr, check_vector};
pub use error::SparseError;
