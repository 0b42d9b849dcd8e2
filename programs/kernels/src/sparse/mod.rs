//! Products of sparse matrices and vectors: forms of matrices, their kernels, the code that runs them on CP2 alone, and
//! test matrices. Operations on vectors alone are in `vector`.
//!
//! In this module a *slice* is a number of rows that are stored together in Sliced CSR, and a *slab* is the row groups
//! that the blocks of the block format span. A converted matrix goes through local memory in *pages*, see [`PagePart`].

mod blocks;
mod blocks_kernel;
mod counted;
mod counted_kernel;
mod direct;
pub mod matrices;
mod packed;
mod packed_kernel;
mod pages;
mod placement;
mod run;
mod sections;
mod sections_kernel;
mod sliced;
mod sliced_kernel;

pub use blocks::{BlockMatrix, BlockShape, SHAPES};
pub use blocks_kernel::{
    cycles as blocks_cycles, multiply as multiply_blocks, source as blocks_source,
};
pub use counted::multiply as multiply_counted;
pub use counted_kernel::source as counted_source;
pub use direct::{Direct, Merging, multiply as multiply_direct};
pub use packed::{Contents, IndexForm, Packed, WINDOW, back, order_of};
pub use packed_kernel::{
    BACK_CYCLES, LEAST_BACK, OWN_BACK_CYCLES, PASS_ACCESSES, PASS_CYCLES, back_source,
    cycles as packed_cycles, own_back_source, source as packed_source,
};
pub use pages::PagePart;
pub use placement::{Placement, RowLayout};
pub use run::{Report, SPREAD};
pub use sections::multiply as multiply_sections;
pub use sections_kernel::{Gathering, TURN, register_cycles, source as sections_source};
pub use sliced::{HEIGHTS, RowOrder, Sliced};
pub use sliced_kernel::{multiply as multiply_sliced, source as sliced_source};
