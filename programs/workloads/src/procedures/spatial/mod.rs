//! FFTs of two and three dimensions as workloads: `transform`, what `cp2 kernels run fft3d` and `fft2d` do; `ft`, what `ft`
//! of NPB does.

mod ft;
mod transform;

use crate::workload::{Family, boxed};

/// The procedures. Their cycles depend on the machine, so none is counted.
pub(crate) const FAMILY: Family = Family {
    workloads: || {
        let transforms = [2, 3].map(|dimensions| boxed(transform::Transform { dimensions }));
        transforms.into_iter().chain([boxed(ft::Benchmark)]).collect()
    },
    counted: Vec::new,
};
