//! Recursive searches on graphics processors: the step of a task becomes a kernel, and each work-item has a stack of its own.

mod error;
mod search;
mod text;

pub use error::SearchError;
pub use search::{DeviceSearch, SearchPlan, SearchResult, StackPlace};
