//! Inputs of commands: programs, machines, arrays, options, recordings, traces.

pub(crate) mod array_file;
pub(crate) mod arrays;
pub(crate) mod certificates;
pub(crate) mod machine;
pub(crate) mod options;
pub(crate) mod program;
pub(crate) mod programs;
pub(crate) mod recording;
pub(crate) mod start;
pub(crate) mod subject;
pub(crate) mod target;
pub(crate) mod trace_file;
pub(crate) mod workload;
