//! Tests of kernels of a user: projects that `cp2 new` begins, and workload files.

mod projects;
mod workload_files;
