//! Recordings of runs: what is kept on the way is little, and every cycle is computed from it when somebody
//! looks. It knows no assembly text, starts no engine of its own and opens no files: the caller gives an
//! engine and something to read or write.
//!
//! - `file/`: what is in the file of one: `format`, chunks with lengths and checksums, header, index; `packing`, values as packed
//!   bytes, and how long they may become; `room`, how much memory what is decoded may take; `page`, pages of the three memories;
//! - `checkpoint`: a machine with its memories as a file, from which a long run goes on;
//! - `counts`: what cycles were for, as leaves of a pyramid;
//! - `recorder`: an engine around another one, which writes a recording of what that does;
//! - `system`: which pages of system memory a recording keeps;
//! - `meter`: counts stretches of a run, when it is recorded and when it is looked at;
//! - `recording`: opens one and goes to any cycle, forward and back;
//! - `progress`: how far something has come, and ending it;
//! - `resolution`: what cycles were for, of any range at any resolution; `text`: that for people;
//! - `look/`: `follow`, going through some cycles with somebody who looks at each; `window`, every event of them; `search`, what was
//!   last before a cycle or comes next; `finder`, who watches for it; `suspects`, which bundles can have done it;
//! - `verify`: whether doing the run again gives what was kept.
//!
//! `specs/src/recordings.md` says what is in a file and why.

pub mod checkpoint;
mod counts;
mod error;
mod file;
mod look;
mod meter;
mod progress;
mod recorder;
mod recording;
mod resolution;
mod system;
mod text;
mod verify;

pub use counts::{Counts, Leaf, Pyramid};
pub use error::RecordingError;
pub use file::format::{Header, Program, is_recording};
pub use file::version::VERSION;
pub use look::finder::{Condition, When, Write};
pub use look::follow::Follower;
pub use look::window::{CycleRecord, Window};
pub use progress::Progress;
pub use recorder::{Recorded, Recorder, Spacing};
pub use recording::{Recording, Source};
pub use text::stretches_text;
