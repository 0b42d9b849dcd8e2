//! The promises that a loop lacks, found by trying them: bounds first, which are cheap, then schedules. Trials have so much work
//! and no more, and what was not tried for that reason is told.

mod promise;

pub use promise::{Hint, LoopHints, MissingPromise};

use super::address::{self, Sets};
use super::allowance::{Allowance, Interrupt};
use super::known::SEARCHED;
use super::loops::{Innermost, innermost_loops};
use super::pairing::Balanced;
use super::search::BlockSchedule;
use super::search::shape::{Passes, Shape};
use super::{RegionReport, ScheduleError, Work};
use cp2_ir::linear::{ABSOLUTE, Loop, Region, TripCount};
use cp2_isa::Core;
use promise::Memory;

/// A count that every pipeline can be filled by.
const LARGE: u32 = 1 << 20;

/// Largest power of two that is tried as `multiple=`.
const MOST_TWOS: u32 = 4;

/// The work that trials of promises for one region may take, and the flag that breaks them off.
#[derive(Clone, Debug)]
pub struct TrialBudget {
    /// Operations that may be put in place, those of all trials together. The innermost loops of the region have equal
    /// parts of it.
    pub operations: u64,
    /// Flag that ends the trials.
    pub interrupt: Interrupt,
}

impl Default for TrialBudget {
    fn default() -> Self {
        Self { operations: 20_000_000, interrupt: Interrupt::new() }
    }
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
    budget: &TrialBudget,
) -> Result<Vec<LoopHints>, ScheduleError> {
    let known = report.blocks.iter().filter_map(|b| b.ii);
    let loops = innermost_loops(region);
    let share = budget.operations / (loops.len() as u64).max(1);
    loops
        .into_iter()
        .zip(known)
        .map(|(innermost, ii)| {
            let allowance = Allowance::new(&budget.interrupt, share);
            Trial { core, region, innermost, allowance }.hints(ii)
        })
        .collect()
}

/// A loop for which promises are tried.
struct Trial<'a> {
    core: &'a Core,
    region: &'a Region,
    innermost: Innermost<'a>,
    allowance: Allowance,
}

/// Promises about memory that win something: the bound with them, and the interval if it is known.
struct Won {
    memory: Memory,
    bound: i64,
    ii: Option<i64>,
}

/// Promises about the count of a loop that win something, and the interval with them.
#[derive(Clone, Copy)]
struct Counted {
    ii: i64,
    min: u32,
    multiple: u32,
}

impl Trial<'_> {
    fn hints(&self, ii: i64) -> Result<LoopHints, ScheduleError> {
        let none = Memory::default();
        let bound = self.bound(&none)?;
        let mut hints = Vec::new();
        let mut best = ii;
        if ii > bound
            && let Some(counted) = self.count(&none, bound, best)?
        {
            best = counted.ii;
            hints.push(self.hint(&none, bound, counted));
        }
        let all = self.candidates()?;
        let least = self.bound(&all)?;
        // A schedule that meets a bound which no promise lowers cannot be shortened.
        if all.is_empty() || ii <= least {
            return Ok(self.complete(hints));
        }
        if let Some(Won { memory, bound, ii: alone }) = self.memory(&all, (ii, bound, least))? {
            if alone.is_none_or(|alone| alone < best) {
                hints.push(Hint { promises: memory.missing(), bound, ii: alone });
                best = alone.unwrap_or(best);
            }
            if best > bound
                && let Some(counted) = self.count(&memory, bound, best)?
            {
                best = counted.ii;
                hints.push(self.hint(&memory, bound, counted));
            }
        }
        // Together they may win what neither does.
        if best > least
            && let Some(counted) = self.count(&all, least, best)?
        {
            let is_enough = |fewer: &Memory| {
                let schedule = self.counted(fewer, counted.min, counted.multiple)?;
                Ok(schedule.is_some_and(|schedule| schedule.ii <= counted.ii))
            };
            let memory = self.fewest(all.clone(), &is_enough)?;
            hints.push(self.hint(&memory, self.bound(&memory)?, counted));
        }
        Ok(self.complete(hints))
    }

    /// Returns the hints for the loop, with whether all promises were tried.
    fn complete(&self, hints: Vec<Hint>) -> LoopHints {
        LoopHints { hints, is_complete: !self.allowance.is_over() }
    }

    /// Returns the hint that promises about memory and about the count win this.
    fn hint(&self, memory: &Memory, bound: i64, counted: Counted) -> Hint {
        let mut promises = Vec::new();
        if let TripCount::Register { min, multiple, .. } = self.innermost.of.count {
            if counted.min > min.max(counted.multiple) {
                promises.push(MissingPromise::Min(counted.min));
            }
            if counted.multiple != multiple {
                promises.push(MissingPromise::Multiple(counted.multiple));
            }
        }
        promises.extend(memory.missing());
        Hint { promises, bound, ii: Some(counted.ii) }
    }

    /// Returns the promises about the count that, beside those about memory, give an interval below `best`.
    fn count(
        &self,
        memory: &Memory,
        bound: i64,
        best: i64,
    ) -> Result<Option<Counted>, ScheduleError> {
        let TripCount::Register { min, multiple, .. } = self.innermost.of.count else {
            return Ok(None);
        };
        let mut found: Option<(i64, u32, u32)> = None;
        for needed in self.multiples(multiple)? {
            let min = LARGE.next_multiple_of(needed);
            let Some(schedule) = self.counted(memory, min, needed)? else { continue };
            let least = found.map_or(best, |(ii, ..)| ii);
            if schedule.ii < least {
                found = Some((schedule.ii, needed, least_trips(&schedule)));
            }
            if schedule.ii <= bound {
                break;
            }
        }
        let Some((_, multiple, trips)) = found else { return Ok(None) };
        // A longer prologue may not pay for so small a count.
        let min = trips.next_multiple_of(multiple).max(min);
        let kept = self.counted(memory, min, multiple)?;
        let kept = kept.filter(|schedule| schedule.ii < best);
        Ok(kept.map(|schedule| Counted { ii: schedule.ii, min, multiple }))
    }

    /// Returns the promises of `multiple=` that are tried: that of the loop, and those by powers of two that let registers repeat
    /// after more iterations.
    fn multiples(&self, multiple: u32) -> Result<Vec<u32>, ScheduleError> {
        let work = self.work(self.region)?;
        let mut all = vec![multiple];
        let mut most = self.unrolled(&work, multiple);
        for twos in 1..=MOST_TWOS {
            let factor = 1 << twos.saturating_sub(multiple.trailing_zeros());
            let Some(next) = multiple.checked_mul(factor) else { break };
            let unrolled = self.unrolled(&work, next);
            if unrolled > most {
                most = unrolled;
                all.push(next);
            }
        }
        Ok(all)
    }

    /// Returns the most iterations after which registers may repeat with a `multiple=`.
    fn unrolled(&self, work: &Work<'_>, multiple: u32) -> i64 {
        let mut of = self.innermost.of.clone();
        if let TripCount::Register { multiple: written, .. } = &mut of.count {
            *written = multiple;
        }
        work.most_unroll(&self.innermost.ops, &of)
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

    /// Returns the promises about memory, among all that can be made, that lower the bound or the interval of the schedule, without
    /// those that do not help. `least` is the bound with all of them.
    fn memory(
        &self,
        all: &Memory,
        (ii, bound, least): (i64, i64, i64),
    ) -> Result<Option<Won>, ScheduleError> {
        let mut won = None;
        if least < bound {
            let memory = self.fewest(all.clone(), &|fewer| Ok(self.bound(fewer)? <= least))?;
            let alone = self.interval(&memory)?;
            if alone.is_some_and(|alone| alone <= least) {
                return Ok(Some(Won { memory, bound: least, ii: alone }));
            }
            won = Some(Won { memory, bound: least, ii: alone });
        }
        // Dependences that set no bound may still keep the schedule from it.
        let known = won.as_ref().and_then(|won| won.ii).map_or(ii, |alone| alone.min(ii));
        let Some(whole) = self.interval(all)?.filter(|&whole| whole < known) else {
            return Ok(won);
        };
        let is_as_good =
            |fewer: &Memory| Ok(self.interval(fewer)?.is_some_and(|interval| interval <= whole));
        let memory = self.fewest(all.clone(), &is_as_good)?;
        let bound = self.bound(&memory)?;
        Ok(Some(Won { memory, bound, ii: Some(whole) }))
    }

    /// Returns promises without those that may be left out one after the other.
    fn fewest(
        &self,
        mut memory: Memory,
        is_enough: &dyn Fn(&Memory) -> Result<bool, ScheduleError>,
    ) -> Result<Memory, ScheduleError> {
        for k in (0..memory.even.len()).rev() {
            let mut fewer = memory.clone();
            fewer.even.remove(k);
            if is_enough(&fewer)? {
                memory = fewer;
            }
        }
        for k in (0..memory.apart.len()).rev() {
            let mut fewer = memory.clone();
            fewer.apart.remove(k);
            if is_enough(&fewer)? {
                memory = fewer;
            }
        }
        Ok(memory)
    }

    /// Returns the interval of the loop with promises about memory; `None` if there is no such schedule, or no work left for it.
    fn interval(&self, memory: &Memory) -> Result<Option<i64>, ScheduleError> {
        Ok(self.schedule(memory, self.innermost.of)?.map(|found| found.ii))
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
        work.allowance = self.allowance.clone();
        let even = work.evens(region)[self.innermost.leaf];
        work.even = even & address::parity_kept(&work, &self.innermost.ops, None);
        Ok(work)
    }

    /// Returns the greater bound of the loop with these promises, with operations exchanged if that is better.
    fn bound(&self, memory: &Memory) -> Result<i64, ScheduleError> {
        let region = self.promised(memory);
        let work = self.work(&region)?;
        let Innermost { ops, of, .. } = &self.innermost;
        self.allowance.spend(ops.len());
        let plain = work.loop_bounds(ops, of)?.least();
        let other = |b: Balanced<'_>| b.work.loop_bounds(ops, of).map_or(plain, |b| b.least());
        Ok(work.balanced(ops).map_or(plain, other).min(plain))
    }

    /// Returns the schedule of the loop with these promises, if there is one.
    fn schedule(&self, memory: &Memory, of: &Loop) -> Result<Option<BlockSchedule>, ScheduleError> {
        if self.allowance.is_over() {
            return Ok(None);
        }
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
