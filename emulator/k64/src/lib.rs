//! The control processor of CP2's chip: a model of a big-endian MIPS64 core, with a model of time (`timing`) or
//! without.
//!
//! [`user`] runs Linux programs, [`machine`] programs on the bare machine: with coprocessor 0 ([`cp0`]), a TLB
//! ([`mmu`]) and what is [`outside`] of the core, which is CP2 with its channel in the crate `cp2-system`.

pub mod core;
pub mod cp0;
pub mod devices;
pub mod elf;
pub mod engine;
pub mod exception;
pub mod float;
pub mod isa;
pub mod machine;
pub mod memory;
pub mod mmu;
mod native;
pub mod outside;
pub mod page;
pub mod registers;
pub mod timing;
pub mod user;
