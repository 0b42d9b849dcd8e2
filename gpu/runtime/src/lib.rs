//! Graphics processors through OpenCL: `info` tells which devices there are, `device` opens them and runs kernels on
//! them, `transfer` moves numbers, `error` has what can go wrong. The library of OpenCL is loaded when a device is asked for, so that programs
//! build and start without it.
//!
//! Kernels are texts of the crates above. They have to keep to the buffers that they are given: nothing checks a kernel's
//! addresses.

mod device;
mod error;
mod info;
mod transfer;

pub use device::{
    Gpu, GpuArgument, GpuBuffer, GpuEvent, GpuKernel, GpuNumber, GpuProgram, GpuQueue,
};
pub use error::GpuError;
pub use info::{GpuChoice, GpuInfo};
pub use transfer::{PinnedMemory, PinnedRows};
