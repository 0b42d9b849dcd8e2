//! Tests of kernels of a user: projects that `cp2 new` begins, and workload files.

mod file_mistakes;
mod file_results;
mod host_c;
mod projects;
pub(crate) mod workload_files;
