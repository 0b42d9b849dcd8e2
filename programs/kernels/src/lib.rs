//! Kernels of CP2: their generators, the references in double precision that their results are compared with, and the
//! code that runs one of them on CP2 alone. They know neither procedures on system memory nor measured numbers nor
//! workloads.
//!
//! - `fft`: short FFTs of many vectors, with strides and tables too; `cmul`: pointwise products of complex vectors;
//! - `multigrid`: the operators of NPB MG on blocks of points; `sparse`: formats of sparse matrices and products by
//!   them; `vector`: the operations of conjugate gradients on vectors;
//! - `star`: slices and tables of bits of the STAR machine, its searches, arithmetic and closures;
//! - `linear_text`: linear regions of assembly text, line by line; `npb`: the random numbers of the NAS Parallel
//!   Benchmarks.

pub mod cmul;
pub mod fft;
pub mod linear_text;
pub mod multigrid;
pub mod npb;
pub mod recursion;
pub mod sparse;
pub mod star;
pub mod vector;
