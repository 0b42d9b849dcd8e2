//! From the blocks of a region to one run of bundles: loops around blocks, counts, and the waits
//! between blocks whose results are still under way.

use super::address;
use super::allowance::{Allowance, Interrupt};
use super::emit::{EMPTY, Emitted, Plan};
use super::exact::LoopSchedule;
use super::fixed::{Fixed, leaves};
use super::known::STANDARD;
use super::pairing::{Balanced, Exchanged};
use super::report::{BlockReport, CycleFormula, RegionReport};
use super::run::{Sequenced, landing};
use super::search::BlockSchedule;
use super::search::shape::{Passes, Shape};
use super::{KnownSchedules, ScheduleError, ScheduledBundle, Work};
use cp2_ir::linear::{Block, Loop, Region, TripCount};
use cp2_isa::{Core, Exch, FprSet, Inst};
use std::borrow::Cow;
use std::ops::Range;

/// Greatest count of `doi`.
pub(super) const LONGEST_DOI: i64 = 1023;

/// Schedules a region of linear code for a core: returns its bundles, and a report on their cycles, lower bounds, and
/// registers.
///
/// # Errors
/// Returns the reason if no schedule is found: for example registers run out, a count lacks a promise, or a block is
/// too large.
pub fn schedule(
    core: &Core,
    region: &Region,
) -> Result<(Vec<ScheduledBundle>, RegionReport), ScheduleError> {
    schedule_as(core, region, &[])
}

/// Schedules a region of linear code as [`schedule`] does, but takes over the schedules of loops that are given, where they
/// are schedules of this region.
///
/// # Errors
/// Returns the reason if no schedule is found, as [`schedule`] does.
pub fn schedule_as(
    core: &Core,
    region: &Region,
    given: &[LoopSchedule],
) -> Result<(Vec<ScheduledBundle>, RegionReport), ScheduleError> {
    scheduled(core, region, given, (&STANDARD, &Interrupt::new()))
}

/// Schedules a region of linear code as [`schedule`] does, with these certificates in place of those that come with the
/// scheduler.
///
/// # Errors
/// Returns the reason if no schedule is found, as [`schedule`] does.
pub fn schedule_knowing(
    core: &Core,
    region: &Region,
    known: &KnownSchedules,
) -> Result<(Vec<ScheduledBundle>, RegionReport), ScheduleError> {
    schedule_until(core, region, known, &Interrupt::new())
}

/// Schedules a region of linear code as [`schedule_knowing`] does, unless another thread raises the flag before it is done.
///
/// # Errors
/// Returns the reason if no schedule is found, as [`schedule`] does; after the flag was raised, an error without a code.
pub fn schedule_until(
    core: &Core,
    region: &Region,
    known: &KnownSchedules,
    interrupt: &Interrupt,
) -> Result<(Vec<ScheduledBundle>, RegionReport), ScheduleError> {
    scheduled(core, region, &[], (known, interrupt))
}

fn scheduled(
    core: &Core,
    region: &Region,
    given: &[LoopSchedule],
    (known, interrupt): (&KnownSchedules, &Interrupt),
) -> Result<(Vec<ScheduledBundle>, RegionReport), ScheduleError> {
    let mut walker = Walker::new(core, region, known)?;
    walker.work.allowance = Allowance::unlimited(interrupt);
    walker.given = given;
    let mut run = walker.sequence(&region.blocks)?;
    run.wait(landing(core, &run.bundles));
    for &(at, end) in &run.loops {
        run.bundles[at].bundle.exch.values[1] = end as i32;
    }
    let loops = walker.blocks.iter_mut().filter_map(|b| b.pipeline.as_mut());
    for (pipeline, first) in loops.zip(&run.kernels) {
        if let (Some(kernel), Some(first)) = (&mut pipeline.kernel, first) {
            kernel.bundle = *first;
        }
    }
    let report = RegionReport {
        name: region.name.clone(),
        blocks: walker.blocks,
        bundles: run.bundles.len(),
        registers: walker.used.count() as u32,
        cost: run.cost,
    };
    Ok((run.bundles, report))
}

/// Returns whether a core can issue the operations of a region at the times that they have on a slower core, in no more cycles:
/// no operand is replaced too soon where results land sooner, registers suffice for values that live longer, and loops find a place for
/// their `do`. It is for tests of the promise that a region with such a schedule takes no more cycles than on the slower core.
///
/// # Errors
/// The region has no schedule on the slower core.
pub fn takes_over(core: &Core, slower: &Core, region: &Region) -> Result<bool, ScheduleError> {
    let mut walker = Walker::new(slower, region, &STANDARD)?;
    walker.taker = Some(*core);
    walker.sequence(&region.blocks)?;
    Ok(walker.is_taken)
}

impl<'a> Work<'a> {
    /// Creates the work on a region of which nothing has been scheduled.
    pub(super) fn of(
        core: &Core,
        region: &'a Region,
        known: &'a KnownSchedules,
    ) -> Result<Self, ScheduleError> {
        let fixed = Fixed::of(core, region, &leaves(region))?;
        let even = region.even.iter().fold(0, |mask, n| mask | 1 << n);
        let (written, ops) = (Cow::Borrowed(region), region.ops.clone());
        let allowance = Allowance::unlimited(&Interrupt::new());
        Ok(Self { core: *core, placed: *core, region: written, ops, fixed, even, known, allowance })
    }
}

pub(super) struct Walker<'a> {
    pub(super) work: Work<'a>,
    given: &'a [LoopSchedule],
    /// Sets that are even at the start of each leaf.
    evens: Vec<u16>,
    /// The next leaf in program order.
    next: usize,
    blocks: Vec<BlockReport>,
    used: FprSet,
    /// Faster core of which is asked whether it can take over each schedule.
    pub(super) taker: Option<Core>,
    /// Whether it could take over those so far.
    pub(super) is_taken: bool,
}

/// A loop that is ready but for the operations that compute its count.
struct Ready {
    run: Sequenced,
    setup: Vec<usize>,
    reports: Vec<BlockReport>,
}

impl<'a> Walker<'a> {
    pub(super) fn new(
        core: &Core,
        region: &'a Region,
        known: &'a KnownSchedules,
    ) -> Result<Self, ScheduleError> {
        let work = Work::of(core, region, known)?;
        let evens = work.evens(region);
        let (blocks, used) = (Vec::new(), FprSet::EMPTY);
        let (taker, is_taken) = (None, true);
        Ok(Self { work, given: &[], evens, next: 0, blocks, used, taker, is_taken })
    }
}

impl Walker<'_> {
    /// Schedules blocks one after the other.
    pub(super) fn sequence(&mut self, blocks: &[Block]) -> Result<Sequenced, ScheduleError> {
        let mut whole = Sequenced::default();
        let mut blocks = blocks.iter().peekable();
        while let Some(block) = blocks.next() {
            let mut ops: Vec<usize> = Vec::new();
            let mut straight = None;
            let mut of = None;
            match block {
                Block::Straight(range) => {
                    ops.extend(range.clone());
                    straight = Some(self.leaf());
                    if let Some(Block::Loop(l)) = blocks.peek() {
                        of = Some(l);
                        blocks.next();
                    }
                }
                Block::Loop(l) => of = Some(l),
            }
            let first = self.next;
            let ready = of.map(|l| self.looped(l)).transpose()?;
            ops.extend(ready.iter().flat_map(|r| &r.setup));
            if !ops.is_empty() {
                let run = self.straight(&ops, straight, first)?;
                whole.append(&self.work.core, run);
            }
            if let Some(ready) = ready {
                self.blocks.extend(ready.reports);
                whole.append(&self.work.core, ready.run);
            }
        }
        Ok(whole)
    }

    fn explained(&self, life: &Range<usize>, trouble: ScheduleError) -> ScheduleError {
        self.work.fixed.explained(&self.work.region, life, trouble)
    }

    fn leaf(&mut self) -> usize {
        self.next += 1;
        self.next - 1
    }

    /// Schedules straight code; without a leaf of its own it lies right before leaf `next`.
    fn straight(
        &mut self,
        ops: &[usize],
        leaf: Option<usize>,
        next: usize,
    ) -> Result<Sequenced, ScheduleError> {
        let life = leaf.unwrap_or(next)..leaf.unwrap_or(next) + 1;
        self.work.even = leaf.map_or(0, |l| self.evens[l]);
        let reserved = self.work.fixed.reserved(&life);
        let found = self.best(ops, None, reserved);
        let (found, exchanged) = found.map_err(|trouble| self.explained(&life, trouble))?;
        let (run, mut report) = self.emit(&found, None, reserved);
        (report.exchanged, report.merged) = (exchanged.made, exchanged.merged);
        self.blocks.push(report);
        Ok(run)
    }

    fn emit(
        &mut self,
        found: &BlockSchedule,
        of: Option<&Loop>,
        reserved: FprSet,
    ) -> (Sequenced, BlockReport) {
        let plan = Plan {
            work: &self.work,
            block: &found.block,
            times: &found.times,
            allocation: &found.allocation,
        };
        let emitted = plan.shaped(&found.shape, found.ii);
        self.used |= found.allocation.used | reserved;
        let cost = found.shape.cycles(&emitted, found.ii);
        let report = self.report(found, of, &emitted, cost.clone());
        let first = emitted.kernel.map(|(first, _)| first);
        let kernels = of.iter().map(|_| first).collect();
        let mut run = Sequenced { bundles: emitted.bundles, loops: Vec::new(), kernels, cost };
        if let (Some((first, length)), Shape::Pipelined { passes, .. }) =
            (emitted.kernel, found.shape)
        {
            let inst = match passes {
                Passes::Fixed(n) if n <= LONGEST_DOI => Inst::new(Exch::Doi, &[n as i32, 0]),
                Passes::Register { gpr, less: 0 } if found.allocation.unroll == 1 => {
                    Inst::new(Exch::Do, &[i32::from(gpr), 0])
                }
                _ => Inst::new(Exch::Do, &[i32::from(self.scratch()), 0]),
            };
            run.put_loop(first - 1, first + length - 2, inst);
        }
        (run, report)
    }

    pub(super) fn scratch(&self) -> u8 {
        self.work.region.scratch.first().copied().unwrap_or(0)
    }

    fn report(
        &self,
        found: &BlockSchedule,
        of: Option<&Loop>,
        emitted: &Emitted,
        cost: CycleFormula,
    ) -> BlockReport {
        let ops = &found.block.ops;
        let exchange = ops.iter().filter(|&&op| self.work.need(op).exchange).count();
        let length = super::emit::length(&found.times);
        let minimum_trips = match found.shape {
            Shape::Pipelined { pipeline, passes: Passes::Register { less, .. }, .. } => {
                less + pipeline.unroll
            }
            _ => 1,
        };
        BlockReport {
            span: match of {
                Some(l) => l.span.clone(),
                None => ops.first().and_then(|&op| self.work.ops[op].span.clone()),
            },
            operations: [ops.len() - exchange, exchange],
            exchanged: [0; 2],
            merged: Vec::new(),
            resource_bound: found.bounds.resources,
            recurrence_bound: found.bounds.recurrence.clone(),
            ii: of.map(|_| found.ii),
            stages: if of.is_some() { (length + found.ii - 1) / found.ii.max(1) } else { 1 },
            unroll: found.allocation.unroll,
            registers: found.allocation.used.count() as u32,
            minimum_trips,
            bundles: emitted.bundles.len(),
            cost,
            around: found.shape.around(&self.work.core, emitted),
            pipeline: of.map(|_| found.pipeline(&self.work)),
        }
    }

    fn looped(&mut self, of: &Loop) -> Result<Ready, ScheduleError> {
        match of.body.as_slice() {
            [Block::Straight(range)] => self.innermost(of, range.clone()),
            body => self.nest(of, body),
        }
    }

    fn innermost(&mut self, of: &Loop, range: Range<usize>) -> Result<Ready, ScheduleError> {
        let leaf = self.leaf();
        let ops: Vec<usize> = range.collect();
        self.work.even = self.evens[leaf] & address::parity_kept(&self.work, &ops, None);
        let reserved = self.work.fixed.reserved(&(leaf..leaf + 1));
        let found = match self.taken_over(leaf, &ops, of, reserved) {
            Some(found) => Ok(found),
            None => self.best(&ops, Some(of), reserved),
        };
        let explained = |trouble| self.explained(&(leaf..leaf + 1), trouble);
        let (found, exchanged) = found.map_err(explained)?;
        let setup = self.setup(of, &found)?;
        let (run, mut report) = self.emit(&found, Some(of), reserved);
        (report.exchanged, report.merged) = (exchanged.made, exchanged.merged);
        Ok(Ready { run, setup, reports: vec![report] })
    }

    /// Returns the schedule of a loop that was given, and what was exchanged for it, if it is one.
    fn taken_over(
        &mut self,
        leaf: usize,
        ops: &[usize],
        of: &Loop,
        reserved: FprSet,
    ) -> Option<(BlockSchedule, Exchanged)> {
        let given = self.given.iter().find(|given| given.leaf == leaf)?;
        let balanced = given.is_exchanged.then(|| self.work.balanced(ops)).flatten();
        let work = balanced.as_ref().map_or(&self.work, |b| &b.work);
        let found = work.given(ops, of, reserved, given.given.clone())?;
        let exchanged = balanced.as_ref().map(Balanced::exchanged).unwrap_or_default();
        if let Some(balanced) = balanced {
            self.work = balanced.work;
        }
        Some((found, exchanged))
    }

    /// Returns the best schedule of a block, and what was exchanged for it.
    fn best(
        &mut self,
        ops: &[usize],
        of: Option<&Loop>,
        reserved: FprSet,
    ) -> Result<(BlockSchedule, Exchanged), ScheduleError> {
        let (found, balanced) = self.work.best(ops, of, reserved)?;
        if let Some(core) = self.taker {
            let work = balanced.as_ref().map_or(&self.work, |b| &b.work);
            self.is_taken &= work.is_taken_over(core, (ops, of), &found, reserved);
        }
        let exchanged = balanced.as_ref().map(Balanced::exchanged).unwrap_or_default();
        if let Some(balanced) = balanced {
            self.work = balanced.work;
        }
        Ok((found, exchanged))
    }

    /// Schedules a loop around other blocks.
    fn nest(&mut self, of: &Loop, body: &[Block]) -> Result<Ready, ScheduleError> {
        let before = self.blocks.len();
        let mut body = self.sequence(body)?;
        let reports = self.blocks.split_off(before);
        body.wait(landing(&self.work.core, &body.bundles));
        body.close_for_loop();
        let mut setup = Vec::new();
        let inst = match of.count {
            TripCount::Fixed(n) if i64::from(n) <= LONGEST_DOI => {
                Inst::new(Exch::Doi, &[n as i32, 0])
            }
            TripCount::Fixed(n) => {
                setup = self.set_count(of, i64::from(n))?;
                Inst::new(Exch::Do, &[i32::from(self.scratch()), 0])
            }
            TripCount::Register { gpr, .. } => Inst::new(Exch::Do, &[i32::from(gpr), 0]),
        };
        let bundles = vec![EMPTY];
        let mut run = Sequenced { bundles, cost: CycleFormula::fixed(1), ..Sequenced::default() };
        let length = body.bundles.len();
        let turns = match of.count {
            TripCount::Fixed(n) => body.cost.times(i64::from(n)),
            TripCount::Register { gpr, .. } => body.cost.times_register(gpr),
        };
        body.cost = turns;
        run.append(&self.work.core, body);
        let end = run.bundles.len() - 2;
        debug_assert_eq!(run.bundles.len(), length + 1);
        run.put_loop(0, end, inst);
        Ok(Ready { run, setup, reports })
    }
}
