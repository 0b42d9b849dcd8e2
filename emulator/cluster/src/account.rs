//! The account of the time of a rank: every tick has one cause.

use crate::time::Tick;
use serde::{Deserialize, Serialize};

/// Cause of a part of the time of a rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimeCause {
    /// The rank computes.
    Computing,
    /// The rank copies what it sends into buffers, or what it received out of them.
    Packing,
    /// The processor of the rank begins a send or ends a receive.
    Overhead,
    /// The rank waits while the bytes of a message go over links.
    Wire,
    /// The rank waits for the latency of links.
    Latency,
    /// The rank waits because other messages are on a link that its message needs.
    Contention,
    /// The rank waits for a message whose sender has not sent it yet.
    LateNeighbour,
}

impl TimeCause {
    /// All causes, in the order of reports.
    pub const ALL: [Self; 7] = [
        Self::Computing,
        Self::Packing,
        Self::Overhead,
        Self::Wire,
        Self::Latency,
        Self::Contention,
        Self::LateNeighbour,
    ];

    /// Returns the name of the cause in reports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Computing => "computing",
            Self::Packing => "packing",
            Self::Overhead => "overhead",
            Self::Wire => "wire",
            Self::Latency => "latency",
            Self::Contention => "contention",
            Self::LateNeighbour => "late_neighbour",
        }
    }
}

/// Account of the time of a rank, from the begin of a run to the end of the rank.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RankAccount {
    /// Time of each cause, in the order of [`TimeCause::ALL`].
    causes: [Tick; TimeCause::ALL.len()],
}

impl RankAccount {
    /// Returns the time of a cause.
    pub const fn of(&self, cause: TimeCause) -> Tick {
        self.causes[cause as usize]
    }

    /// Returns the time of the rank, which is the sum over all causes.
    pub fn total(&self) -> Tick {
        self.causes.into_iter().sum()
    }

    pub(crate) fn add(&mut self, cause: TimeCause, time: Tick) {
        self.causes[cause as usize] += time;
    }
}
