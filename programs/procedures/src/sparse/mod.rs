//! Sparse matrices in system memory: their products with vectors, page by page, where a page is what is in one part of
//! local memory at once. Formats and kernels are in `cp2_kernels::sparse`.

mod partition;
mod plan;
mod product;
mod stored;

pub use partition::MatrixFormat;
pub use plan::{ProductPlan, Statistics};
pub(crate) use product::Operator;
pub use product::{Report, multiply};
pub(crate) use stored::Renewal;
