//! History and log of the channel, both kept on request only: phases of its cycles, and descriptors and beats.

use super::Dma;
use crate::dma::history::{History, PhaseSpan};
use crate::dma::log::{Beat, Log, Visit};

impl Dma {
    /// Begins to keep, for every cycle from now on, the phase of the channel (idle, set-up, sync or data) and its
    /// descriptor; [`Dma::take_history`] returns them.
    pub fn keep_history(&mut self) {
        self.history.get_or_insert_default();
    }

    /// Returns the phases of the channel's cycles since the last call, as runs of equal cycles in the order of time,
    /// and forgets them; nothing if [`Dma::keep_history`] was not called.
    pub fn take_history(&mut self) -> impl Iterator<Item = PhaseSpan> + '_ {
        self.history.iter_mut().flat_map(History::drain)
    }

    /// Begins to keep a log of every visit of a descriptor, which is the channel's work at it from its fetch to the
    /// next, and of every beat that moves; [`Dma::take_visits`] and [`Dma::take_beats`] return them. The simulation
    /// becomes slower; results and cycles stay the same.
    pub fn keep_log(&mut self) {
        if self.log.is_some() {
            return;
        }
        let mut log = Box::<Log>::default();
        if self.is_busy() {
            log.turn_to(self.current.number, self.current.address, self.now);
        }
        self.log = Some(log);
    }

    /// Takes over the log of visits and beats from another channel that is in the same state, for a channel that was
    /// restored from a snapshot. `from` keeps no log after that.
    pub fn move_log(&mut self, from: &mut Self) {
        self.log = from.log.take();
    }

    /// Drops the log of descriptors visited and beats moved ([`Visit`], [`Beat`]) with all that is in it, and keeps
    /// none from now on.
    pub fn end_log(&mut self) {
        self.log = None;
    }

    /// Returns the beats, 16 bytes or less each, that the channel has moved since the last call, in the order of time,
    /// and forgets them; none if no log is kept ([`Dma::keep_log`]).
    pub fn take_beats(&mut self) -> Vec<Beat> {
        self.log.as_mut().map(|log| log.take_beats()).unwrap_or_default()
    }

    /// Returns the visits of descriptors that have ended since the last call (one for each time that the channel worked
    /// on a descriptor), in the order of time, and forgets them; none if no log is kept ([`Dma::keep_log`]).
    pub fn take_visits(&mut self) -> Vec<Visit> {
        self.log.as_mut().map(|log| log.take_visits()).unwrap_or_default()
    }

    /// Returns the record in the log of the channel's work on its current descriptor, up to now; `None` if it works on
    /// none or no log is kept ([`Dma::keep_log`]).
    pub fn visit(&self) -> Option<&Visit> {
        self.log.as_ref().and_then(|log| log.under_way())
    }
}
