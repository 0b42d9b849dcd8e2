//! The library that programs embed to run CP2, in the manner of an engine with modules: an [`Environment`] owns what runs
//! share, a [`Program`] is made once for a core, a [`Setup`] says how it runs, a [`Run`] goes on in steps, and an [`Outcome`]
//! is what it leaves. It knows no kernel and opens no files.
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
//! `examples/embed.rs` runs a scheduled kernel on arrays. What of it is stable: the items that stand at the top of this
//! crate, and `arrays::Problem`, `npy::ArraySpec`. They change with the version of the crate alone; the modules are for the
//! crates of this workspace and may change at any time. Every type here is `Send`, and all but [`Run`] are `Sync`. A panic in
//! one thread leaves an environment usable in the others.
//!
//! - `environment`, `program`, `setup`, `run`, `failure`: those five, and what goes wrong with its kind; `resume`: checkpoints
//!   of runs;
//! - `engine`: which engine runs; `execution`: one CP2 alone that calls kernel after kernel; `error`: what goes wrong in a kernel;
//! - `load`: texts to images, images into machines; `schedule`: predicted beside simulated cycles;
//! - `arrays`: a user's arrays and arguments by what kernels declare (`cp2_ir::interface`); `npy`: arrays in files; `sparse`: sparse
//!   matrices;
//! - `promises`: runs held to what linear code promises; `sanitizer`: checked runs, which follow what is undefined
//!   (`shadow`), what a bundle makes of it (`step`, `propagate`, `exchange`, `access`), and which turns of loops need no
//!   look (`leap`);
//! - `keeping`: checkpoints of long runs; `recorded`: programs in recordings;
//! - `store`: what is kept from process to process; `reuse`: what a sweep keeps from point to point;
//! - `workload`: what everything that can be run has in common: options, request, report, check; programs implement it;
//! - `cost`: what a procedure on a whole machine cost, who was busy when, what moved;
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
pub use program::{EntryError, Form, Program, ProgramError, Refusal};
pub use run::{Cancellation, Checked, Outcome, Run, Watcher};
pub use setup::{MOST_CYCLES, Prepared, Setup};
