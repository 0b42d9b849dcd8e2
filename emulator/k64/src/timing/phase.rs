//! Turns of a loop that all take the same time: how a turn is recognized as one, and what many of them take.

use super::{Misses, Ready, StallCause, Timing};
use crate::timing::Class;

/// State of a model of time in a turn of a loop, with which that of the next turn is compared. Caches are in it only by
/// their misses.
pub(crate) struct Phase {
    now: u64,
    n_used: u32,
    issued_at: u64,
    ready: [Ready; 256],
    units: [Ready; Class::UNITS],
    n_stalled: [u64; StallCause::ALL.len()],
    misses: Misses,
}

impl Timing {
    /// Returns the state that [`Timing::is_in_phase`] compares.
    pub(crate) fn phase(&self) -> Phase {
        Phase {
            now: self.now,
            n_used: self.n_used,
            issued_at: self.issued_at,
            ready: self.ready,
            units: self.units,
            n_stalled: self.n_stalled,
            misses: *self.caches.misses(),
        }
    }

    /// Whether the model differs from an earlier state only by `cycles` cycles that have passed since, and by counts of
    /// stalled cycles: the same instructions will take the same time again, if their accesses hit the caches.
    pub(crate) fn is_in_phase(&self, before: &Phase, cycles: u64) -> bool {
        let at = |ready: &Ready, now: u64| ready.0.saturating_sub(now << self.shift);
        let is_same = |new: &Ready, old: &Ready| {
            // What is there already never holds up anything.
            let is_past = new.cycle(self.shift) <= self.now && old.cycle(self.shift) <= before.now;
            is_past || at(new, self.now) == at(old, before.now)
        };
        self.now - before.now == cycles
            && self.issued_at - before.issued_at == cycles
            && self.n_used == before.n_used
            && !self.is_held
            && *self.caches.misses() == before.misses
            && self.ready.iter().zip(&before.ready).all(|(new, old)| is_same(new, old))
            && self.units.iter().zip(&before.units).all(|(new, old)| is_same(new, old))
    }

    /// Lets so many turns pass, each like the one since an earlier state, with which this one is in phase.
    pub(crate) fn repeat_since(&mut self, before: &Phase, turns: u64) {
        let cycles = turns * (self.now - before.now);
        let (now, shift) = (self.now, self.shift);
        for ready in self.ready.iter_mut().chain(&mut self.units) {
            if ready.cycle(shift) > now {
                ready.0 += cycles << shift;
            }
        }
        self.now += cycles;
        self.issued_at += cycles;
        for (count, old) in self.n_stalled.iter_mut().zip(before.n_stalled) {
            *count += turns * (*count - old);
        }
    }
}
