//! The control processor: a functional model of a big-endian MIPS64 core, without CP2 and without time.

pub mod core;
pub mod elf;
pub mod engine;
pub mod exception;
pub mod float;
pub mod isa;
pub mod memory;
pub mod registers;
pub mod user;
