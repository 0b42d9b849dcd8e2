//! The library: 22 procedures over slices and tables, made of elementary operations, so that each back end has them and all of
//! them are counted. Inputs stay unchanged; a result comes back as a new slice or table, so that it may take the place of an
//! operand.

mod arithmetic;
mod copying;
mod procedure;
mod search;

pub use procedure::{LibraryGroup, LibraryParameter, LibraryProcedure, ParameterKind};
