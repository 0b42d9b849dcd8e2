//! Interface of translated code and engine: the memory that code works on, with the place of everything in it, and the tables
//! that it reads. Nothing here executes anything.

pub(crate) mod context;
pub(crate) mod tables;
pub(crate) mod undo_entry;
