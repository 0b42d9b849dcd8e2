//! Conjugate gradients in system memory: products by sparse matrices and vectors through pages. The products are
//! in `host::sparse`.

mod kernels;
mod machine;
mod reference;
mod solver;
mod vectors;
mod workload;

pub use machine::Steps;
pub use solver::{Limits, Problem, Report, run};

use crate::workload::{Family, boxed};

/// The procedures. Their cycles depend on the machine, so none is counted.
pub const FAMILY: Family =
    Family { workloads: || vec![boxed(workload::Gradients)], counted: Vec::new };
