//! From the intermediate representation to machine code: registers are given out, frames
//! made, instructions encoded, and the bytes put where they can be executed.

pub(crate) mod assemble;
mod assembler;
pub(crate) mod code;
pub(crate) mod encoding;
mod frame;
mod registers;
mod uses;
