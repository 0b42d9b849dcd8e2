//! Everything that can be run, behind one interface: kernels on CP2 alone and procedures on a whole machine.
//!
//! - `workload`: the interface: options, what a run gives, its report and its counts;
//! - `kernels`, `procedures`: each family behind it; `catalogue`: which families there are, and their list;
//! - `bench`: counts beside bounds, on CP2 and on other cores; `speed`: the engines measured beside what the host can do;
//! - `project`: what `cp2 new` writes.

pub mod bench;
pub mod catalogue;
mod kernels;
mod procedures;
pub mod project;
pub mod speed;
pub mod workload;
