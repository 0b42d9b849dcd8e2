//! Ways through the run behind a checkpoint: legs of many cycles, which the engine runs and counts, and the stretches behind them that a
//! search may go through cycle by cycle.

use crate::counts::Counts;
use crate::error::RecordingError;
use crate::look::suspects::Suspects;
use crate::meter::Meter;
use crate::recording::{Recording, RunCursor};
use cp2_emu::machine::Act;
use cp2_emu::trace::Observer;
use cp2_emu::{Goal, Profile};
use cp2_isa::Cycle;
use std::ops::Range;
use std::sync::Arc;

/// Number of cycles of a stretch that the reference engine goes through at once, about.
const STRETCH: u64 = 1 << 16;

/// Part of the run that is gone through from its begin: the machine there, the actions of the host, and the cycle behind the
/// last.
pub(super) struct Part {
    pub(super) place: RunCursor,
    pub(super) acts: Arc<[Act]>,
    end: Cycle,
}

impl Part {
    pub(super) fn run(&mut self, observer: &mut dyn Observer) -> Result<(), RecordingError> {
        self.place.watch(self.end, &self.acts, observer)
    }
}

/// Stretch that is searched: parts one behind the other, which begin before the stretch, so that what is under way then is
/// known.
pub(super) struct SearchedSpan {
    pub(super) parts: Vec<Part>,
    pub(super) begin: Cycle,
}

impl Recording {
    /// Begins to run through a span behind a checkpoint, leg by leg.
    pub(super) fn legs(
        &mut self,
        number: usize,
        span: &Range<Cycle>,
        lead: u64,
    ) -> Result<Legs, RecordingError> {
        let begin = self.cycle_of(number);
        let mut before = None;
        if number > 0 && lead > 0 && earlier(span.start, lead) < begin {
            self.restore(number - 1)?;
            self.advance_to(earlier(begin, lead).max(self.cycle()))?;
            before = Some(self.part_to(begin));
        }
        self.restore(number)?;
        self.advance_to(earlier(span.start, lead).max(begin))?;
        let meter = Meter::begin(&mut self.here.machine);
        let profile = Profile::of_all_runs(self.core());
        let (next, end) = (span.start, span.end);
        Ok(Legs {
            before,
            next,
            end,
            lead,
            meter,
            profile: Some(profile),
            suspected: 0,
            is_over: false,
        })
    }

    /// Returns the part from here on to a cycle of the same interval.
    fn part_to(&self, end: Cycle) -> Part {
        Part { place: self.here.clone(), acts: self.interval.acts.clone(), end }
    }
}

/// Counts of a leg.
pub(super) struct Leg {
    pub(super) counts: Counts,
    pub(super) cycles: u64,
    pub(super) suspected: Option<u64>,
}

/// Way through a span behind a checkpoint: the engine runs from leg to leg, and a stretch is what follows the lead behind the
/// begin of each.
pub(super) struct Legs {
    /// Last cycles before the checkpoint.
    before: Option<Part>,
    /// First cycle of the next stretch, the one behind the last.
    next: Cycle,
    end: Cycle,
    lead: u64,
    meter: Meter,
    /// Counts from leg to leg, and cycles of suspected bundles in it so far.
    profile: Option<Profile>,
    suspected: u64,
    is_over: bool,
}

impl Legs {
    /// Runs through the next leg; the machine is at its begin.
    pub(super) fn next_leg(
        &mut self,
        recording: &mut Recording,
        suspects: Option<&Suspects>,
    ) -> Result<Option<(SearchedSpan, Leg)>, RecordingError> {
        if self.is_over {
            return Ok(None);
        }
        let mut part = recording.part_to(self.end);
        let goal = recording.cycle().saturating_add(STRETCH);
        self.is_over = goal.saturating_add(STRETCH) >= self.end;
        let goal = if self.is_over {
            Goal::cycle(self.end)
        } else {
            Goal::cycle(goal + STRETCH / 2).or_from(goal)
        };
        if let Some(profile) = self.profile.take().filter(|_| suspects.is_some()) {
            recording.here.machine.cp2.go_on_with_profile(profile);
        }
        recording.metered(goal, &mut self.meter)?;
        self.profile = recording.here.machine.cp2.take_profile();
        let suspected = suspects.zip(self.profile.as_ref()).map(|(s, profile)| {
            let all = s.cycles(profile);
            all - std::mem::replace(&mut self.suspected, all)
        });
        let leg = self.meter.end(&mut recording.here.machine).unwrap_or_default();
        let begin = self.next;
        if !self.is_over {
            self.next = (recording.cycle() + self.lead).max(begin);
            part.end = self.next;
        }
        let parts = self.before.take().into_iter().chain([part]).collect();
        let cycles = leg.cycles();
        Ok(Some((SearchedSpan { parts, begin }, Leg { counts: leg.counts, cycles, suspected })))
    }
}

/// Returns the cycle that is so many cycles before another, 0 at least.
pub(super) fn earlier(cycle: Cycle, by: u64) -> Cycle {
    Cycle(cycle.0.saturating_sub(by))
}
