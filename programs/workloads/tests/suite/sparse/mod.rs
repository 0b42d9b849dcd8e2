//! Products of sparse matrices, and what solves with them.

mod cg;
mod errors;
mod gathered;
mod machine;
mod products;
mod sections;
