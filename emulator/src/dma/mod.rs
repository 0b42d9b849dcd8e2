//! The DMA controller (channel) of CP2: its descriptors, its registers for the host, and the controller itself. The
//! time that memory takes is simulated in `memory`.

mod accesses;
mod beside;
mod codec;
mod controller;
mod descriptor;
mod fault;
mod history;
pub mod limit;
mod log;
mod moving;
mod ports;
mod possible;
mod registers;
mod request;
mod stats;
mod stream;
mod transfer;
mod walk;
mod words;

pub use accesses::{Accesses, WordSet};
pub use codec::FieldError;
pub use controller::{Dma, DmaTiming};
pub use descriptor::{
    Copy, Descriptor, DescriptorAction, Gather, Get, GetWords, Jump, JumpKind, LocalStride,
    LocalWalk, MemoryWalk, NextDescriptor, Pattern, Put, PutWords, Stride,
};
pub use fault::{DmaFault, DmaFaultKind, WalkField};
pub use history::{Phase, PhaseSpan};
pub use log::{Beat, Visit};
pub use ports::Ports;
pub use registers::{DmaRegister, RegisterError, cause, config, ctrl, status};
pub use stats::{ChannelCause, DmaStats};
