//! Searches for the next breakpoint of a run, in both directions.

use super::{Debugger, RunStop, StopReason, TimeDirection, is_issue, issues};
use crate::breakpoint::{BreakPlace, Breakpoint};
use crate::error::DebugError;
use cp2_analysis::location::Location;
use cp2_emu::trace::{Destination, PastCycle};
use cp2_isa::{BundleAddress, Cycle, Resource};
use cp2_recording::Write;

/// Facts about the cycle before the one that is looked at.
#[derive(Clone, Copy)]
struct CycleBefore {
    number: Cycle,
    /// Whether a kernel ran, so that the next bundle is the one that its PC named.
    ran: bool,
    /// Whether the PC behind it is that of a breakpoint whose condition holds.
    is_at: bool,
}

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

impl Debugger {
    /// Goes to the next stop in a direction: the nearest breakpoint, else the begin or the end of the run.
    ///
    /// # Errors
    /// The recording is damaged, or the search was ended; then the run stands where it did.
    pub fn run_to_stop(&mut self, direction: TimeDirection) -> Result<RunStop, DebugError> {
        let here = self.cycle();
        let found = self.nearest(direction);
        if found.is_err() {
            self.run.recording.seek(here)?;
        }
        match found? {
            None => self.stop_at_end(direction),
            Some((cycle, reason)) => {
                self.run.recording.seek(cycle)?;
                self.stop(reason)
            }
        }
    }

    fn nearest(
        &mut self,
        direction: TimeDirection,
    ) -> Result<Option<(Cycle, StopReason)>, DebugError> {
        let here = self.cycle();
        let mut nearest: Option<(Cycle, StopReason)> = None;
        let is_nearer = |nearest: &Option<(Cycle, StopReason)>, cycle: Cycle| {
            nearest.as_ref().is_none_or(|(best, _)| match direction {
                TimeDirection::Forward => cycle < *best,
                TimeDirection::Back => cycle > *best,
            })
        };
        if let Some(cycle) = self.next_of_bundles(direction)? {
            nearest = Some((cycle, StopReason::Breakpoints(Vec::new())));
        }
        for breakpoint in self.breakpoints.clone() {
            self.run.recording.seek(here)?;
            match breakpoint.place {
                BreakPlace::Cycle(cycle) => {
                    let is_ahead = match direction {
                        TimeDirection::Forward => cycle > here,
                        TimeDirection::Back => cycle < here,
                    };
                    if is_ahead && is_nearer(&nearest, cycle) && self.holds(&breakpoint, cycle)? {
                        nearest = Some((cycle, StopReason::Breakpoints(Vec::new())));
                    }
                }
                BreakPlace::Write(_) => {
                    if let Some((cycle, write)) = self.next_write(&breakpoint, direction)?
                        && is_nearer(&nearest, cycle)
                    {
                        let reason = StopReason::Written(breakpoint.number, Box::new(write));
                        nearest = Some((cycle, reason));
                    }
                }
                BreakPlace::Bundles(..) => {}
            }
        }
        if let Some((cycle, StopReason::Breakpoints(_))) = nearest {
            nearest = Some((cycle, StopReason::Breakpoints(self.at(cycle)?)));
        }
        Ok(nearest)
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
        let Some(condition) = breakpoint.condition else { return Ok(true) };
        self.run.recording.seek(cycle)?;
        Ok(condition.holds(self.run.recording.state()))
    }

    /// Returns the next write of what a breakpoint watches after which, or going back before which, its condition holds, with the cycle
    /// in which the run stops for it.
    fn next_write(
        &mut self,
        breakpoint: &Breakpoint,
        direction: TimeDirection,
    ) -> Result<Option<(Cycle, Write)>, DebugError> {
        let BreakPlace::Write(location) = breakpoint.place else { return Ok(None) };
        loop {
            let Some(write) = self.write_from_here(location, direction)? else { return Ok(None) };
            let stop = match direction {
                TimeDirection::Forward => write.cycle + 1,
                TimeDirection::Back => write.cycle,
            };
            if self.holds(breakpoint, stop)? {
                return Ok(Some((stop, write)));
            }
            self.run.recording.seek(stop)?;
        }
    }

    /// Returns the first write of a register or word from the cycle on, or the last one before it. The run may stand elsewhere then.
    fn write_from_here(
        &mut self,
        location: Location,
        direction: TimeDirection,
    ) -> Result<Option<Write>, DebugError> {
        let Some(cell) = location.cell() else { return Ok(None) };
        loop {
            let found = match direction {
                TimeDirection::Forward => self.run.recording.next_write(cell)?,
                TimeDirection::Back => self.run.recording.last_write(cell)?,
            };
            match found {
                Some(write) if !concerns(&write, location) => {
                    let past = match direction {
                        TimeDirection::Forward => write.cycle + 1,
                        TimeDirection::Back => write.cycle,
                    };
                    self.run.recording.seek(past)?;
                }
                found => return Ok(found),
            }
        }
    }

    /// Returns the last write of a register or word before the cycle at which the run stands.
    ///
    /// # Errors
    /// The recording is damaged, or the search was ended.
    pub fn last_write(&mut self, location: Location) -> Result<Option<Write>, DebugError> {
        let here = self.cycle();
        let found = self.write_from_here(location, TimeDirection::Back);
        self.run.recording.seek(here)?;
        found
    }

    /// Returns the next cycle in which a bundle of a breakpoint issues whose condition holds.
    fn next_of_bundles(&mut self, direction: TimeDirection) -> Result<Option<Cycle>, DebugError> {
        let wanted: Vec<Breakpoint> = self.breakpoints.clone();
        let wanted: Vec<Breakpoint> = wanted
            .into_iter()
            .filter(|breakpoint| matches!(breakpoint.place, BreakPlace::Bundles(..)))
            .collect();
        if wanted.is_empty() {
            return Ok(None);
        }
        let [_, end] = self.ends();
        let mut from = match direction {
            TimeDirection::Forward => (self.cycle() + 1).min(end),
            TimeDirection::Back => self.cycle(),
        };
        loop {
            self.run.recording.seek(from)?;
            let Some(cycle) = self.candidate(direction, &wanted, from)? else { return Ok(None) };
            if !self.at(cycle)?.is_empty() {
                return Ok(Some(cycle));
            }
            from = match direction {
                TimeDirection::Forward => cycle + 1,
                TimeDirection::Back => cycle,
            };
        }
    }

    /// Returns the next cycle that may be one in which a wanted bundle issues: the PC behind the cycle before names it, or it is not
    /// known what the cycle before was.
    fn candidate(
        &mut self,
        direction: TimeDirection,
        wanted: &[Breakpoint],
        from: Cycle,
    ) -> Result<Option<Cycle>, DebugError> {
        let is_at = |pc: BundleAddress, state: &cp2_emu::state::State| {
            wanted.iter().any(|breakpoint| {
                matches!(&breakpoint.place, BreakPlace::Bundles(all, _) if all.contains(&pc))
                    && breakpoint.condition.is_none_or(|condition| condition.holds(state))
            })
        };
        let mut before = None;
        if direction == TimeDirection::Forward && from > self.ends()[0] {
            let ran = self.history.cycle(&mut self.run.recording, from - 1)?;
            let ran = ran.is_some_and(|cycle| cycle.cause.is_some());
            let state = self.run.recording.state();
            before = Some(CycleBefore { number: from - 1, ran, is_at: is_at(state.pc, state) });
        }
        let mut condition = |past: &PastCycle<'_>| {
            let known = before.filter(|before| before.ran && before.number + 1 == past.number);
            before = Some(CycleBefore {
                number: past.number,
                ran: past.cause.is_some(),
                is_at: is_at(past.state.pc, past.state),
            });
            is_issue(past.cause) && known.is_none_or(|before| before.is_at)
        };
        Ok(match direction {
            TimeDirection::Forward => self.run.recording.next_time(&mut condition)?,
            TimeDirection::Back => self.run.recording.last_time(&mut condition)?,
        })
    }
}
