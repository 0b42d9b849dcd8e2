//! Host procedures: what the control processor does with CP2 and its DMA channel to transform
//! arrays in system memory. Kernels and their generators live elsewhere in this crate.

mod bounds;
pub mod cg;
mod common;
mod comparison;
pub mod convolution;
pub(crate) mod cost;
mod device_driven;
pub mod fft;
pub mod gathered;
mod long;
pub mod measured;
pub mod multigrid;
pub mod pages;
pub mod passes;
mod procedure;
pub mod published;
mod replay;
mod session;
mod short;
pub mod sparse;
pub mod spatial;
mod steps;
pub mod timeline;
mod traffic;
mod walks;
mod workload;

pub use bounds::{Bounds, Rates, RowBound};
pub use comparison::{AgainstMeasured, Comparison};
pub use cost::Cost;
pub use cp2_session::engine::Engine;
pub use procedure::{Procedure, operations};
pub use session::{Call, Host};
pub use steps::StepBound;
pub use traffic::{RowCost, Traffic};
pub use workload::FAMILY;
