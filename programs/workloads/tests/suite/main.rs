//! Kernels, procedures and the interface of workloads: results against their definitions, exact cycle counts, refusals.
//! They are one program, since each that is linked takes a build seconds and runs behind the one before.

#![allow(clippy::unwrap_used, reason = "a test's helpers may panic")]

use cp2_session::Environment;
use cp2_session::reuse::Shelf;
use std::sync::{Arc, LazyLock};

mod arrays;
mod cores;
mod extended;
mod files;
mod multigrid;
mod multigrid_cycles;
mod numbers;
mod pages;
mod passes;
mod procedures;
mod promises;
mod published;
mod recorded;
mod resources;
mod reuse;
mod sanitizer;
mod shared;
mod sparse;
mod transforms;
mod vector;
mod workloads;

/// Programs that tests have assembled, by their texts.
static PROGRAMS: LazyLock<Arc<Shelf>> = LazyLock::new(Arc::default);

/// Returns an environment whose programs are assembled once for all tests that share them, as those of a sweep are.
fn sharing() -> Environment {
    Environment::new().reusing(&PROGRAMS)
}
