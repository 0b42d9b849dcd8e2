//! Kernels as workloads on CP2 alone, operands in local memory: one file or folder for each family, and two lines in this
//! file.

mod cmul;
pub(crate) mod fft;
mod multigrid;
pub(crate) mod recursion;
pub(crate) mod sparse;
pub(crate) mod star;
mod vector;

use crate::workload::Family;

/// The families of kernels, in the order of the list.
pub(crate) const FAMILIES: &[Family] = &[
    fft::FAMILY,
    cmul::FAMILY,
    multigrid::FAMILY,
    sparse::FAMILY,
    vector::FAMILY,
    star::FAMILY,
    recursion::FAMILY,
];
