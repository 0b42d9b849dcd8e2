//! Procedures as workloads on a whole machine, arrays in system memory: one file or folder for each family, and two lines in
//! this file; their common parts are in `common`.

mod cg;
mod common;
mod convolution;
mod fft;
mod gathered;
mod multigrid;
mod sparse;
mod spatial;

use crate::workload::Family;

/// The families of procedures, in the order of the list.
pub(crate) const FAMILIES: &[Family] = &[
    fft::FAMILY,
    spatial::FAMILY,
    convolution::FAMILY,
    multigrid::FAMILY,
    sparse::FAMILY,
    cg::FAMILY,
    gathered::FAMILY,
];
