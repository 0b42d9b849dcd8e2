//! Kernels of CP2, their generators, and the host procedures that run them on a user's data.

pub mod arrays;
pub mod bench;
pub mod catalogue;
pub mod cmul;
pub use cp2_document as document;
pub mod engine;
pub mod error;
pub mod fft;
pub mod host;
pub mod keeping;
mod linear_text;
pub mod load;
pub mod multigrid;
mod npb;
pub mod npy;
pub mod numbers;
pub mod project;
pub mod promises;
pub mod random;
pub mod recorded;
pub mod reuse;
pub mod sanitizer;
pub mod schedule;
pub mod sparse;
pub mod speed;
pub mod store;
pub mod vector;
pub mod workload;

pub use engine::{Engine, Execution};
pub use error::KernelError;
