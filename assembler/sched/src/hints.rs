//! The promises that a loop lacks, found by trying them. First bounds are computed, which is cheap; schedules are made
//! only where a bound shows that something can be won, and of a large body only one.

use super::address::{self, Sets};
use super::known::SEARCHED;
use super::loops::{Innermost, innermost_loops};
use super::pairing::Balanced;
use super::search::BlockSchedule;
use super::search::shape::{Passes, Shape};
use super::{RegionReport, ScheduleError, Work};
use cp2_ir::linear::{ABSOLUTE, Loop, PLACES, Region, TripCount, place_name};
use cp2_isa::Core;
use std::fmt;

/// Most operations of a body that is scheduled again and again to try promises. A larger one is scheduled once, with a large
/// count.
const MOST_OPERATIONS: usize = 256;

/// A count that every pipeline can be filled by.
const LARGE: u32 = 1 << 20;

/// Largest power of two that is tried as `multiple=`.
const MOST_TWOS: u32 = 4;

/// A promise that a loop of linear code lacks, and that would shorten its initiation interval, as [`hints`] finds it.
/// Its text is what the source would have to say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MissingPromise {
    /// `min=` of the loop: the least trip count that the author would promise.
    Min(u32),
    /// `multiple=` of the loop: a number that divides the trip count.
    Multiple(u32),
    /// A `.disjoint` with these numbers of address sets, as in [`Region::disjoint`].
    Disjoint(Vec<u8>),
    /// An `.even` with these numbers of address sets.
    Even(Vec<u8>),
}

impl fmt::Display for MissingPromise {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = |sets: &[u8]| {
            let name = |&s: &u8| place_name(s);
            sets.iter().map(name).collect::<Vec<_>>().join(", ")
        };
        match self {
            Self::Min(n) => write!(f, "min={n}"),
            Self::Multiple(n) => write!(f, "multiple={n}"),
            Self::Disjoint(sets) => write!(f, ".disjoint {}", list(sets)),
            Self::Even(sets) => write!(f, ".even {}", list(sets)),
        }
    }
}

/// A hint for the author of a loop: promises that would shorten its initiation interval (the cycles from the begin of
/// one iteration to that of the next), and to what.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hint {
    /// Promises that the source would have to add, all of them together.
    pub promises: Vec<MissingPromise>,
    /// Lower bound of the loop's interval with the promises, in cycles: the greater one of resource and recurrence
    /// bound.
    pub bound: i64,
    /// Interval, in cycles, of the schedule that the loop has with the promises; `None` if the body has more than 256
    /// operations, which are scheduled for a hint about `min=` only.
    pub ii: Option<i64>,
}

/// Returns the hints for each innermost loop of a region, in program order: promises that it lacks and that would
/// shorten its initiation interval. `report` is the report that [`super::schedule`] gave for the region. The list of a
/// loop is empty if no promise helps.
///
/// # Errors
/// Returns an error if the region cannot be scheduled, as [`super::schedule`] does.
pub fn hints(
    core: &Core,
    region: &Region,
    report: &RegionReport,
) -> Result<Vec<Vec<Hint>>, ScheduleError> {
    let known = report.blocks.iter().filter_map(|b| b.ii);
    innermost_loops(region)
        .into_iter()
        .zip(known)
        .map(|(innermost, ii)| Trial { core, region, innermost }.hints(ii))
        .collect()
}

/// Promises about memory: pairs of sets, and even ones.
#[derive(Clone, Debug, Default)]
struct Memory {
    apart: Vec<(u8, u8)>,
    even: Vec<u8>,
}

impl Memory {
    /// Returns the promises as they are written: sets that are all apart stand in one line.
    fn missing(&self) -> Vec<MissingPromise> {
        let mut left = self.apart.clone();
        let mut lines = Vec::new();
        while let Some(&(a, b)) = left.first() {
            let mut line = vec![a, b];
            let known = |x: u8, y: u8| self.apart.contains(&(x.min(y), x.max(y)));
            for set in 0..PLACES as u8 {
                if !line.contains(&set) && line.iter().all(|&other| known(set, other)) {
                    line.push(set);
                }
            }
            line.sort_unstable();
            left.retain(|(x, y)| !(line.contains(x) && line.contains(y)));
            lines.push(MissingPromise::Disjoint(line));
        }
        if !self.even.is_empty() {
            lines.push(MissingPromise::Even(self.even.clone()));
        }
        lines
    }
}

/// A loop for which promises are tried.
struct Trial<'a> {
    core: &'a Core,
    region: &'a Region,
    innermost: Innermost<'a>,
}

impl Trial<'_> {
    fn hints(&self, ii: i64) -> Result<Vec<Hint>, ScheduleError> {
        let none = Memory::default();
        let bound = self.bound(&none)?;
        let mut hints = Vec::new();
        let mut best = ii;
        if ii > bound
            && let Some(hint) = self.count(&none, bound, best)?
        {
            best = hint.ii.unwrap_or(best);
            hints.push(hint);
        }
        let Some((memory, least)) = self.memory(bound)? else { return Ok(hints) };
        if self.innermost.ops.len() > MOST_OPERATIONS {
            hints.push(Hint { promises: memory.missing(), bound: least, ii: None });
            return Ok(hints);
        }
        let alone = self.schedule(&memory, self.innermost.of)?.map_or(ii, |found| found.ii);
        if alone < best {
            let promises = memory.missing();
            hints.push(Hint { promises, bound: least, ii: Some(alone) });
            best = alone;
        }
        if best > least
            && let Some(hint) = self.count(&memory, least, best)?
        {
            hints.push(hint);
        }
        Ok(hints)
    }

    /// Returns the promises about the count that, beside those about memory, give an interval below `best`.
    fn count(&self, memory: &Memory, bound: i64, best: i64) -> Result<Option<Hint>, ScheduleError> {
        let TripCount::Register { min, multiple, .. } = self.innermost.of.count else {
            return Ok(None);
        };
        let is_large = self.innermost.ops.len() > MOST_OPERATIONS;
        let mut found: Option<(i64, u32, u32)> = None;
        for twos in 0..=if is_large { 0 } else { MOST_TWOS } {
            let factor = 1 << twos.saturating_sub(multiple.trailing_zeros());
            let Some(multiple) = multiple.checked_mul(factor) else { continue };
            let min = LARGE.next_multiple_of(multiple);
            let Some(schedule) = self.counted(memory, min, multiple)? else { continue };
            let least = found.map_or(best, |(ii, ..)| ii);
            if schedule.ii < least {
                found = Some((schedule.ii, multiple, least_trips(&schedule)));
            }
            if schedule.ii <= bound {
                break;
            }
        }
        let Some((_, needed, trips)) = found else { return Ok(None) };
        let trips = trips.next_multiple_of(needed);
        // A longer prologue may not pay for so small a count.
        let told = self.counted(memory, trips.max(min), needed)?;
        let told = told.filter(|schedule| schedule.ii < best);
        Ok(told.map(|schedule| {
            let min = (trips > min.max(needed)).then_some(MissingPromise::Min(trips));
            let multiple = (needed != multiple).then_some(MissingPromise::Multiple(needed));
            let promises = min.into_iter().chain(multiple).chain(memory.missing()).collect();
            Hint { promises, bound, ii: Some(schedule.ii) }
        }))
    }

    /// Returns the schedule of the loop with promises about memory and about its count, which is in a register.
    fn counted(
        &self,
        memory: &Memory,
        min: u32,
        multiple: u32,
    ) -> Result<Option<BlockSchedule>, ScheduleError> {
        let mut of = self.innermost.of.clone();
        if let TripCount::Register { gpr, .. } = of.count {
            of.count = TripCount::Register { gpr, min, multiple, expected: None };
        }
        self.schedule(memory, &of)
    }

    /// Returns the promises about memory that lower a bound, without those that do not help, and the lower bound.
    fn memory(&self, bound: i64) -> Result<Option<(Memory, i64)>, ScheduleError> {
        let mut memory = self.candidates()?;
        let least = self.bound(&memory)?;
        if least >= bound {
            return Ok(None);
        }
        for k in (0..memory.even.len()).rev() {
            let mut fewer = memory.clone();
            fewer.even.remove(k);
            if self.bound(&fewer)? <= least {
                memory = fewer;
            }
        }
        for k in (0..memory.apart.len()).rev() {
            let mut fewer = memory.clone();
            fewer.apart.remove(k);
            if self.bound(&fewer)? <= least {
                memory = fewer;
            }
        }
        Ok(Some((memory, least)))
    }

    /// Returns all that could be promised about the sets of the loop: those of which one is stored through are apart, and
    /// all are even.
    fn candidates(&self) -> Result<Memory, ScheduleError> {
        let work = self.work(self.region)?;
        let sets = Sets::of(&work, &self.innermost.ops);
        let accesses = address::memory(&work, &self.innermost.ops, &sets, true);
        let mut memory = Memory::default();
        for a in &accesses {
            for b in accesses.iter().filter(|b| a.set < b.set && (a.store || b.store)) {
                if !self.region.are_disjoint(a.set, b.set) {
                    memory.apart.push((a.set, b.set));
                }
            }
        }
        memory.apart.sort_unstable();
        memory.apart.dedup();
        memory.even.extend(accesses.iter().map(|a| a.set).filter(|&s| s < ABSOLUTE));
        memory.even.sort_unstable();
        memory.even.dedup();
        memory.even.retain(|set| !self.region.even.contains(set));
        Ok(memory)
    }

    /// Returns the region with more promises.
    fn promised(&self, memory: &Memory) -> Region {
        let mut region = self.region.clone();
        region.disjoint.extend(memory.apart.iter().map(|&(a, b)| vec![a, b]));
        region.even.extend(&memory.even);
        region
    }

    fn work<'r>(&self, region: &'r Region) -> Result<Work<'r>, ScheduleError> {
        let mut work = Work::of(self.core, region, &SEARCHED)?;
        let even = work.evens(region)[self.innermost.leaf];
        work.even = even & address::parity_kept(&work, &self.innermost.ops, None);
        Ok(work)
    }

    /// Returns the greater bound of the loop with these promises, with operations exchanged if that is better.
    fn bound(&self, memory: &Memory) -> Result<i64, ScheduleError> {
        let region = self.promised(memory);
        let work = self.work(&region)?;
        let Innermost { ops, of, .. } = &self.innermost;
        let plain = work.loop_bounds(ops, of)?.least();
        let other = |b: Balanced<'_>| b.work.loop_bounds(ops, of).map_or(plain, |b| b.least());
        Ok(work.balanced(ops).map_or(plain, other).min(plain))
    }

    /// Returns the schedule of the loop with these promises, if there is one.
    fn schedule(&self, memory: &Memory, of: &Loop) -> Result<Option<BlockSchedule>, ScheduleError> {
        let region = self.promised(memory);
        let work = self.work(&region)?;
        let leaf = self.innermost.leaf;
        let reserved = work.fixed.reserved(&(leaf..leaf + 1));
        Ok(work.best(&self.innermost.ops, Some(of), reserved).ok().map(|(found, _)| found))
    }
}

/// Returns the least count for which a schedule holds.
fn least_trips(found: &BlockSchedule) -> u32 {
    match found.shape {
        Shape::Pipelined { pipeline, passes: Passes::Register { less, .. }, .. } => {
            u32::try_from(less + pipeline.unroll).unwrap_or(LARGE)
        }
        _ => 1,
    }
}
