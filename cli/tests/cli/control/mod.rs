//! Programs of the control processor on the command line.

mod arrays;
mod names;
pub(crate) mod process;
