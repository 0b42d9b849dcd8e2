//! The seam for other engines: what a machine holds between two cycles besides its state, taken out and
//! put back, and the flow of control on the state, which is the same for all.

use super::engine::Cp2;
use crate::profile::Profile;
use crate::stats::Stats;
use cp2_isa::Cycle;

pub use super::access::{MovedHalves, largest, own_addresses, step_sections, step_shared};
pub use super::flow::{
    FlowPosition, call, check_loop, check_place, decide, leave_loop, ret, start_loop, target,
};
pub use super::pipeline::{InFlight, Landing, OldScalar};

/// The state between two cycles that is in no register: where the flow stands and what is under way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Flight {
    /// Current cycle.
    pub cycle: Cycle,
    /// Relation of the next bundle to the one before it.
    pub position: FlowPosition,
    /// Cycles for which a `sync` still holds the issue.
    pub hold: u32,
    /// The host has asked for a start that has not happened yet.
    pub starts_later: bool,
    /// Results under way, by cycle, then in the order in which they are written.
    pub landings: Vec<InFlight>,
    /// Old values of general registers, oldest first.
    pub scalars: Vec<OldScalar>,
}

impl Cp2 {
    /// Returns the state between two cycles that is in no register.
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

    /// Puts back what another engine has left under way. `starts_later` cannot change so.
    pub fn set_flight(&mut self, flight: Flight) {
        self.cycle = flight.cycle;
        self.sequencer.position = flight.position;
        self.sequencer.hold = flight.hold;
        self.pipeline.set_under_way(flight.landings, flight.scalars);
    }

    /// Ends the kernel, for an engine that has executed `stop`.
    pub fn end_kernel(&mut self) {
        self.sequencer.running = false;
    }

    /// Counts of the current run, for an engine that counts itself.
    pub fn stats_mut(&mut self) -> &mut Stats {
        &mut self.counted.stats
    }

    /// Returns the profile, for an engine that counts itself; `None` if none is kept.
    pub fn profile_mut(&mut self) -> Option<&mut Profile> {
        self.counted.profile.as_deref_mut()
    }
}
