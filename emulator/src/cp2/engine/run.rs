//! Runs of kernels: their start, their end, and their results.

use super::Cp2;
use crate::cp2::fault::Fault;
use crate::cp2::flow::FlowPosition;
use crate::stats::Stats;
use crate::trace::{NoObserver, Observer};
use cp2_isa::BundleAddress;

/// Reason why the run of a kernel ended: its `stop`, the limit of cycles, the caller, or a fault.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum End {
    /// The kernel executed `stop` with this code, the value of STOPCODE.
    Stopped(u64),
    /// The run reached its limit, this number of cycles counted from its begin, before the kernel's `stop`.
    CycleLimit(u64),
    /// The caller ended the run before the kernel's `stop`.
    Interrupted,
    /// The program did something that the specification gives no meaning.
    Fault(Fault),
}

/// Result of the run of a kernel: why it ended, and its counts of cycles by cause, operations, and accesses to local
/// memory. Made by [`Cp2::finish`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunResult {
    /// Reason why the run ended.
    pub end: End,
    /// Counts of the run: cycles by cause, operations, accesses of local memory.
    pub stats: Stats,
}

impl Cp2 {
    /// Starts a kernel at a bundle address: its first bundle issues in the next cycle. The counts of the run begin
    /// at 0. A kernel that runs is abandoned.
    pub fn start(&mut self, address: BundleAddress) {
        self.sequencer.hold = 0;
        self.begin(address);
    }

    pub(super) fn begin(&mut self, address: BundleAddress) {
        self.sequencer.jump_to = None;
        self.state.pc = address;
        self.sequencer.running = true;
        self.sequencer.position = FlowPosition::Plain;
        if let Some(ended) = &mut self.counted.ended {
            ended.push(self.counted.stats.clone());
        }
        self.counted.stats.reset();
        if let Some(profile) = &mut self.counted.profile {
            profile.begin_run();
        }
    }

    /// Runs a kernel from a bundle address to its end, for at most `limit` cycles, then lets all issued operations
    /// complete (the drain, some cycles more). CP2 is alone: no channel moves.
    pub fn run(
        &mut self,
        address: BundleAddress,
        limit: u64,
        observer: &mut dyn Observer,
    ) -> RunResult {
        self.start(address);
        let end = self.advance(limit, observer).unwrap_or(End::CycleLimit(limit));
        self.finish(end)
    }

    /// Goes on with the kernel until its run has lasted `until` cycles, counted from its begin. Returns why the kernel
    /// ended, if it did; then [`Cp2::finish`] has to follow. `None` if it still runs.
    pub fn advance(&mut self, until: u64, observer: &mut dyn Observer) -> Option<End> {
        loop {
            if !self.sequencer.running {
                return Some(End::Stopped(self.state.stopcode));
            }
            if self.counted.stats.cycles >= until {
                return None;
            }
            if let Err(fault) = self.step(observer) {
                return Some(End::Fault(fault));
            }
        }
    }

    /// Ends the run of a kernel: lets the cycles of the drain pass, in which all issued operations complete, and
    /// returns the counts of the run with `end`, the reason why it ended.
    pub fn finish(&mut self, end: End) -> RunResult {
        self.sequencer.running = false;
        self.drain();
        assert!(self.counted.stats.is_complete(), "a cycle without a cause");
        let agrees =
            self.counted.profile.as_ref().is_none_or(|profile| profile.agrees(&self.counted.stats));
        assert!(agrees, "a cycle without a bundle");
        RunResult { end, stats: self.counted.stats.clone() }
    }

    /// Runs a kernel as [`Cp2::run`] does, without an observer.
    pub fn run_untraced(&mut self, address: BundleAddress, limit: u64) -> RunResult {
        self.run(address, limit, &mut NoObserver)
    }

    /// Lets everything that was issued complete.
    fn drain(&mut self) {
        let cycles = u64::from(self.core.latencies().drain);
        for _ in 0..cycles {
            self.land();
            self.cycle += 1;
        }
        self.counted.stats.drain += cycles;
        self.land();
        self.sequencer.hold = 0;
    }
}
