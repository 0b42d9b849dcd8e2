//! Procedures as workloads on a whole machine, arrays in system memory: one file or folder for each family, and what they
//! share in `common`.

pub(crate) mod cg;
mod common;
pub(crate) mod convolution;
pub(crate) mod fft;
pub(crate) mod gathered;
pub(crate) mod multigrid;
pub(crate) mod sparse;
pub(crate) mod spatial;
