//! The associative STAR machine, which works on columns of bits: its model and library. Programs run on a back end by
//! elementary operations, which are counted; the native machine is one. Nothing here reads files or prints.

pub mod library;
pub mod machine;
