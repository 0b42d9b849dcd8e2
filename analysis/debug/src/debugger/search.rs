//! Searches for the next breakpoint of a run, in both directions.

use super::{Debugger, RunStop, StopReason, TimeDirection, is_issue, issues};
use crate::breakpoint::{BreakPlace, Breakpoint};
use crate::condition::ValueCondition;
use crate::error::DebugError;
use cp2_analysis::location::Location;
use cp2_emu::state::State;
use cp2_emu::trace::{Destination, PastCycle};
use cp2_isa::{BundleAddress, Cycle, Resource};
use cp2_recording::{Condition, MatchChoice, Write, WriteCondition};
use std::collections::BTreeSet;
use std::ops::Range;

/// Stop that a search has found: its cycle, and why.
pub(super) type FoundStop = (Cycle, StopReason);

/// Whether a write of the cell that contains a location changes the location itself: a half of an FPR may stay, and so may a condition
/// code. A write by no operation is taken for one of all of the cell, and so is the last of the writes that land in a drain, for the
/// others are not told.
fn concerns(write: &Write, location: Location) -> bool {
    let Location::Register(wanted, _) = location else { return true };
    let Some(operation) = &write.operation else { return true };
    if operation.write_cycle.is_some_and(|landed| landed > write.cycle) {
        return true;
    }
    let mut written = operation.written.iter().flatten().map(|written| written.destination);
    written.any(|destination| match (destination, wanted) {
        (Destination::Register(Resource::Fpr(n, halves)), Resource::Fpr(m, wanted)) => {
            n == m && halves.mask() & wanted.mask() != 0
        }
        // `mtc` to FCCR writes all codes, which it names by the first.
        (Destination::Register(Resource::Fccr(n)), Resource::Fccr(m)) => n == m || n == 0,
        (Destination::Register(Resource::Fpr(..) | Resource::Fccr(_)), _) => false,
        _ => true,
    })
}

/// Writes of a location at which a condition holds.
struct WatchedWrites<'a> {
    location: Location,
    condition: Option<&'a ValueCondition>,
}

impl WriteCondition for WatchedWrites<'_> {
    fn admits(&self, write: &Write) -> bool {
        concerns(write, self.location)
    }

    fn holds(&self, state: &State) -> bool {
        self.condition.is_none_or(|condition| condition.holds(state))
    }
}

/// Facts about the cycle before the one that is looked at.
#[derive(Clone, Copy)]
struct CycleBefore {
    number: Cycle,
    /// Whether a kernel ran, so that the next bundle is the one that its PC named.
    ran: bool,
    /// Whether the PC behind it is that of a breakpoint whose condition holds.
    is_at: bool,
    /// Whether the condition of one of the breakpoints holds behind it.
    holds: bool,
}

/// Issues of the bundles of breakpoints whose conditions hold.
struct Issues<'a> {
    wanted: Vec<(&'a BTreeSet<BundleAddress>, Option<&'a ValueCondition>)>,
    all: BTreeSet<BundleAddress>,
    before: Option<CycleBefore>,
}

impl<'a> Issues<'a> {
    /// Returns the issues that breakpoints wait for; `None` if none of them is of bundles.
    fn of(breakpoints: &'a [Breakpoint]) -> Option<Self> {
        let of_bundles = breakpoints.iter().filter_map(|breakpoint| match &breakpoint.place {
            BreakPlace::Bundles(bundles, _) => Some((bundles, breakpoint.condition.as_ref())),
            _ => None,
        });
        let wanted: Vec<_> = of_bundles.collect();
        let all = wanted.iter().flat_map(|(bundles, _)| bundles.iter().copied()).collect();
        (!wanted.is_empty()).then_some(Self { wanted, all, before: None })
    }

    /// Whether the condition of a breakpoint holds, of one that has a bundle if it is named.
    fn holds_at(&self, pc: Option<BundleAddress>, state: &State) -> bool {
        self.wanted.iter().any(|(bundles, condition)| {
            pc.is_none_or(|pc| bundles.contains(&pc))
                && condition.is_none_or(|condition| condition.holds(state))
        })
    }
}

impl Condition for Issues<'_> {
    fn holds(&mut self, past: &PastCycle<'_>) -> bool {
        let pc = past.state.pc;
        let known = self.before.filter(|before| before.number + 1 == past.number);
        let holds = self.holds_at(None, past.state);
        let is_at = self.all.contains(&pc) && self.holds_at(Some(pc), past.state);
        let ran = past.cause.is_some();
        self.before = Some(CycleBefore { number: past.number, ran, is_at, holds });
        is_issue(past.cause)
            && match known {
                Some(before) if before.ran => before.is_at,
                // The first bundle of a kernel: no jump is under way, so the PC is now one behind it. The host may have changed values
                // just before it.
                Some(before) => {
                    let first = pc.0.checked_sub(1).map(BundleAddress);
                    first.is_some_and(|first| self.all.contains(&first)) && (before.holds || holds)
                }
                None => true,
            }
    }

    fn bundles(&self) -> Option<&BTreeSet<BundleAddress>> {
        Some(&self.all)
    }
}

impl Debugger {
    /// Goes to the next stop in a direction: the nearest breakpoint, else the begin or the end of the run.
    ///
    /// # Errors
    /// The recording is damaged, or the search was ended; then the run stands where it did.
    pub fn run_to_stop(&mut self, direction: TimeDirection) -> Result<RunStop, DebugError> {
        let here = self.cycle();
        let limit = match direction {
            TimeDirection::Forward => self.end_ahead()?.0,
            TimeDirection::Back => self.ends()[0],
        };
        let found = self.nearest(here, direction, limit);
        self.run.recording.seek(here)?;
        match found? {
            None => self.stop_at_end(direction),
            Some(found) => self.stop_at(found, direction),
        }
    }

    /// Stands at a stop that a search has found.
    pub(super) fn stop_at(
        &mut self,
        (cycle, reason): FoundStop,
        direction: TimeDirection,
    ) -> Result<RunStop, DebugError> {
        let mut hit = self.at(cycle)?;
        let here = match direction {
            TimeDirection::Forward => Cycle(cycle.0.saturating_sub(1)),
            TimeDirection::Back => cycle + 1,
        };
        for breakpoint in self.breakpoints.clone() {
            let written = self.next_write(&breakpoint, direction, here, cycle)?;
            hit.extend(written.filter(|(at, _)| *at == cycle).map(|_| breakpoint.number));
        }
        hit.sort_unstable();
        self.run.recording.seek(cycle)?;
        Ok(RunStop { hit, ..self.stop(reason)? })
    }

    /// Returns the nearest stop at a breakpoint from a cycle on, at most at a limit. The run may stand elsewhere then.
    pub(super) fn nearest(
        &mut self,
        here: Cycle,
        direction: TimeDirection,
        limit: Cycle,
    ) -> Result<Option<FoundStop>, DebugError> {
        let breakpoints = self.breakpoints.clone();
        // Each search has to find something nearer than the one before.
        let mut limit = limit;
        let mut found = None;
        for breakpoint in &breakpoints {
            let next = match &breakpoint.place {
                BreakPlace::Write(_) => self.next_write(breakpoint, direction, here, limit)?,
                BreakPlace::Cycle(cycle) => {
                    let is_ahead = match direction {
                        TimeDirection::Forward => *cycle > here && *cycle <= limit,
                        TimeDirection::Back => *cycle < here && *cycle >= limit,
                    };
                    let is_there = is_ahead && self.holds(breakpoint, *cycle)?;
                    is_there.then_some((*cycle, StopReason::Breakpoints(Vec::new())))
                }
                BreakPlace::Bundles(..) => None,
            };
            if let Some(next) = next
                && found.as_ref().is_none_or(|(cycle, _)| *cycle != next.0)
            {
                limit = next.0;
                found = Some(next);
            }
        }
        if let Some(cycle) = self.next_issue(&breakpoints, direction, here, limit)?
            && found.as_ref().is_none_or(|(at, _)| *at != cycle)
        {
            found = Some((cycle, StopReason::Breakpoints(Vec::new())));
        }
        if let Some((cycle, StopReason::Breakpoints(_))) = found {
            found = Some((cycle, StopReason::Breakpoints(self.at(cycle)?)));
        }
        Ok(found)
    }

    /// Returns the numbers of the breakpoints of bundles and cycles at which a cycle stands, whose conditions hold.
    fn at(&mut self, cycle: Cycle) -> Result<Vec<u32>, DebugError> {
        let address = self.history.cycle(&mut self.run.recording, cycle)?.filter(issues);
        let address = address.and_then(|cycle| cycle.address);
        let mut numbers = Vec::new();
        for breakpoint in self.breakpoints.clone() {
            let is_there = match &breakpoint.place {
                BreakPlace::Bundles(bundles, _) => address.is_some_and(|at| bundles.contains(&at)),
                BreakPlace::Cycle(at) => *at == cycle,
                BreakPlace::Write(_) => false,
            };
            if is_there && self.holds(&breakpoint, cycle)? {
                numbers.push(breakpoint.number);
            }
        }
        Ok(numbers)
    }

    /// Returns whether the condition of a breakpoint holds before a cycle.
    fn holds(&mut self, breakpoint: &Breakpoint, cycle: Cycle) -> Result<bool, DebugError> {
        let Some(condition) = &breakpoint.condition else { return Ok(true) };
        self.run.recording.seek(cycle)?;
        Ok(condition.holds(self.run.recording.state()))
    }

    /// Returns the next write of what a breakpoint watches after which, or going back before which, its condition holds, with the cycle
    /// in which the run stops for it, which is not beyond a limit.
    fn next_write(
        &mut self,
        breakpoint: &Breakpoint,
        direction: TimeDirection,
        here: Cycle,
        limit: Cycle,
    ) -> Result<Option<FoundStop>, DebugError> {
        let BreakPlace::Write(operand) = &breakpoint.place else { return Ok(None) };
        let condition = breakpoint.condition.as_ref();
        let watched = WatchedWrites { location: operand.location(), condition };
        let mut from = here;
        loop {
            let (range, choice) = span(direction, from, limit);
            let Some(write) = self.write_in(&watched, range, choice)? else { return Ok(None) };
            let stop = match direction {
                TimeDirection::Forward => write.cycle + 1,
                TimeDirection::Back => write.cycle,
            };
            // Where the host acts at the same time, only the state itself tells.
            if self.holds(breakpoint, stop)? {
                return Ok(Some((stop, StopReason::Written(breakpoint.number, Box::new(write)))));
            }
            from = stop;
        }
    }

    /// Returns the first or last write of a location in some cycles.
    fn write_in(
        &mut self,
        watched: &WatchedWrites<'_>,
        range: Range<Cycle>,
        choice: MatchChoice,
    ) -> Result<Option<Write>, DebugError> {
        let Some(cell) = watched.location.cell() else { return Ok(None) };
        Ok(self.run.recording.find_write(cell, range, choice, watched)?)
    }

    /// Returns the last write of a register or word before the cycle at which the run stands.
    ///
    /// # Errors
    /// The recording is damaged, or the search was ended.
    pub fn last_write(&mut self, location: Location) -> Result<Option<Write>, DebugError> {
        let range = self.ends()[0]..self.cycle();
        let watched = WatchedWrites { location, condition: None };
        self.write_in(&watched, range, MatchChoice::Last)
    }

    /// Returns the next cycle in which a bundle of a breakpoint issues whose condition holds, not beyond a limit.
    fn next_issue(
        &mut self,
        breakpoints: &[Breakpoint],
        direction: TimeDirection,
        here: Cycle,
        limit: Cycle,
    ) -> Result<Option<Cycle>, DebugError> {
        let mut from = match direction {
            TimeDirection::Forward => here + 1,
            TimeDirection::Back => here,
        };
        loop {
            let Some(mut issues) = Issues::of(breakpoints) else { return Ok(None) };
            let (mut range, choice) = span(direction, from, limit);
            if direction == TimeDirection::Forward {
                range.end = limit + 1;
            }
            let found = self.run.recording.find_time(range, choice, &mut issues)?;
            let Some(cycle) = found else { return Ok(None) };
            if !self.at(cycle)?.is_empty() {
                return Ok(Some(cycle));
            }
            from = match direction {
                TimeDirection::Forward => cycle + 1,
                TimeDirection::Back => cycle,
            };
        }
    }
}

/// Returns the cycles from one on to a limit, or back to it, and which match in them is the nearest.
fn span(direction: TimeDirection, from: Cycle, limit: Cycle) -> (Range<Cycle>, MatchChoice) {
    match direction {
        TimeDirection::Forward => (from..limit, MatchChoice::First),
        TimeDirection::Back => (limit..from, MatchChoice::Last),
    }
}
