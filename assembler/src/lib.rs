//! Assembler, object files and linter of CP2. Nothing here runs code.

pub mod asm;
mod ast;
pub mod check;
pub mod codes;
mod core_text;
pub mod diagnostic;
mod disassemble;
pub mod hex;
pub mod image;
pub mod linear;
pub mod lint;
mod names;
pub mod object_file;
mod operation;
mod parse;
pub mod render;
pub mod sched;
pub mod structure;
mod suggest;

pub use asm::{
    Assembled, Failure, Options, Scheduled, assemble, assemble_regions, assemble_str,
    assemble_with, linear_regions,
};
pub use diagnostic::{Diagnostic, Severity, Sources, Span};
pub use disassemble::disassemble;
pub use image::Image;
pub use names::{is_identifier, is_symbol_name};
pub use parse::without_comment;
