//! All workloads behind one interface: kernels on CP2 alone and procedures on a whole machine.
//!
//! - `workload`: the interface: options, outcome, report and counts of a run;
//! - `kernels`, `procedures`: the families of workloads; `catalogue`: all of them, and their list;
//! - `file`: workloads that a user describes in a file;
//! - `bench`: counts beside bounds, on CP2 and on other cores; `speed`: the engines measured beside limits of the
//!   native machine;
//! - `project`: the files of a first project, which `cp2 new` writes.

pub mod bench;
pub mod catalogue;
pub mod file;
mod kernels;
mod procedures;
pub mod project;
pub mod speed;
pub mod workload;
