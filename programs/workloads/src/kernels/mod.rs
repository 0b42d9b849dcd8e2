//! Kernels as workloads on CP2 alone, operands in local memory: one file or folder for each family.

pub(crate) mod cmul;
pub(crate) mod fft;
pub(crate) mod multigrid;
pub(crate) mod sparse;
pub(crate) mod vector;
