//! The library that programs embed to run CP2, in the manner of an engine with modules: an [`Environment`] owns what
//! runs share, a [`Program`] is made once for a core, a [`Setup`] says how it runs, a [`Run`] goes on in steps, and an
//! [`Outcome`] is what it leaves. It knows no kernel and opens no files.
//!
//! ```
//! use cp2_session::{Environment, Program, Setup};
//! let environment = Environment::new();
//! let setup = Setup::default();
//! let source = ".kernel k\n seti g0, 3\n stopi 7\n";
//! let program = Program::from_source(&environment, setup.core(), "k.s", source)?;
//! let outcome = program.run(&environment, &setup)?;
//! assert_eq!(outcome.stopped()?, 7);
//! println!("{} cycles", outcome.stats.cycles);
//! # Ok::<(), cp2_session::Error>(())
//! ```
//!
//! `examples/embed.rs` runs a scheduled kernel on arrays. Stable are the items that stand at the top of this crate, and
//! `arrays::Problem`, `npy::Array`: they change only with the version of the crate. The modules are for the crates of
//! this workspace and may change at any time. Every type here is `Send`, and all but [`Run`] are `Sync`. A panic in one
//! thread leaves an environment usable in the others.
//!
//! - `environment`, `program`, `setup`, `run`, `failure`: those five, and errors with their kinds; `resume`:
//!   checkpoints of runs;
//! - `engine`: the choice of an engine; `execution`: one CP2 alone that runs kernel after kernel; `error`: errors of
//!   kernels and procedures;
//! - `load`: images into machines; `schedule`: predicted cycles of linear code beside simulated ones;
//! - `arrays`: a user's arrays and arguments, by what kernels declare (`cp2_ir::interface`); `npy`: arrays in files;
//!   `sparse`: sparse matrices;
//! - `promises`: checks of runs against the promises of linear code; `sanitizer`: checked runs, which follow undefined
//!   values (`shadow`) through every bundle (`step`, `propagate`, `exchange`, `access`), except for turns of loops in
//!   which nothing can be found (`leap`);
//! - `keeping`: checkpoints of long procedures; `recorded`: programs in recordings;
//! - `store`: what is kept from process to process, or within one; `reuse`: what a sweep keeps from point to point;
//! - `workload`: what all workloads (kernels and procedures) have in common: options, request, report, check;
//! - `cost`: what a procedure on a whole machine cost: the activities of every cycle, bytes moved, bounds;
//! - `numbers`: the distance from a reference that flushes denormals as CP2 does; `random`: numbers from a seed.

pub mod arrays;
pub mod cost;
pub mod engine;
mod environment;
pub mod error;
pub mod execution;
mod failure;
pub mod keeping;
pub mod load;
pub mod npy;
pub mod numbers;
mod program;
pub mod promises;
pub mod random;
pub mod recorded;
mod resume;
pub mod reuse;
mod run;
pub mod sanitizer;
pub mod schedule;
mod setup;
pub mod sparse;
pub mod store;
pub mod workload;

pub use engine::Engine;
pub use environment::Environment;
pub use error::KernelError;
pub use execution::Execution;
pub use failure::{CheckpointRefusal, Error, ErrorKind};
pub use program::{EntryError, Form, Program, ProgramError, ProgramParts, Refusal};
pub use run::{Cancellation, Checked, Outcome, Run, Watcher};
pub use setup::{MOST_CYCLES, Prepared, Setup};
