//! Processes that do the ranks of one run together, by MPI: each is started by `mpirun` or `srun` with the same command.
//!
//! - `transport`: exchanges of bytes between all processes;
//! - `watch`: a process that dies is told by those that live, which MPI by itself does not do.
//!
//! The crate needs a library of MPI and its compiler `mpicc` to be built, so nothing but the feature `mpi` of the commands uses it.

mod transport;
mod watch;

pub use transport::MpiTransport;
pub use watch::LostProcess;
