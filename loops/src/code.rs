//! Parallel code: the instances of one thread, scanned in the order of the nest, with bounds that hold for all of them.

mod scan;
mod text;
mod value;

pub use scan::{Bound, ScanNode, ThreadScan, scan_threads};
pub use text::{CodeDialect, CodeRefusal, thread_code};
