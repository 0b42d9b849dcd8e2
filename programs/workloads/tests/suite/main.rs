//! Kernels, procedures and the interface of workloads: results against their definitions, exact cycle counts, refusals.
//! They are one program, since each that is linked takes a build seconds and runs behind the one before.

#![allow(clippy::unwrap_used, reason = "a test's helpers may panic")]

use cp2_isa::Core;
use cp2_session::Environment;
use cp2_session::execution::Execution;
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

/// Programs that tests have assembled, by their texts: those of all workloads, so that none is assembled twice.
static PROGRAMS: LazyLock<Arc<Shelf>> = LazyLock::new(|| Arc::new(Shelf::holding(4096)));

/// Returns an environment whose programs are assembled once for all tests that share them, as those of a sweep are.
fn sharing() -> Environment {
    Environment::new().reusing(&PROGRAMS)
}

/// Returns the usual way to run kernels on CP2, with programs that tests share.
fn on_cp2() -> Execution {
    sharing().execution(Core::CP2)
}
