//! The operations on vectors as workloads: `operations`, on any machine; `shared`, reductions that meet in shared memory.

mod operations;
mod shared;

use crate::workload::Family;

/// The family of the operations on vectors.
pub(crate) const FAMILY: Family = Family {
    workloads: || operations::all().chain(shared::all()).collect(),
    counted: || operations::counted().chain(shared::counted()).collect(),
};
