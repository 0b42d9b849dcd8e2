//! Languages in which threads are written.

/// A language in which threads are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CodeDialect {
    /// C: a function for one thread, and a loop over all of them.
    C,
    /// CUDA C: a kernel, and a function that launches it.
    Cuda,
    /// OpenCL C: a kernel.
    OpenCl,
}
