//! One program of the control processor on several processors. Each has a whole board: the control processor, CP2, its channel and
//! its memory. They exchange messages over the links of a topology, in one time; the program asks for them by the message unit of
//! its board, as the MPI of `programs/c/libmpi` does.
//!
//! - `problem`: a run, and its results; `ranks`: the ranks of a run together; `driver`: a rank, which runs its board and carries out
//!   its requests;
//! - `call`: where a program stands; `console`: what the programs print; `error`: the ways in which a run fails; `report`: a run as
//!   text and as JSON, with the rows of `rows`.

mod call;
mod console;
mod driver;
mod error;
mod problem;
mod ranks;
mod report;
mod rows;

pub use console::Consoles;
pub use error::{ClusterProgramError, ProgramFailure, ProgramStop};
pub use problem::{ClusterProgramProblem, ClusterProgramRun, ProgramEnd};
pub use ranks::run_program;
pub use report::ClusterProgramReport;
