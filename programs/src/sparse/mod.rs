//! Products of sparse matrices and vectors: formats, kernels, host procedures, test matrices and
//! Matrix Market files. Vectors by themselves are in `vector`.

mod bench;
mod blocks;
mod blocks_kernel;
pub(crate) mod csr;
mod direct;
mod error;
mod form;
pub mod market;
pub mod matrices;
mod packed;
mod packed_kernel;
mod pages;
mod placement;
mod run;
mod sections_kernel;
mod sliced;
mod sliced_kernel;
mod workload;

pub use blocks::{Blocks, SHAPES, Shape};
pub use blocks_kernel::{multiply as multiply_blocks, source as blocks_source};
pub use csr::Csr;
pub use direct::{Direct, multiply as multiply_direct};
pub use error::SparseError;
pub(crate) use form::REFERENCE;
pub use packed::{Contents, Packed, WINDOW, back, order_of};
pub use packed_kernel::{
    BACK_CYCLES, LEAST_BACK, PASS_CYCLES, back_source, cycles as packed_cycles,
    source as packed_source,
};
pub use pages::Part;
pub use placement::{Layout, Placement};
pub use run::Product;
pub(crate) use run::SPREAD;
pub use sections_kernel::{Gathering, multiply as multiply_sections, source as sections_source};
pub use sliced::{HEIGHTS, RowOrder, Sliced};
pub use sliced_kernel::{multiply as multiply_sliced, source as sliced_source};
pub use workload::FAMILY;
