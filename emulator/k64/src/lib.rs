//! The control processor: a functional model of a big-endian MIPS64 core, without CP2 and without time.

pub mod isa;
