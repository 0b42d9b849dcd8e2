//! What every model that runs on CP2 stands on. It knows no kernel and opens no files.
//!
//! - `engine`: which engine runs, and one CP2 alone on it; `error`: what goes wrong in a run;
//! - `load`: texts to images, images into machines; `schedule`: predicted beside simulated cycles;
//! - `arrays`: a user's arrays and arguments by what kernels declare (`cp2_ir::interface`); `npy`: arrays in files;
//! - `promises`: runs held to what linear code promises; `sanitizer`: checked runs, which follow what is undefined
//!   (`shadow`), what a bundle makes of it (`step`, `propagate`, `exchange`, `access`), and which turns of loops need no
//!   look (`leap`);
//! - `keeping`: checkpoints of long runs; `recorded`: programs in recordings;
//! - `store`: what is kept from process to process; `reuse`: what a sweep keeps from point to point;
//! - `numbers`: the distance from a reference that flushes denormals as CP2 does; `random`: numbers from a seed.

pub mod arrays;
pub mod engine;
pub mod error;
pub mod keeping;
pub mod load;
pub mod npy;
pub mod numbers;
pub mod promises;
pub mod random;
pub mod recorded;
pub mod reuse;
pub mod sanitizer;
pub mod schedule;
pub mod store;

pub use engine::{Engine, Execution};
pub use error::KernelError;
