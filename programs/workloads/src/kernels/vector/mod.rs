//! The operations on vectors as workloads: `operations`, on any machine; `shared`, reductions that meet in shared memory.

mod operations;
mod shared;

use crate::workload::{Family, untyped};
use cp2_kernels::vector::VectorOperation;
use cp2_session::workload::Workload;
use shared::Shared;
use std::sync::Arc;

/// The family of the operations on vectors.
pub(crate) const FAMILY: Family = Family {
    workloads: || operations::all().chain(shared::all()).collect(),
    counted: || operations::counted().chain(shared::counted()).collect(),
};

/// Returns the kernels that do an operation, if there are several.
fn variants(operation: VectorOperation) -> Vec<Arc<dyn Workload>> {
    match operation.is_reduction() {
        true => vec![untyped(operation), untyped(Shared(operation))],
        false => Vec::new(),
    }
}
