//! Recordings of runs: what is kept on the way is little, and every cycle is computed from it when somebody
//! looks. It knows no assembly text, starts no engine of its own and opens no files: the caller gives an
//! engine and something to read or write.
//!
//! - `format`: chunks with lengths and checksums, header, index;
//! - `page`: pages of the three memories, packed;
//! - `counts`: what cycles were for, as leaves of a pyramid;
//! - `recorder`: an engine around another one, which writes a recording of what that does;
//! - `system`: which pages of system memory a recording keeps;
//! - `recording`: opens one and goes to any cycle, forward and back;
//! - `text`: summaries for people;
//! - `stretches`: counts of stretches that are shorter than those of the summary;
//! - `follow`: going through some cycles with somebody who looks at each;
//! - `window`: every event of some cycles; `search`: what happened last before a cycle.
//!
//! `specs/src/recordings.md` says what is in a file and why.

mod counts;
mod error;
mod follow;
mod format;
mod page;
mod recorder;
mod recording;
mod search;
mod stretches;
mod system;
mod text;
mod version;
mod window;

pub use counts::{Counts, Leaf, Pyramid};
pub use error::RecordingError;
pub use follow::Follower;
pub use format::{Header, is_recording};
pub use recorder::{Recorded, Recorder, Spacing};
pub use recording::{Recording, Source};
pub use search::Write;
pub use text::stretches_text;
pub use version::VERSION;
pub use window::{CycleRecord, Window};
