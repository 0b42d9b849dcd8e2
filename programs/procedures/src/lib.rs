//! Procedures: what the control processor does with CP2 and its DMA channel to transform arrays in system memory. They
//! stand on kernels, and know neither measured numbers nor workloads.
//!
//! - `host`: what every procedure is made of: the host in time with the machine, the page scheme, what a run cost;
//! - `fft`: FFTs of many vectors, short ones in pages and long ones in passes; `convolution`: with one filter, in four
//!   schemes; `spatial`: FFTs of two and three dimensions, NPB FT;
//! - `multigrid`: NPB MG and its operators; `sparse`: products by sparse matrices in the form that costs least; `gathered`:
//!   by gathers of the channel; `cg`: conjugate gradients on top of these.

pub mod cg;
pub mod convolution;
pub mod fft;
pub mod gathered;
pub mod host;
pub mod multigrid;
pub mod sparse;
pub mod spatial;
