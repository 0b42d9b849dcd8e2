//! Recursive searches on graphics processors: the step of a task becomes a kernel, and each work-item has a stack of its own, or shares
//! the work of its group.

mod contexts;
mod error;
mod plan;
pub mod report;
mod search;
mod text;

pub use error::SearchError;
pub use plan::{SearchPlan, StackPlace, StopRule};
pub use search::{DeviceSearch, RunningSearch, SearchResult, SearchState};
