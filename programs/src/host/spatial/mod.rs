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
pub mod reference;
mod report;
mod transform;
mod workload;

pub use benchmark::{Report as FtReport, reference as ft_reference, run as run_ft};
pub use plan::Sizes;
pub use transform::{Options, Report, run};
pub use workload::FAMILY;
