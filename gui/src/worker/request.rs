//! Questions that the window asks of a recording, and the answers and reports of the thread that owns it.

use crate::model::heat::Heat;
use crate::model::program::{Loop, Program};
use crate::model::spans::RunSpans;
use crate::model::value::ValueTest;
use crate::model::viewport::Grain;
use crate::worker::origin::{Failure, Origin, Stored};
use cp2_analysis::accounting::Account;
use cp2_analysis::arrays::{KernelWords, WordsInTime};
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

/// A question that the window can ask of a recording; the thread that owns the recording gives an [`Answer`]. Blocks of
/// cycles are numbered from 0 at cycle 0; their lengths are in [`viewport`](crate::model::viewport).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Key {
    /// The values of registers and memories in this cycle.
    State(Cycle),
    /// Every event in the block of 1024 cycles with this number.
    Window(u64),
    /// The counts of each stretch of this grain in the block with this number.
    Stretches(Grain, u64),
    /// The last writer of every word of local memory, in the 16384 cycles before this one.
    Writers(Cycle),
    /// The names of words of local memory in this cycle, by the arrays of the kernel that runs or ran last.
    Words(Cycle),
    /// The last write of this register or word before this cycle, however long ago.
    LastWrite(StorageCell, Cycle),
    /// The values from which the value that this location has in this cycle was made, and theirs (dynamic slice).
    Slice(Location, Cycle),
    /// The explanation of what this cycle was for, as text.
    Why(Cycle),
    /// The names of the run in the course of its cycles.
    Spans,
    /// The costs of the bundles from the first of these cycles on up to the second, which is excluded.
    Costs(Cycle, Cycle),
    /// The account of the cycles from the first of these on up to the second, which is excluded.
    Account(Cycle, Cycle),
    /// The values of this register or word in the block with this number of [`VALUES`](crate::model::viewport::VALUES) cycles.
    Values(StorageCell, u64),
    /// The last cycle before this one, or the first from it on, in which this register or word became a value that passes a
    /// test.
    FindValue(StorageCell, ValueTest, Cycle, Way),
}

/// The way from a cycle in which a search goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Way {
    /// To earlier cycles.
    Back,
    /// To later cycles.
    Forward,
}

/// The values of a register or word in the course of some cycles.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ValueCourse {
    /// Cycles of the values; the end is excluded.
    pub cycles: Range<Cycle>,
    /// Value at the begin of the first cycle.
    pub first: u64,
    /// Cycles at whose begin the value is another than a cycle before, with the new value, in the order of time. What the host
    /// writes is seen one cycle later.
    pub changes: Vec<(Cycle, u64)>,
}

/// The cycle in which a register or word became a value that was looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FoundValue {
    /// Cycle of the write; `None` if the value is that from the begin of the run.
    pub cycle: Option<Cycle>,
    /// The value.
    pub value: u64,
}

/// The registers and memories of CP2 in one cycle of a recording; the answer to [`Key::State`].
#[derive(Clone, Debug)]
pub struct Snapshot {
    /// Cycle of the values, counted from reset. It is later than the one that was asked for if that lies in the drain
    /// of a run, which is gone through as one step.
    pub cycle: Cycle,
    /// Values of all registers and memories when the cycle begins.
    pub state: State,
    /// Cause of the cycle before, what it was for; `None` if no kernel ran in it.
    pub cause: Option<Cause>,
    /// Value of the register STATUS, with the bits that the machine gives it.
    pub status: u64,
}

/// The last writer of a word of local memory in one section, before some cycle: a bundle or the DMA channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Writer {
    /// Cycle in which the word was written.
    pub cycle: Cycle,
    /// Address of the bundle that wrote the word; `None` if the DMA channel did.
    pub bundle: Option<BundleAddress>,
}

/// The last writers of words of local memory, found in the 16384 cycles before some cycle; the answer to
/// [`Key::Writers`].
#[derive(Clone, Debug, Default)]
pub struct Writers {
    /// Cycles in which writers were looked for; the end is excluded.
    pub cycles: Range<Cycle>,
    /// Last writer of each word that was written in these cycles, by word address and section.
    pub words: HashMap<(u16, u8), Writer>,
}

/// The answer of a thread to a question, a [`Key`].
#[derive(Clone, Debug)]
pub enum Answer {
    /// Answer to [`Key::State`]: the values of registers and memories.
    State(Arc<Snapshot>),
    /// Answer to [`Key::Window`]: every event of the block.
    Window(Arc<Window>),
    /// Answer to [`Key::Stretches`]: the counts of each stretch of the block, in the order of time.
    Stretches(Arc<Vec<Leaf>>),
    /// Answer to [`Key::Writers`]: the last writers of words.
    Writers(Arc<Writers>),
    /// Answer to [`Key::LastWrite`]; `None` if nothing has written the register or word before.
    LastWrite(Option<Arc<Write>>),
    /// Answer to [`Key::Words`]; `None` if no kernel ran before.
    Words(Option<Arc<KernelWords>>),
    /// Answer to [`Key::Slice`]: the graph of the values, with the names of words in it.
    Slice(Arc<Slice>, Arc<WordsInTime>),
    /// Answer to [`Key::Why`], as text.
    Why(Arc<str>),
    /// Answer to [`Key::Spans`].
    Spans(Arc<RunSpans>),
    /// Answer to [`Key::Costs`].
    Costs(Arc<Heat>),
    /// Answer to [`Key::Account`].
    Account(Arc<Account>),
    /// Answer to [`Key::Values`].
    Values(Arc<ValueCourse>),
    /// Answer to [`Key::FindValue`]; `None` if there is no such cycle.
    FoundValue(Option<FoundValue>),
    /// Reason why a question cannot be answered, as text.
    None(Arc<str>),
}

/// The origin of a recording, its name, and the command line that makes it.
#[derive(Clone, Debug)]
pub struct Provenance {
    /// Origin of the recording: what is needed to make it again.
    pub origin: Origin,
    /// Short name of the recording, for the window: file or kernel, machine and changes.
    pub title: String,
    /// Command line that makes the same recording.
    pub command: String,
    /// Digest by which the recording is known again; recordings of the same run have the same one.
    pub digest: String,
}

impl Provenance {
    /// Returns whether the run was opened as a recording, not made by the viewer.
    pub fn is_recording(&self) -> bool {
        matches!(&self.origin, Origin::File(path, _) if path.extension().is_some_and(|e| e == "cp2rec"))
    }
}

/// The facts about a recording that its thread reports once it is open: origin, cycles, core and machine, program, and
/// counts of the whole run.
#[derive(Clone, Debug)]
pub struct Info {
    /// Origin of the recording, its name, and the command line that makes it.
    pub provenance: Provenance,
    /// Cycles of the recording; the end is excluded.
    pub cycles: Range<Cycle>,
    /// First cycle in which a kernel runs; that of the recording if none does.
    pub first_kernel: Cycle,
    /// Whether the recording was completed; if not, it was cut off and reaches up to its last checkpoint.
    pub is_whole: bool,
    /// Core that the run was made on.
    pub core: Core,
    /// Machine that the run was made on; `None` for CP2 alone.
    pub config: Option<MachineConfig>,
    /// Program of the recording, as the viewer shows it.
    pub program: Arc<Program>,
    /// Program of the recording, as an image: bundles with names and source positions.
    pub image: Arc<Image>,
    /// Whether the whole program was in instruction memory when the run began; if not, a host sent it later.
    pub is_from_start: bool,
    /// File of the recording.
    pub stored: Arc<Stored>,
    /// Summary of the whole run: counts of its stretches, at several resolutions.
    pub pyramid: Arc<Pyramid>,
    /// Text that says how the run ended, such as `stopped with code 0`; `None` if the viewer has not made the run
    /// itself.
    pub end: Option<String>,
}

/// The progress of the work of a thread that makes or opens a recording, such as running a program.
#[derive(Clone, Debug, PartialEq)]
pub struct Progress {
    /// Name of the work, for the person at the window, such as `Running`.
    pub what: String,
    /// Part of the work that is done, from 0 to 1; `None` if it is not known.
    pub part: Option<f32>,
    /// Whether the person can end the work early, so that the part that is done is opened.
    pub can_end: bool,
}

impl Progress {
    /// Creates the progress of work with this name, of unknown length, which cannot be ended early.
    pub fn of(what: &str) -> Self {
        Self { what: what.to_owned(), part: None, can_end: false }
    }
}

/// A report to the window of the thread that makes, opens and owns a recording: how far it is, or an answer.
#[derive(Clone, Debug)]
pub enum Report {
    /// The recording is being made or opened; with how far that is.
    Progress(Progress),
    /// The recording has become open; with what is known of it.
    Open(Box<Info>),
    /// The answer to a question.
    Answer(Key, Answer),
    /// The costs of the bundles in the cycles that are counted so far.
    Heat(Arc<Heat>),
    /// The account of the run, which tells where all its cycles went; sent once, when all cycles are counted.
    Account(Arc<Account>),
    /// The schedules of the pipelined loops of the program; sent once.
    Schedules(Arc<Vec<Loop>>),
    /// The recording could not be made or opened; with the reason.
    Failed(Failure),
}
