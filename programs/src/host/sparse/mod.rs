//! Sparse matrices in system memory: their products with vectors, page by page. Formats and kernels are in
//! `crate::sparse`.

mod partition;
mod plan;
mod product;
mod stored;
mod workload;

pub use partition::Form;
pub use plan::{Plan, Statistics};
pub(crate) use product::Operator;
pub use product::{Report, multiply};
pub(crate) use stored::Renewal;
pub(crate) use workload::{form_flag, rates};

use crate::workload::{Family, boxed};

/// The procedures. Their cycles depend on the machine, so none is counted.
pub const FAMILY: Family =
    Family { workloads: || vec![boxed(workload::Product)], counted: Vec::new };
