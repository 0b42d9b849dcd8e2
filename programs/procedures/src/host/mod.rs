//! What every procedure is made of.
//!
//! - `session`: the control processor with CP2, the channel and system memory in one time;
//! - `pages`: the page scheme, whose pages the host turns; `device_driven`: pages that CP2 turns itself; `walks`: the
//!   descriptors of pages;
//! - `passes`, `steps`, `timeline`, `traffic`: what a procedure loads, computes and stores pass by pass; the bound of its
//!   steps; who was busy when; in rows of which form data move;
//! - `procedure`, `cost`, `row_bound`: its operations; what it cost; the bound of the rows that moved;
//! - `replay`: checkpoints of long procedures: a run that goes on makes its calls again, those before the checkpoint do
//!   nothing.

mod cost;
pub mod device_driven;
pub mod pages;
pub mod passes;
mod procedure;
mod replay;
mod row_bound;
mod session;
mod steps;
pub mod timeline;
mod traffic;
pub mod walks;

pub use cost::Cost;
pub use procedure::{Procedure, operations};
pub use row_bound::{DmaRates, RowBound, channel_rates, share_text};
pub use session::{Call, Host};
pub use steps::StepBound;
pub(crate) use steps::StepMinimum;
pub use traffic::{KnownRates, RowCost, Traffic};
