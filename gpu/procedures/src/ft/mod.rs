//! NPB FT on devices: `transform` does lines of an array, `resident` is the benchmark with the array on the device,
//! `paged` that with the array in memory of the host.

mod paged;
mod resident;
mod transform;

pub use paged::{PagedFt, PagedWork};
pub use resident::{FtRun, deviation};
pub use transform::{LineShapes, Transforms};
