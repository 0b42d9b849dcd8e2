//! The data that a tracer sends to an exporter: the begin of a window of cycles, every cycle of it, and its end.

use crate::error::TraceError;
use cp2_emu::Machine;
use cp2_emu::dma::{Beat, Visit};
use cp2_emu::machine::Act;
use cp2_emu::stats::Cause;
use cp2_emu::trace::Event;
use cp2_ir::sites::Site;
use cp2_isa::{Banks, BundleAddress, Cycle};

/// The begin of a traced window of cycles, as [`Exporter::begin`] gets it.
#[derive(Clone, Copy, Debug)]
pub struct WindowBegin<'a> {
    /// First cycle of the window, counted from reset.
    pub cycle: Cycle,
    /// State of the machine before the first cycle.
    pub machine: &'a Machine,
}

/// An operation that issued in a traced cycle, with its place in the source.
#[derive(Clone, Copy, Debug)]
pub struct TracedOperation<'a> {
    /// Event of the operation: cycles of issue and landing, text, values that it writes. Cycles are counted from reset.
    pub event: &'a Event<Cycle>,
    /// Source place of the operation: kernel, label and line.
    pub site: Site<'a>,
}

/// The use of a traced cycle by CP2: its cause (which slots issued, or why no bundle did), and the banks of local
/// memory that CP2 accessed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CycleUse {
    /// Cause of the cycle: which slots issued, a bundle skipped by a loop with count 0 (nullified), or a hold; `None`
    /// for a cycle in which no kernel ran.
    pub cause: Option<Cause>,
    /// Banks of local memory that CP2 accessed in the cycle.
    pub banks: Banks,
}

/// A beat of the DMA channel in a trace: 16 bytes of memory or two words of a section that moved in one cycle, with its
/// descriptor.
#[derive(Clone, Copy, Debug)]
pub struct BeatRecord {
    /// The beat that moved. Its visit is counted from the begin of the window, from 0.
    pub beat: Beat,
    /// Number of the descriptor that the beat belongs to, as the channel's register CURDSC gives it.
    pub descriptor: u32,
}

/// A visit of the DMA channel to a descriptor, numbered within a traced window. A visit lasts from the fetch of the
/// descriptor to that of the next.
#[derive(Clone, Copy, Debug)]
pub struct TracedVisit<'a> {
    /// Number of the visit in the traced window, from 0.
    pub index: u64,
    /// The visit: the descriptor, and the cycles in which the channel was at it.
    pub visit: &'a Visit,
}

/// A cycle of a traced window with all that happened in it, as [`Exporter::step`] gets it.
#[derive(Clone, Copy, Debug)]
pub struct TracedCycle<'a> {
    /// Number of the cycle, counted from reset.
    pub cycle: Cycle,
    /// Cause and banks of the cycle; `None` for the last cycle of a window in which only the channel still moved beats.
    pub usage: Option<CycleUse>,
    /// Address of the bundle to which the cycle belongs: the one that issued or was skipped by a loop with count 0, or
    /// the bundle with `sync` that holds the next, if that one issued in the window. `None` if there is none.
    pub address: Option<BundleAddress>,
    /// Source place of the bundle to which the cycle belongs; `None` if there is no such bundle, or if the selection of
    /// the trace leaves its place out.
    pub site: Option<Site<'a>>,
    /// Operations that issued in the cycle and are selected, arithmetic before exchange.
    pub operations: &'a [TracedOperation<'a>],
    /// Beats of the channel up to this cycle that no earlier cycle of the trace had.
    pub beats: &'a [BeatRecord],
    /// Visits of the DMA channel to descriptors that ended in the cycle, because the channel went on to another or
    /// stopped.
    pub ended_visits: &'a [TracedVisit<'a>],
    /// Actions of the host before the cycle, in order.
    pub acts: &'a [Act],
    /// Machine behind the cycle: its registers and memories as the cycle left them.
    pub machine: &'a Machine,
}

impl TracedCycle<'_> {
    /// Returns true if a bundle issued in the cycle, or was skipped by a hardware loop with count 0.
    pub fn issues(&self) -> bool {
        let holds = self.usage.is_some_and(|usage| usage.cause == Some(Cause::SyncHold));
        self.address.is_some() && !holds
    }
}

/// The end of a traced window, as [`Exporter::finish`] gets it.
#[derive(Clone, Copy, Debug)]
pub struct WindowEnd<'a> {
    /// Cycle behind the last one of the window, counted from reset.
    pub cycle: Cycle,
    /// Visit to the descriptor at which the channel is when the window ends; `None` if it is at none.
    pub visit: Option<TracedVisit<'a>>,
}

/// A writer of a trace in one format, which gets a window of a run cycle by cycle. `W` is the output, such as a file.
pub trait Exporter<W> {
    /// Writes the begin of the trace. Called once, before the first cycle.
    ///
    /// # Errors
    /// Returns an error if the trace cannot be written.
    fn begin(&mut self, begin: &WindowBegin<'_>) -> Result<(), TraceError>;

    /// Writes a cycle. Returns false if the limit of the trace has no room for all of it: then nothing of the cycle is
    /// written, and no other cycle may follow.
    ///
    /// # Errors
    /// Returns an error if the trace cannot be written.
    fn step(&mut self, step: &TracedCycle<'_>) -> Result<bool, TraceError>;

    /// Completes the trace. Returns the output, and true if what is under way at the end of the window found room too.
    /// `end` is `None` if an earlier cycle had found no room; then nothing of the end is written.
    ///
    /// # Errors
    /// Returns an error if the trace cannot be written.
    fn finish(self: Box<Self>, end: Option<&WindowEnd<'_>>) -> Result<(W, bool), TraceError>;
}
