//! Sparse matrices as users give them: by rows, and in Matrix Market files. The forms in which kernels take them are theirs.

mod csr;
mod error;
pub mod market;

pub use csr::{Csr, check_vector};
pub use error::SparseError;
