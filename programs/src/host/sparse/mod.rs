//! Sparse matrices in system memory: their products with vectors, page by page. Formats and kernels are in
//! `crate::sparse`.

mod cut;
mod plan;
mod product;
mod stored;

pub use cut::Form;
pub use plan::{Plan, Statistics};
pub use product::{Report, multiply};
