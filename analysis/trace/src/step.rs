//! The events of which exporters are told: the begin of a window, every cycle of it, its end.

use crate::error::TraceError;
use cp2_emu::Machine;
use cp2_emu::dma::{Beat, Visit};
use cp2_emu::machine::Act;
use cp2_emu::stats::Cause;
use cp2_emu::trace::Event;
use cp2_ir::sites::Site;
use cp2_isa::{Banks, BundleAddress, Cycle};

/// The begin of a window, as an exporter is told it.
#[derive(Clone, Copy, Debug)]
pub struct WindowBegin<'a> {
    /// First cycle of the window, since reset.
    pub cycle: Cycle,
    /// Machine before the first cycle.
    pub machine: &'a Machine,
}

/// An operation that issued, as an exporter is told it.
#[derive(Clone, Copy, Debug)]
pub struct TracedOperation<'a> {
    /// Event of the operation: cycles, text, written values.
    pub event: &'a Event<Cycle>,
    /// Place of the operation in the source.
    pub site: Site<'a>,
}

/// The use of a cycle: its cause, and the banks that were accessed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Past {
    /// Cause of the cycle; `None` while no kernel ran.
    pub cause: Option<Cause>,
    /// Banks of local memory that CP2 accessed in the cycle.
    pub banks: Banks,
}

/// A beat of the channel that moved, as an exporter is told it.
#[derive(Clone, Copy, Debug)]
pub struct BeatRecord {
    /// Beat; its visit counts from the begin of the window.
    pub beat: Beat,
    /// Number of the descriptor that the beat belongs to, as in CURDSC.
    pub descriptor: u32,
}

/// A descriptor that the channel turned to.
#[derive(Clone, Copy, Debug)]
pub struct DescriptorStart<'a> {
    /// Number of the visit, counted from the begin of the window.
    pub index: u64,
    /// Visit of the channel to the descriptor.
    pub visit: &'a Visit,
}

/// A cycle of a window with all that happened in it, as an exporter is told it.
#[derive(Clone, Copy, Debug)]
pub struct TracedCycle<'a> {
    /// Number of the cycle since reset.
    pub cycle: Cycle,
    /// Cause and banks of the cycle; `None` for the last cycle of a drain at the end, of which only beats are known.
    pub past: Option<Past>,
    /// Address of the bundle that the cycle is counted for: the one that issued or was nullified, or whose `sync` held the
    /// next, if that issued in the window.
    pub address: Option<BundleAddress>,
    /// Place of the bundle in the source, if it is selected.
    pub site: Option<Site<'a>>,
    /// Operations that were selected, arithmetic first.
    pub operations: &'a [TracedOperation<'a>],
    /// Beats up to this cycle that were not told before; those of a drain come behind it.
    pub beats: &'a [BeatRecord],
    /// Descriptors that the channel left.
    pub over: &'a [DescriptorStart<'a>],
    /// Acts of the host that were done before the cycle, in order.
    pub acts: &'a [Act],
    /// Machine behind the cycle: registers and memories as they are then.
    pub machine: &'a Machine,
}

impl TracedCycle<'_> {
    /// Whether a bundle issued, or was nullified.
    pub fn issues(&self) -> bool {
        let holds = self.past.is_some_and(|past| past.cause == Some(Cause::SyncHold));
        self.address.is_some() && !holds
    }
}

/// The end of a window, as an exporter is told it.
#[derive(Clone, Copy, Debug)]
pub struct WindowEnd<'a> {
    /// Cycle behind the last of the window.
    pub cycle: Cycle,
    /// Descriptor that the channel is at, at the end of the window.
    pub turn: Option<DescriptorStart<'a>>,
}

/// A writer of a trace in some form, which is told a window of a run cycle by cycle.
pub trait Exporter<W> {
    /// Begins the window.
    ///
    /// # Errors
    /// The trace cannot be written.
    fn begin(&mut self, begin: &WindowBegin<'_>) -> Result<(), TraceError>;

    /// Writes a cycle; returns false if there is no room for all of it. Then nothing of it is written, and no other cycle may
    /// follow.
    ///
    /// # Errors
    /// The trace cannot be written.
    fn step(&mut self, step: &TracedCycle<'_>) -> Result<bool, TraceError>;

    /// Completes the trace; what is under way at the end is written if there was room for all before. Returns the output, and
    /// whether there was room for this too.
    ///
    /// # Errors
    /// The trace cannot be written.
    fn finish(self: Box<Self>, end: Option<&WindowEnd<'_>>) -> Result<(W, bool), TraceError>;
}
