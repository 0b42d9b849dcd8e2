//! Interface to other engines: what a CP2 holds between two cycles besides its registers and memories, as a value that
//! can be taken out and put back, and the rules of addresses and of the flow of control, which all engines share.

use super::engine::Cp2;
use crate::profile::Profile;
use crate::stats::Stats;
use cp2_isa::Cycle;

pub use super::access::{MovedHalves, largest, own_addresses, step_sections, step_shared};
pub use super::flow::{
    FlowPosition, call, check_loop, check_place, decide, leave_loop, ret, start_loop, target,
};
pub use super::pipeline::{InFlight, Landing, OldScalar};

/// The state of a CP2 between two cycles that is in no register or memory: results in flight, and where the flow of
/// control stands. Another engine takes it over from a CP2 ([`Cp2::flight`]) and gives it back ([`Cp2::set_flight`]).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Flight {
    /// Cycle that comes next, counted from reset.
    pub cycle: Cycle,
    /// Relation of the next bundle to the one before it: in sequence, or a delay slot, for example.
    pub position: FlowPosition,
    /// Number of cycles for which a `sync` or `stop` still holds the issue.
    pub hold: u32,
    /// Whether the host has sent a `run` whose kernel has not started yet.
    pub starts_later: bool,
    /// Results in flight, sorted by the cycle in which they are first seen, then by the order of their writes.
    pub landings: Vec<InFlight>,
    /// Old values of general registers that operations may still see, the oldest first.
    pub scalars: Vec<OldScalar>,
}

impl Cp2 {
    /// Returns a copy of the state that is in no register or memory: results in flight, and where the flow of control
    /// stands.
    pub fn flight(&self) -> Flight {
        Flight {
            cycle: self.cycle,
            position: self.sequencer.position,
            hold: self.sequencer.hold,
            starts_later: self.sequencer.start_at.is_some(),
            landings: self.pipeline.under_way(self.cycle),
            scalars: self.pipeline.old_scalars().to_vec(),
        }
    }

    /// Sets the state that is in no register or memory (results in flight, and where the flow of control stands), as
    /// another engine has left it. `starts_later` is ignored.
    pub fn set_flight(&mut self, flight: Flight) {
        self.cycle = flight.cycle;
        self.sequencer.position = flight.position;
        self.sequencer.hold = flight.hold;
        self.pipeline.set_under_way(flight.landings, flight.scalars);
    }

    /// Marks the kernel that runs as ended, for another engine that has executed its `stop`.
    pub fn end_kernel(&mut self) {
        self.sequencer.running = false;
    }

    /// Returns the counts of the current run (cycles by cause, operations, accesses to local memory) for changes, for
    /// another engine that counts by itself.
    pub fn stats_mut(&mut self) -> &mut Stats {
        &mut self.counted.stats
    }

    /// Returns the profile, the cost of every bundle, for changes, for another engine that counts by itself; `None` if
    /// the cost of bundles is not counted.
    pub fn profile_mut(&mut self) -> Option<&mut Profile> {
        self.counted.profile.as_deref_mut()
    }
}
