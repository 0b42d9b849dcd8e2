//! The MIPS64 instruction set of the control processor as one table, and what derives from it: decoder and
//! disassembler.

pub mod decode;
pub mod disassemble;
pub mod operand;
pub mod pattern;
pub mod table;
mod wide;

pub use decode::{Instruction, decode};
pub use disassemble::disassemble;
pub use operand::Operand;
pub use table::{Operation, Release, Row, rows};
