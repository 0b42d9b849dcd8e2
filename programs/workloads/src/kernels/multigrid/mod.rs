//! The kernels of multigrid as workloads: `blocks`, one block in each section; `cycle`, the kernels of a V-cycle in
//! instruction memory together; `pairs`, two groups of rows in one pass; `shared`, a grid in shared memory.

mod blocks;
mod cycle;
mod pairs;
mod shared;

use crate::workload::{Counted, Family, untyped};
use cp2_kernels::multigrid::sized::CYCLE;
use cp2_kernels::multigrid::{GridKernel, KERNELS, OperatorSequence, Paired};
use cp2_session::workload::Workload;
use std::sync::Arc;

/// Returns the kernels that compute the residual.
fn residuals() -> Vec<Arc<dyn Workload>> {
    vec![untyped(GridKernel::Resid), untyped(Paired::<false>), untyped(Paired::<true>)]
}

/// The family of the multigrid kernels.
pub(crate) const FAMILY: Family = Family {
    workloads: || {
        let kernels = KERNELS.into_iter().map(|kernel| untyped(kernel));
        let paired = [untyped(Paired::<false>), untyped(Paired::<true>)];
        let shared = OperatorSequence::ALL.map(untyped);
        kernels.chain([untyped(cycle::Cycle)]).chain(shared).chain(paired).collect()
    },
    counted: || {
        let count = |kernel: GridKernel| {
            Counted::new(kernel.name().to_owned(), move |name, on| blocks::row(name, kernel, on))
        };
        let sized = |kernel: GridKernel| {
            let name = format!("{}_sized", kernel.name());
            Counted::new(name, move |name, on| cycle::row(name, kernel, on))
        };
        let kernels = KERNELS.into_iter().map(count).chain(CYCLE.into_iter().map(sized));
        let paired = [pairs::counted::<false>(), pairs::counted::<true>()];
        kernels.chain(paired).chain(shared::counted()).collect()
    },
};
