//! Kernels, procedures and the interface of workloads: results against their definitions, exact cycle counts, refusals.
//! They are one program, since each that is linked takes a build seconds and runs behind the one before.

#![allow(clippy::unwrap_used, reason = "a test's helpers may panic")]

use cp2_session::Environment;
use cp2_session::reuse::Shelf;
use std::sync::{Arc, LazyLock};

mod arrays;
mod cg;
mod convolution;
mod cores;
mod extended;
mod fft;
mod fft_strided;
mod gathered;
mod multigrid;
mod multigrid_cycles;
mod numbers;
mod passes;
mod procedures;
mod promises;
mod published;
mod recorded;
mod reuse;
mod sanitizer;
mod sections;
mod shared;
mod sparse;
mod sparse_errors;
mod sparse_machine;
mod spatial;
mod vector;
mod workloads;

/// Programs that tests have assembled, by their texts.
static PROGRAMS: LazyLock<Arc<Shelf>> = LazyLock::new(Arc::default);

/// An environment whose programs are assembled once for all tests that share them, as those of a sweep are.
fn sharing() -> Environment {
    Environment::new().reusing(&PROGRAMS)
}
