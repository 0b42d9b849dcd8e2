//! FFTs of two and three dimensions as workloads: `transform`, the workloads `fft2d` and `fft3d`; `ft`, NPB FT.

mod ft;
mod transform;

use crate::workload::{Family, untyped};

/// The family of the FFTs of several dimensions. Their cycles depend on the machine, so none is counted.
pub(crate) const FAMILY: Family = Family {
    workloads: || {
        let transforms = [2, 3].map(|dimensions| untyped(transform::Transform { dimensions }));
        transforms.into_iter().chain([untyped(ft::Benchmark)]).collect()
    },
    counted: Vec::new,
};
