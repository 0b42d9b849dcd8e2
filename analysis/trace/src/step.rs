//! What exporters are told: the begin of a window, every cycle of it, its end.

use crate::error::TraceError;
use cp2_emu::Machine;
use cp2_emu::dma::{Beat, Visit};
use cp2_emu::machine::Act;
use cp2_emu::stats::Cause;
use cp2_emu::trace::Event;
use cp2_ir::places::Site;
use cp2_isa::{Banks, BundleAddress, Cycle};

/// The begin of a window.
#[derive(Clone, Copy, Debug)]
pub struct Begin<'a> {
    /// Its first cycle since reset.
    pub cycle: Cycle,
    /// The machine before that cycle.
    pub machine: &'a Machine,
}

/// An operation that issued.
#[derive(Clone, Copy, Debug)]
pub struct Operation<'a> {
    /// What it is.
    pub event: &'a Event<Cycle>,
    /// Where its bundle stands in the source.
    pub site: Site<'a>,
}

/// What a cycle was for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Past {
    /// Its cause; `None` while no kernel ran.
    pub cause: Option<Cause>,
    /// The banks of local memory that CP2 accessed.
    pub banks: Banks,
}

/// A beat that moved.
#[derive(Clone, Copy, Debug)]
pub struct Moved {
    /// The beat; its visit counts from the begin of the window.
    pub beat: Beat,
    /// The number of its descriptor.
    pub descriptor: u32,
}

/// A descriptor that the channel turned to.
#[derive(Clone, Copy, Debug)]
pub struct Turn<'a> {
    /// Which visit it is, counted from the begin of the window.
    pub index: u64,
    /// What the channel did.
    pub visit: &'a Visit,
}

/// A cycle.
#[derive(Clone, Copy, Debug)]
pub struct Step<'a> {
    /// Its number since reset.
    pub cycle: Cycle,
    /// What it was for; `None` for the last cycle of a drain at the end, of which only beats are known.
    pub past: Option<Past>,
    /// The bundle that the cycle is counted for: the one that issued or was nullified, or whose `sync` held the
    /// next, if that issued in the window.
    pub address: Option<BundleAddress>,
    /// Where it stands in the source, if it is selected.
    pub site: Option<Site<'a>>,
    /// The operations that were selected, arithmetic first.
    pub operations: &'a [Operation<'a>],
    /// Beats up to this cycle that were not told before; those of a drain come behind it.
    pub beats: &'a [Moved],
    /// Descriptors that the channel left.
    pub over: &'a [Turn<'a>],
    /// What the host did before the cycle.
    pub acts: &'a [Act],
    /// The machine behind the cycle.
    pub machine: &'a Machine,
}

impl Step<'_> {
    /// Whether a bundle issued, or was nullified.
    pub fn issues(&self) -> bool {
        let holds = self.past.is_some_and(|past| past.cause == Some(Cause::SyncHold));
        self.address.is_some() && !holds
    }
}

/// The end of a window.
#[derive(Clone, Copy, Debug)]
pub struct End<'a> {
    /// The cycle behind its last.
    pub cycle: Cycle,
    /// The descriptor that the channel is at.
    pub turn: Option<Turn<'a>>,
}

/// Somebody who writes a trace in some form.
pub trait Exporter<W> {
    /// The window begins.
    ///
    /// # Errors
    /// It cannot be written.
    fn begin(&mut self, begin: &Begin<'_>) -> Result<(), TraceError>;

    /// Writes a cycle; false if there is no room for all of it. Then nothing of it is written, and no other
    /// may follow.
    ///
    /// # Errors
    /// It cannot be written.
    fn step(&mut self, step: &Step<'_>) -> Result<bool, TraceError>;

    /// Completes the trace; what is under way at the end is written if there was room for all before. Gives back
    /// what it was written to, and whether there was room for this too.
    ///
    /// # Errors
    /// It cannot be written.
    fn finish(self: Box<Self>, end: Option<&End<'_>>) -> Result<(W, bool), TraceError>;
}
