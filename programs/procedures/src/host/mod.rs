//! Parts of which every procedure is made.
//!
//! - `session`: a host with CP2, the channel and system memory in one time; `programs`: the programs that it has
//!   assembled and installed;
//! - `banks`: places of pages in local memory; `pages`: the page scheme, whose pages the host turns; `device_driven`: pages that CP2 turns itself; `walks`: the
//!   descriptors of pages;
//! - `procedure`: the operations of a procedure; `cost`: its cost; `steps`: the bound of its steps;
//!   `names`: what steps are called in recordings; `trial`: the cycles of a chain of pages, predicted by shorter chains;
//! - `replay`: checkpoints of long procedures: a run that goes on makes its calls again, and those before the
//!   checkpoint do nothing.

mod banks;
mod cost;
pub mod device_driven;
mod names;
pub mod pages;
mod procedure;
mod programs;
mod replay;
mod session;
mod steps;
mod trial;
pub mod walks;

pub(crate) use names::StageNames;
pub use procedure::{Procedure, operations};
pub use session::{Call, Host};
pub use steps::StepBound;
pub(crate) use steps::StepMinimum;
pub(crate) use trial::predict_cycles;
