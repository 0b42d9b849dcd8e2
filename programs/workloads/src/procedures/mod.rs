//! Procedures as workloads on a whole machine, arrays in system memory: one file or folder for each family, and its two lines
//! here; and what they share, in `common`.

mod cg;
mod common;
mod convolution;
mod fft;
mod gathered;
mod multigrid;
mod sparse;
mod spatial;

use crate::workload::Family;

/// The families, in the order of the list.
pub(crate) const FAMILIES: &[Family] = &[
    fft::FAMILY,
    spatial::FAMILY,
    convolution::FAMILY,
    multigrid::FAMILY,
    sparse::FAMILY,
    cg::FAMILY,
    gathered::FAMILY,
];
