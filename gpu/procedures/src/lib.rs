//! NPB MG, CG and FT in double precision on graphics processors, by kernels in OpenCL C.

pub mod cg;
pub mod choices;
pub mod ft;
mod host;
pub mod kernels;
pub mod measure;
pub mod mg;
pub mod report;
pub mod run;
pub mod timing;
