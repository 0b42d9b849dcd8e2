//! The whole machine: a program on the control processor drives CP2 and its DMA channel, in one time.
//!
//! [`Board`] is what the processor meets outside of itself (`cp2_k64::outside`): the machine of `cp2-emu` on an
//! engine, the registers of the channel, memory, console and exit. This crate knows both sides; neither of them
//! knows the other. [`gdb`] lets a debugger in.

mod board;
pub mod gdb;

pub use board::Board;
