//! NPB MG, CG and FT in double precision on graphics processors, by kernels in OpenCL C.

pub mod cg;
pub mod ft;
pub mod kernels;
pub mod mg;
pub mod timing;
