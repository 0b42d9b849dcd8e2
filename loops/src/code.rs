//! Parallel code: the instances of one thread, scanned in the order of the nest, with bounds that hold for all of them.

mod dialect;
mod limits;
mod refusal;
mod scan;
mod terms;
mod text;
mod value;
mod writer;

pub use dialect::CodeDialect;
pub use refusal::CodeRefusal;
pub use scan::{LoopBound, ScanNode, ThreadScan, scan_threads};
pub use text::{OuterLoop, phased_code, thread_code};
pub use writer::CodePart;
