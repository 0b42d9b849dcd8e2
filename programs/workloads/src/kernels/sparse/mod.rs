//! The products by sparse matrices as workloads: `products`, on any machine; `sections`, with extensions; `form`, the names
//! and bounds of the forms; `bench`, the products that are counted.

mod bench;
pub(crate) mod form;
mod products;
mod sections;

use crate::workload::{Family, untyped};
use cp2_session::workload::Workload;
use form::SparseKernel;
use std::sync::Arc;

/// The family of the products by sparse matrices.
pub(crate) const FAMILY: Family = Family {
    workloads: || {
        let forms = SparseKernel::ALL.into_iter().map(|form| untyped(form));
        forms.chain(sections::all()).collect()
    },
    counted: bench::counted,
};

/// Returns the kernels that multiply a sparse matrix by a vector.
fn products() -> Vec<Arc<dyn Workload>> {
    (FAMILY.workloads)()
}
