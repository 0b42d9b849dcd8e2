//! Procedures as workloads on a whole machine, arrays in system memory: one file or folder for each family, and two lines in
//! this file; their common parts are in `common`.

mod cg;
mod common;
mod convolution;
mod fft;
mod gathered;
mod multigrid;
mod recursion;
mod sparse;
mod spatial;
mod star;

use crate::workload::Family;
use cp2_session::workload::Workload;
use std::sync::Arc;

/// Returns the procedures that multiply a sparse matrix by a vector.
fn products() -> Vec<Arc<dyn Workload>> {
    [sparse::FAMILY, gathered::FAMILY].iter().flat_map(|family| (family.workloads)()).collect()
}

/// The families of procedures, in the order of the list.
pub(crate) const FAMILIES: &[Family] = &[
    fft::FAMILY,
    spatial::FAMILY,
    convolution::FAMILY,
    multigrid::FAMILY,
    sparse::FAMILY,
    cg::FAMILY,
    gathered::FAMILY,
    star::FAMILY,
    recursion::FAMILY,
];
