//! Programs of the control processor on the command line.

mod arrays;
mod names;
mod process;
