//! The state that a port at rest leaves to later transactions, told from a cycle on, so that it can be compared with that of
//! another time, and taken over at another time.

use super::{AHEAD, Direction, MemoryPort, TICKS, Tick};
use cp2_isa::{Cycle, MemoryAddress};
use serde::{Deserialize, Serialize};

/// State of a memory port between two transfers, as ticks from a cycle on. Of two ports alike with the same state, in cycles that
/// differ by a multiple of [`MemoryPort::period`], each serves the same transactions after as many cycles. The open row is left
/// out.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct PortRest {
    /// Ticks after which the latest transactions free their places, the oldest first; 0 for those that have.
    window: Box<[u64]>,
    /// Ticks until the bus is free, and the clocks of a turnaround; 0 if a turnaround is over too.
    bus: u64,
    direction: Option<Direction>,
}

impl MemoryPort {
    /// Returns the number of cycles after which the clocks of CP2 and memory stand to each other as before.
    pub fn period(&self) -> u64 {
        self.clocks.period()
    }

    /// Whether the row of an address is the open one.
    pub fn is_open(&self, address: MemoryAddress) -> bool {
        self.course.open_row == Some(self.memory_rows().place(address).row)
    }

    /// Returns the state that the transactions so far leave to those that are asked for in cycle `now` or later.
    pub fn rest(&self, now: Cycle) -> PortRest {
        let begin = self.clocks.tick_of(now);
        let (newer, older) = self.window.split_at(self.course.oldest);
        let left = |tick: &Tick| tick.0.saturating_sub(begin.0);
        let window = older.iter().chain(newer).map(left).collect();
        let bus = (self.course.bus_free.0 + self.turnaround()).saturating_sub(begin.0);
        PortRest { window, bus, direction: self.course.direction }
    }

    /// Whether a state can be that of a port alike.
    pub fn can_rest_as(&self, rest: &PortRest) -> bool {
        let is_near = |ticks: &u64| *ticks <= AHEAD;
        rest.window.len() == self.window.len() && rest.window.iter().chain([&rest.bus]).all(is_near)
    }

    /// Sets the state to that of a port alike in cycle `now`. The open row stays open, or is closed.
    pub fn rest_as(&mut self, rest: &PortRest, now: Cycle, keeps_row: bool) {
        let begin = self.clocks.tick_of(now);
        let ticks = rest.window.iter().map(|&left| Tick(begin.0 + left));
        self.window.iter_mut().zip(ticks).for_each(|(place, tick)| *place = tick);
        self.course.oldest = 0;
        self.course.bus_free = Tick((begin.0 + rest.bus).saturating_sub(self.turnaround()));
        self.course.direction = rest.direction;
        if !keeps_row {
            self.course.open_row = None;
        }
    }

    fn turnaround(&self) -> u64 {
        u64::from(self.timing.turnaround_clocks) * TICKS
    }
}
