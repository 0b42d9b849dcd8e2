//! What can be asked of a recording, and what is told.

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
use cp2_isa::{BundleAddress, Core, Cycle, Place};
use cp2_recording::{Leaf, Pyramid, Window, Write};
use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

/// A question. Blocks are counted from cycle 0, their lengths are in `model::viewport`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Key {
    /// Registers and memory in a cycle.
    State(Cycle),
    /// Every event of a block of cycles.
    Window(u64),
    /// Counts of the short stretches of a block.
    Stretches(u64),
    /// Who wrote every word of local memory last, in the cycles soon before one.
    Writers(Cycle),
    /// Who wrote a register or a word last before a cycle, however long ago.
    LastWrite(Place, Cycle),
    /// Where the value came from that an operation reads in a cycle.
    Slice(Location, Cycle),
    /// Why a cycle was what it was.
    Why(Cycle),
}

/// Registers and memory in a cycle.
#[derive(Clone, Debug)]
pub struct Snapshot {
    /// The cycle.
    pub cycle: Cycle,
    /// What every register and word holds.
    pub state: State,
    /// What the cycle before was for; `None` while no kernel ran.
    pub cause: Option<Cause>,
    /// STATUS, with the bits that follow the machine.
    pub status: u64,
}

/// Who wrote a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Writer {
    /// The cycle.
    pub cycle: Cycle,
    /// The bundle, or nothing if it was the channel.
    pub bundle: Option<BundleAddress>,
}

/// Who wrote words of local memory, in cycles before one.
#[derive(Clone, Debug, Default)]
pub struct Writers {
    /// The cycles that were looked at.
    pub cycles: Range<Cycle>,
    /// By word and section.
    pub words: HashMap<(u16, u8), Writer>,
}

/// An answer.
#[derive(Clone, Debug)]
pub enum Answer {
    /// Of [`Key::State`].
    State(Arc<Snapshot>),
    /// Of [`Key::Window`].
    Window(Arc<Window>),
    /// Of [`Key::Stretches`].
    Stretches(Arc<Vec<Leaf>>),
    /// Of [`Key::Writers`].
    Writers(Arc<Writers>),
    /// Of [`Key::LastWrite`].
    LastWrite(Option<Arc<Write>>),
    /// Of [`Key::Slice`].
    Slice(Arc<Slice>),
    /// Of [`Key::Why`], as text.
    Why(Arc<str>),
    /// There is none, and why.
    None(Arc<str>),
}

/// Where a recording comes from, and how it is named.
#[derive(Clone, Debug)]
pub struct Provenance {
    /// Where it came from; what is needed to make it again.
    pub origin: Origin,
    /// A short name of it.
    pub title: String,
    /// The command line that makes the same recording.
    pub command: String,
}

/// What is known of a recording once it is open.
#[derive(Clone, Debug)]
pub struct Info {
    /// Where it comes from.
    pub provenance: Provenance,
    /// Its cycles; the last is that behind the run.
    pub cycles: Range<Cycle>,
    /// Whether it was ended.
    pub is_whole: bool,
    /// The CP2 that it was on.
    pub core: Core,
    /// The machine around it.
    pub config: Option<MachineConfig>,
    /// Its program.
    pub program: Arc<Program>,
    /// Its program as the assembler made it.
    pub image: Arc<Image>,
    /// Whether that was there when the run began: no host has sent it later.
    pub is_from_start: bool,
    /// Where it is.
    pub stored: Arc<Stored>,
    /// The summary.
    pub pyramid: Arc<Pyramid>,
    /// How the run ended, if this process made it.
    pub end: Option<String>,
}

/// How far something is that takes a while.
#[derive(Clone, Debug, PartialEq)]
pub struct Progress {
    /// What is being done.
    pub what: String,
    /// The part that is done, from 0 to 1, if it is known.
    pub part: Option<f32>,
}

/// What a thread tells.
#[derive(Clone, Debug)]
pub enum Report {
    /// Something takes a while.
    Progress(Progress),
    /// The recording is open.
    Open(Box<Info>),
    /// An answer.
    Answer(Key, Answer),
    /// What bundles cost, up to where it has been counted.
    Heat(Arc<Heat>),
    /// Where every cycle went, when all is counted.
    Account(Arc<Account>),
    /// There is no recording, and why.
    Failed(Failure),
}
