//! Assembler, object files and linter of CP2. Nothing here runs code.

pub mod diagnostic;
pub mod image;
