//! Recordings of runs: little is kept on the way, and every cycle is computed from it when it is looked at. This crate knows
//! no assembly text, starts no engine of its own and opens no files: the caller gives an engine and something to read or
//! write.
//!
//! - `file/`: the file of a recording: `format`, chunks with lengths and checksums, header, index; `packing`, values as
//!   packed bytes, and how long they may become; `room`, how much memory decoded values may take; `page`, pages of the three
//!   memories;
//! - `checkpoint`: a machine with its memories as a file, from which a long run goes on;
//! - `counts`: what cycles were for, as leaves of a pyramid;
//! - `recorder`: an engine around another one, which writes a recording of what that does; `in_memory`, a place for it in memory;
//! - `steps`: iterations, stages and pages of a run, as its host names them;
//! - `system`: which pages of system memory a recording keeps;
//! - `meter`: counts stretches of a run, when it is recorded and when it is looked at;
//! - `recording`: opens a recording and goes to any cycle, forward and back; expands pieces of it on several threads;
//! - `progress`: how far a long operation has come, and its cancellation;
//! - `resolution`: what the cycles of any range were for, at any resolution; `text`: counts as text for people;
//! - `look/`: `follow`, goes through some cycles with a follower that looks at each; `window`, every event of some cycles;
//!   `search`, what was last before a cycle or comes next; `legs`, the way there; `finder`, the observers that watch for it; `suspects`, the bundles
//!   that can have done it; `ending`, how a run ended;
//! - `verify`: whether doing the run again gives what was kept.
//!
//! `specs/src/recordings.md` says what is in a file and why.

pub mod checkpoint;
mod counts;
mod error;
mod file;
mod in_memory;
mod look;
mod meter;
mod progress;
mod recorder;
mod recording;
mod resolution;
mod steps;
mod system;
mod text;
mod verify;

pub use counts::{Counts, Leaf, Pyramid};
pub use error::RecordingError;
pub use file::format::{Header, LoadedProgram, is_recording};
pub use file::version::VERSION;
pub use in_memory::RecordingInMemory;
pub use look::ending::RecordedEnd;
pub use look::finder::{Condition, CountedCondition, MatchChoice, Write, WriteCondition};
pub use look::follow::Follower;
pub use look::window::{CycleRecord, Window};
pub use progress::Progress;
pub use recorder::{Recorder, RecordingSummary, Spacing};
pub use recording::{ByteSource, CodePeriod, KernelPiece, Recording, RunPiece};
pub use steps::{RunStep, StepLevel};
pub use text::leaves_text;
pub use verify::Verification;
