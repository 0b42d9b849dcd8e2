//! The products by sparse matrices as workloads: `products`, on any machine; `sections`, with extensions; `form`, what
//! the forms are called and bounded by; `bench`, what is counted of all of them.

mod bench;
pub(crate) mod form;
mod products;
mod sections;

use crate::workload::{Family, boxed};
use form::Form;

/// The kernels.
pub(crate) const FAMILY: Family = Family {
    workloads: || {
        let forms = Form::ALL.into_iter().map(|form| boxed(form));
        forms.chain(sections::all()).collect()
    },
    counted: bench::counted,
};
