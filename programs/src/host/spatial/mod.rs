//! FFTs of arrays of two and three dimensions in system memory, and NPB FT.
//!
//! - `plan`: passes over memory, their pages and walks;
//! - `transform`: the passes one after the other; `reference`: the same in double precision;
//! - `npb`: classes and data of the benchmark; `evolve`: its products; `benchmark`: all of it on a machine;
//! - `workload`: what `cp2 kernels run fft3d` and `fft2d` do; `ft`: what `ft` does.

mod benchmark;
mod evolve;
mod ft;
pub mod npb;
mod plan;
mod transform;
mod workload;

pub use benchmark::{Report as FtReport, reference as ft_reference, run as run_ft};
pub use plan::Sizes;
pub use transform::{Options, Report, run};

use crate::workload::{Family, boxed};

/// The procedures. Their cycles depend on the machine, so none is counted.
pub const FAMILY: Family = Family {
    workloads: || {
        let transforms = [2, 3].map(|dimensions| boxed(workload::Transform { dimensions }));
        transforms.into_iter().chain([boxed(ft::Benchmark)]).collect()
    },
    counted: Vec::new,
};
