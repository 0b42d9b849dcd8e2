//! Procedures: what a host does with CP2 and its DMA channel to transform arrays in system memory. They use the kernels
//! of `cp2_kernels`, and know neither measured numbers nor workloads.
//!
//! - `host`: the parts of every procedure: the host in time with the machine, the page scheme, the cost of a run;
//! - `fft`: FFTs of many vectors, short ones in pages and long ones in passes; `convolution`: convolutions with one
//!   filter, in four schemes; `spatial`: FFTs of two and three dimensions, NPB FT;
//! - `multigrid`: NPB MG and its operators; `sparse`: products by sparse matrices in the form that costs least;
//!   `gathered`: such products by gathers of the channel; `cg`: conjugate gradients on top of `sparse`;
//! - `star`: the closure of a matrix of bits, and shortest paths with a table of weights;
//! - `plan`: the choice among the plans by which a procedure can use a machine;
//! - `paged`: procedures whose page scheme is data, such as those of a user's workload file.

pub mod cg;
pub mod convolution;
pub mod fft;
pub mod gathered;
pub mod host;
pub mod multigrid;
pub mod paged;
mod plan;
pub mod recursion;
pub mod sparse;
pub mod spatial;
pub mod star;
