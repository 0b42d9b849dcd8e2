//! Kernels of CP2, their generators, and the host procedures that run them on a user's data.

pub mod bench;
pub mod catalogue;
pub mod cmul;
pub use cp2_document as document;
pub mod fft;
pub mod host;
mod linear_text;
pub mod multigrid;
mod npb;
pub mod project;
pub mod sparse;
pub mod speed;
pub mod vector;
pub mod workload;
