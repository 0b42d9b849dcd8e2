//! History and log of the channel, kept on request: what cycles were for, descriptors and beats.

use super::Dma;
use crate::dma::history::{History, PhaseSpan};
use crate::dma::log::{Beat, Log, Visit};

impl Dma {
    /// Begins to keep a history of what every cycle was for, until [`Dma::take_history`] takes it.
    pub fn keep_history(&mut self) {
        self.history.get_or_insert_default();
    }

    /// Takes the history of the cycles since the last call, in order.
    pub fn take_history(&mut self) -> impl Iterator<Item = PhaseSpan> + '_ {
        self.history.iter_mut().flat_map(History::drain)
    }

    /// Begins to keep a log of every descriptor and every beat, until [`Dma::take_visits`] and [`Dma::take_beats`] take it.
    /// Beats then move one by one, in the same cycles.
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

    /// Goes on with the log of another channel, which has come to where this one is: for one that was restored
    /// from a checkpoint.
    pub fn move_log(&mut self, from: &mut Self) {
        self.log = from.log.take();
    }

    /// Ends the log.
    pub fn end_log(&mut self) {
        self.log = None;
    }

    /// Takes the beats since the last call, in the order of time; none if no log is kept.
    pub fn take_beats(&mut self) -> Vec<Beat> {
        self.log.as_mut().map(|log| log.take_beats()).unwrap_or_default()
    }

    /// Takes the descriptors since the last call that the channel is done with, in the order of time; none if no log is kept.
    pub fn take_visits(&mut self) -> Vec<Visit> {
        self.log.as_mut().map(|log| log.take_visits()).unwrap_or_default()
    }

    /// Returns the descriptor under way, if a log is kept.
    pub fn visit(&self) -> Option<&Visit> {
        self.log.as_ref().and_then(|log| log.under_way())
    }
}
