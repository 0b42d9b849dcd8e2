//! Kernels of CP2, their generators, and the host procedures that run them on a user's data.

pub mod bench;
pub mod cmul;
pub mod error;
pub mod fft;
pub mod host;
pub mod load;
pub mod npy;
pub mod random;
pub mod schedule;

pub use error::KernelError;
