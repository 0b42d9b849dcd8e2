//! Questions that can be asked of a recording, and the answers and reports of its thread.

use crate::model::heat::Heat;
use crate::model::program::Program;
use crate::worker::origin::{Failure, Origin, Stored};
use cp2_analysis::accounting::Account;
use cp2_analysis::location::Location;
use cp2_analysis::slice::Slice;
use cp2_asm::image::Image;
use cp2_emu::machine::MachineConfig;
use cp2_emu::state::State;
use cp2_emu::stats::Cause;
use cp2_isa::{BundleAddress, Core, Cycle, StorageCell};
use cp2_recording::{Leaf, Pyramid, Window, Write};
use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

/// Question that can be asked of a recording. Blocks are counted from cycle 0, their lengths are in `model::viewport`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Key {
    /// Registers and memory in a cycle.
    State(Cycle),
    /// Every event of a block of cycles.
    Window(u64),
    /// Counts of the short stretches of a block.
    Stretches(u64),
    /// Last writer of every word of local memory, in the cycles soon before one.
    Writers(Cycle),
    /// Last write of a register or a word before a cycle, however long ago.
    LastWrite(StorageCell, Cycle),
    /// Chain of operations behind the value that a location has in a cycle.
    Slice(Location, Cycle),
    /// Explanation of what a cycle was for.
    Why(Cycle),
}

/// Registers and memory in a cycle.
#[derive(Clone, Debug)]
pub struct Snapshot {
    /// Cycle of the snapshot.
    pub cycle: Cycle,
    /// Values of every register and word.
    pub state: State,
    /// Cause of the cycle before; `None` while no kernel ran.
    pub cause: Option<Cause>,
    /// Value of STATUS, with the bits that follow the machine.
    pub status: u64,
}

/// Last writer of a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Writer {
    /// Cycle of the write.
    pub cycle: Cycle,
    /// Bundle that wrote the word, or nothing if it was the channel.
    pub bundle: Option<BundleAddress>,
}

/// Last writers of words of local memory, in cycles before one.
#[derive(Clone, Debug, Default)]
pub struct Writers {
    /// Cycles in which writers were looked for.
    pub cycles: Range<Cycle>,
    /// Last writer of each word, by word and section.
    pub words: HashMap<(u16, u8), Writer>,
}

/// Answer to a question.
#[derive(Clone, Debug)]
pub enum Answer {
    /// Answer to [`Key::State`].
    State(Arc<Snapshot>),
    /// Answer to [`Key::Window`].
    Window(Arc<Window>),
    /// Answer to [`Key::Stretches`].
    Stretches(Arc<Vec<Leaf>>),
    /// Answer to [`Key::Writers`].
    Writers(Arc<Writers>),
    /// Answer to [`Key::LastWrite`].
    LastWrite(Option<Arc<Write>>),
    /// Answer to [`Key::Slice`].
    Slice(Arc<Slice>),
    /// Answer to [`Key::Why`], as text.
    Why(Arc<str>),
    /// Reason why there is no answer.
    None(Arc<str>),
}

/// Origin of a recording, and the names that it has.
#[derive(Clone, Debug)]
pub struct Provenance {
    /// Origin of the recording: what is needed to make it again.
    pub origin: Origin,
    /// Short name of the recording.
    pub title: String,
    /// Command line that makes the same recording.
    pub command: String,
}

/// Facts that are known of a recording once it is open.
#[derive(Clone, Debug)]
pub struct Info {
    /// Origin of the recording.
    pub provenance: Provenance,
    /// Cycles of the run; the end of the range is the cycle behind it.
    pub cycles: Range<Cycle>,
    /// Whether the recording was ended.
    pub is_whole: bool,
    /// Core that the run was on.
    pub core: Core,
    /// Machine around the core; none if CP2 was alone.
    pub config: Option<MachineConfig>,
    /// Program of the recording, for people.
    pub program: Arc<Program>,
    /// Program of the recording, as the assembler made it.
    pub image: Arc<Image>,
    /// Whether the program was there when the run began: no host has sent it later.
    pub is_from_start: bool,
    /// File of the recording.
    pub stored: Arc<Stored>,
    /// Summary of the recording.
    pub pyramid: Arc<Pyramid>,
    /// Text that says how the run ended, if this process made it.
    pub end: Option<String>,
}

/// Progress of work that takes a while.
#[derive(Clone, Debug, PartialEq)]
pub struct Progress {
    /// Name of the work that is done.
    pub what: String,
    /// Part of the work that is done, from 0 to 1, if it is known.
    pub part: Option<f32>,
    /// Whether the work can be ended, so that what was done by then is shown.
    pub can_end: bool,
}

impl Progress {
    /// Returns the progress of work of unknown length that cannot be ended.
    pub fn of(what: &str) -> Self {
        Self { what: what.to_owned(), part: None, can_end: false }
    }
}

/// Report of a thread to the window.
#[derive(Clone, Debug)]
pub enum Report {
    /// Progress of work that takes a while.
    Progress(Progress),
    /// Facts of the recording, which has become open.
    Open(Box<Info>),
    /// Answer to a question.
    Answer(Key, Answer),
    /// Costs of bundles, up to the cycle to which they are counted.
    Heat(Arc<Heat>),
    /// Account of every cycle, when all is counted.
    Account(Arc<Account>),
    /// Reason why there is no recording.
    Failed(Failure),
}
