//! NPB FT on devices: `transform` does lines of an array, `resident` is the benchmark with the array on the device.

mod resident;
mod transform;

pub use resident::{FtRun, deviation};
pub use transform::{LineShape, LineShapes, Transforms};
