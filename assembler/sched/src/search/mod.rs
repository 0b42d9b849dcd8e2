//! The search for a schedule of one block: which interval, which order, whether the registers fit.

mod cases;
mod certified;
mod given;
pub(super) mod shape;
mod taken;

use crate::deps::BlockProblem;
use crate::emit::{self, Pipeline, Plan};
use crate::pairing::Balanced;
use crate::place::{Need, Placing, Times};
use crate::registers::{self, Allocation, Lifetimes, RETRIES, allocate, lifetimes};
use crate::report::{self, LowerBound};
use crate::run::landing;
use crate::shortage::Shortage;
use crate::{ScheduleError, Work};
use cp2_ir::linear::{Loop, TripCount};
use cp2_isa::FprSet;
use shape::{Cost, Passes, Shape};

/// Bundles that the kernel of one loop may take.
const LONGEST_KERNEL: i64 = 2048;

/// Iterations that one pass of a kernel may begin.
const MOST_UNROLL: i64 = 16;

/// A placed and allocated block.
pub(super) struct BlockSchedule {
    pub(super) block: BlockProblem,
    pub(super) times: Times,
    pub(super) allocation: Allocation,
    /// Interval of a loop.
    pub(super) ii: i64,
    pub(super) shape: Shape,
    /// Cost by which the schedule is compared with others of the same block.
    pub(super) cost: Cost,
    pub(super) bounds: Bounds,
}

impl BlockSchedule {
    /// Whether the interval of a loop without an expected count is as short as the bounds allow.
    fn has_least_interval(&self, of: Option<&Loop>) -> bool {
        of.is_some_and(shape::is_open) && self.ii <= self.bounds.first
    }

    /// Whether no schedule of the block takes fewer cycles, by its bounds.
    fn is_shortest(&self, of: Option<&Loop>) -> bool {
        let Bounds { first, shortest, .. } = self.bounds;
        let least = of.map_or(Cost::of_straight(shortest, 0).rank, |of| {
            shape::least_rank(of, first, shortest, 0)
        });
        shape::without_ties(of, self.cost.rank) <= least
    }

    /// Returns the cost of a loop's schedule, which may have been made for another expected count.
    fn cost_of(&self, work: &Work<'_>, (of, is_small): (&Loop, bool)) -> Cost {
        let (block, times, allocation) = (&self.block, &self.times, &self.allocation);
        let emitted = Plan { work, block, times, allocation }.shaped(&self.shape, self.ii);
        let cycles = self.shape.whole(&work.core, &emitted, self.ii);
        Cost::of((of, is_small), &cycles, allocation.unroll)
    }

    /// Returns a loop's schedule as it is told.
    pub(super) fn pipeline(&self, work: &Work<'_>) -> report::Pipeline {
        let (block, times) = (&self.block, &self.times);
        let intervals = lifetimes(&work.core, block, times);
        let webs = block.webs.webs.iter().zip(intervals).zip(&self.allocation.registers);
        let values = webs.flat_map(|((web, intervals), registers)| {
            let each = web.values.iter().zip(intervals);
            each.map(|(&value, (first, last))| report::Lifetime {
                op: block.ops[block.webs.values[value].def],
                name: block.webs.name(value),
                registers: registers.clone(),
                first,
                last,
            })
        });
        let kernel = match self.shape {
            Shape::Flat(_) => None,
            Shape::Pipelined { pipeline: Pipeline { ii, unroll, start, .. }, .. } => {
                Some(report::PipelineKernel { bundle: 0, length: unroll * ii, start })
            }
        };
        report::Pipeline {
            times: block.ops.iter().copied().zip(times.iter().copied()).collect(),
            values: values.collect(),
            kernel,
        }
    }
}

/// The schedule of a block, with the region that it is for if operations were exchanged.
type Scheduled<'a> = (BlockSchedule, Option<Balanced<'a>>);

/// Lower bounds of a block's cycles, or of a loop's interval.
pub(super) struct Bounds {
    /// Operations in the fuller slot.
    pub(super) resources: i64,
    pub(super) recurrence: LowerBound,
    /// The interval that the search begins with.
    pub(super) first: i64,
    /// Cycles that no schedule of the operations, each once, is shorter than.
    shortest: i64,
}

impl Bounds {
    fn of(work: &Work<'_>, block: &BlockProblem) -> Self {
        let exchange = block.ops.iter().filter(|&&op| work.need(op).exchange).count();
        let resources = exchange.max(block.ops.len() - exchange) as i64;
        let ((cycles, operations), with_registers) = block.recurrence_bounds();
        let operations = operations.into_iter().map(|op| block.ops[op]).collect();
        let first = resources.max(with_registers).max(block.placing().recurrence_bound().0);
        let heights = block.placing().heights(1 << 40).unwrap_or_default();
        let shortest = heights.into_iter().max().map_or(0, |height| height + 1).max(resources);
        Self { resources, recurrence: LowerBound { cycles, operations }, first, shortest }
    }

    /// Returns the least interval that the bounds allow.
    pub(super) fn least(&self) -> i64 {
        self.resources.max(self.recurrence.cycles)
    }
}

/// Intervals without a schedule after which the steps between intervals of a large block double.
const PATIENCE: u32 = 24;

/// Bounds beyond which a search finds nothing of use.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limit {
    /// Rank from which on a schedule is of no use.
    pub(super) rank: i64,
    /// Longest interval that is tried; with a limit there is no trial of one iteration at a time.
    pub(super) ii: Option<i64>,
    /// Whether every interval is tried.
    pub(super) is_dense: bool,
}

impl Limit {
    /// No limit.
    pub(super) const NONE: Self = Self { rank: i64::MAX, ii: None, is_dense: true };
}

/// The progress of a search.
struct Search {
    /// The best schedule, its interval and its cost.
    best: Option<(Candidate, i64, Cost)>,
    limit: Limit,
    /// Most cycles that the schedule may take for the least count.
    most: Option<i64>,
    shortage: Option<Shortage>,
}

impl Search {
    /// Whether a schedule of this rank would be the best.
    fn is_below(&self, rank: i64) -> bool {
        rank < self.best.as_ref().map_or(self.limit.rank, |(_, _, best)| best.rank)
    }
}

impl<'a> Work<'a> {
    /// Returns the better schedule of a block as it was written and with operations exchanged. Those beyond
    /// the limit may be missed.
    fn scheduled(
        &self,
        ops: &[usize],
        of: Option<&Loop>,
        reserved: FprSet,
        limit: Limit,
    ) -> Result<Scheduled<'a>, ScheduleError> {
        let one = |work: &Self, limit| match of {
            Some(of) => work.pipelined(ops, of, reserved, limit),
            None => work.straight(ops, reserved, limit),
        };
        let Some(balanced) = self.balanced(ops) else { return Ok((one(self, limit)?, None)) };
        let Ok(found) = one(&balanced.work, limit) else { return Ok((one(self, limit)?, None)) };
        // As it was written it must be no worse to be kept.
        let most = found.cost.rank;
        match one(self, Limit { rank: limit.rank.min(most + 1), ..limit }) {
            Ok(plain) if plain.cost.rank <= most => Ok((plain, None)),
            _ => Ok((found, Some(balanced))),
        }
    }
}

impl Work<'_> {
    /// Schedules operations without a loop.
    fn straight(
        &self,
        ops: &[usize],
        reserved: FprSet,
        limit: Limit,
    ) -> Result<BlockSchedule, ScheduleError> {
        let (core, block) = (&self.core, self.block(ops, false, 1)?);
        let ops = &block.ops;
        let needs: Vec<_> = ops.iter().map(|&op| self.need(op)).collect();
        let bounds = Bounds::of(self, &block);
        if Cost::of_straight(bounds.shortest, 0).rank >= limit.rank {
            return Err(self.does_not_fit(ops, None));
        }
        let mut best: Option<(Times, Allocation, Cost)> = None;
        let mut shortage = None;
        let placing = Placing::new(block.placing(), &needs, None);
        for times in placing.iter().flat_map(Placing::placed) {
            if !self.allowance.spend(ops.len()) {
                return Err(self.broken_off());
            }
            let limit = best.as_ref().map_or(limit.rank, |(_, _, cost)| cost.rank);
            let least = Cost::of_straight(emit::length(&times), 0);
            if least.rank >= limit || !block.allows(&times, None) {
                continue;
            }
            let lifetimes = lifetimes(core, &block, &times);
            match allocate(core, &block, &lifetimes, None, 1, (reserved, RETRIES)) {
                Ok(allocation) => {
                    let plan =
                        Plan { work: self, block: &block, times: &times, allocation: &allocation };
                    let bundles = plan.shaped(&Shape::Flat(1), 0).bundles;
                    let cost = Cost::of_straight(bundles.len() as i64, landing(core, &bundles));
                    best = if cost.rank < limit { Some((times, allocation, cost)) } else { best };
                }
                Err(s) => shortage = Some(s.or_less(shortage)),
            }
        }
        let Some((times, allocation, cost)) = best else {
            return Err(self.does_not_fit(ops, shortage));
        };
        let shape = Shape::Flat(1);
        Ok(BlockSchedule { block, times, allocation, ii: 0, shape, cost, bounds })
    }

    /// Schedules the body of an innermost loop.
    fn pipelined(
        &self,
        ops: &[usize],
        of: &Loop,
        reserved: FprSet,
        limit: Limit,
    ) -> Result<BlockSchedule, ScheduleError> {
        let most = self.most_unroll(ops, of);
        let block = self.block(ops, true, most)?;
        let needs: Vec<_> = block.ops.iter().map(|&op| self.need(op)).collect();
        let longest = shape::longest_interval(of, limit.rank);
        if longest.is_some_and(|ii| block.placing().heights(ii).is_err()) {
            return Err(self.does_not_fit(&block.ops, None));
        }
        let bounds = Bounds::of(self, &block);
        let mut search = Search { best: None, limit, most: None, shortage: None };
        let is_small = ops.len() <= cases::SMALL;
        let body = Body { work: self, block: &block, needs: &needs, of, reserved, is_small };
        if limit.ii.is_none() {
            body.one_at_a_time(&mut search);
        }
        body.intervals(&bounds, &mut search);
        if self.allowance.is_over() {
            return Err(self.broken_off());
        }
        let Some(((times, allocation, shape), ii, cost)) = search.best else {
            return Err(self.does_not_fit(&block.ops, search.shortage));
        };
        Ok(BlockSchedule { block, times, allocation, ii, shape, cost, bounds })
    }

    /// Returns the reason why a search has no result that was broken off.
    fn broken_off(&self) -> ScheduleError {
        ScheduleError::broken_off(&self.region)
    }

    /// Returns lower bounds of the interval of a loop's body.
    pub(super) fn loop_bounds(&self, ops: &[usize], of: &Loop) -> Result<Bounds, ScheduleError> {
        Ok(Bounds::of(self, &self.block(ops, true, self.most_unroll(ops, of))?))
    }

    /// Returns the most iterations after which registers may repeat.
    pub(super) fn most_unroll(&self, ops: &[usize], of: &Loop) -> i64 {
        let cap = (LONGEST_KERNEL / ops.len().max(1) as i64).clamp(1, MOST_UNROLL);
        match of.count {
            TripCount::Fixed(n) => cap.min(i64::from(n)),
            TripCount::Register { multiple, .. } => (1..=cap)
                .rev()
                .find(|u| i64::from(multiple) % u == 0 && u & (u - 1) == 0)
                .unwrap_or(1),
        }
    }
}

/// The body of a loop that is being scheduled.
struct Body<'a> {
    work: &'a Work<'a>,
    block: &'a BlockProblem,
    needs: &'a [Need],
    of: &'a Loop,
    /// Registers that are not for the values of the body.
    reserved: FprSet,
    /// Whether the block is scheduled in all cases.
    is_small: bool,
}

impl Body<'_> {
    /// Returns the number of further orders in which registers are given. A large loop without an expected count gets none: it would
    /// begin iterations sooner and take longer for the small counts that such loops have.
    fn retries(&self) -> usize {
        if self.is_small || !shape::is_open(self.of) { RETRIES } else { 0 }
    }

    /// Takes the work of placing the body once; false if the search has to end.
    fn spend(&self) -> bool {
        self.work.allowance.spend(self.block.ops.len())
    }

    /// Tries schedules in which no two iterations overlap: straight code that is repeated.
    fn one_at_a_time(&self, search: &mut Search) {
        let graph = &self.block.graph;
        let placing = Placing::new(self.block.placing(), self.needs, None);
        let placed = placing.iter().flat_map(Placing::placed);
        for times in placed.filter(|times| self.block.allows(times, None)) {
            let carried = graph.edges.iter().filter(|e| e.distance > 0).map(|e| {
                let late = times[e.from] + e.latency - times[e.to];
                (late + e.distance - 1).div_euclid(e.distance)
            });
            let first = carried.max().unwrap_or(1).max(emit::length(&times)).max(2);
            // What lands behind the last bundle may have to land before the next iteration.
            let most = first + i64::from(self.work.core.latencies().longest());
            (first..=most).any(|ii| !self.spend() || self.attempt(&times, ii, search));
        }
    }

    /// Tries intervals from the bound on. In a large block steps grow while nothing better is found. Where a step led over several
    /// intervals to a better schedule, the least one is looked for among them.
    fn intervals(&self, bounds: &Bounds, search: &mut Search) {
        let (mut ii, mut failed) = (bounds.first, bounds.first - 1);
        let last = search.limit.ii.unwrap_or(ii + 9 * self.needs.len() as i64 + 16);
        let (mut found, mut failures) = (false, 0);
        let is_open = shape::is_open(self.of);
        let is_dense = self.is_small || search.limit.is_dense && !is_open;
        while ii <= last
            && !self.work.allowance.is_over()
            && search.is_below(shape::least_rank(self.of, ii, bounds.shortest, 0))
        {
            let is_better = self.interval(ii, search);
            if is_better && ii - failed > 1 && !(found && is_open) {
                self.refine(failed, ii, search);
            }
            found |= is_better;
            failures += u32::from(!found);
            failed = ii;
            let grown = if self.is_small { 0 } else { (failures / PATIENCE).min(8) };
            ii += if is_dense { 1 << grown } else { (1 + ii / 128) << grown };
        }
    }

    /// Tries intervals between one that gave nothing better and one that did. Where no count is expected, a shorter one does not
    /// make up for a loop that takes longer if it runs as seldom as is promised.
    fn refine(&self, mut failed: i64, mut found: i64, search: &mut Search) {
        search.most = search.best.as_ref().map(|(_, _, cost)| cost.least);
        while found - failed > 1 && !self.work.allowance.is_over() {
            let middle = failed + (found - failed) / 2;
            *if self.interval(middle, search) { &mut found } else { &mut failed } = middle;
        }
        search.most = None;
    }

    /// Tries one interval; true if that gave a better schedule.
    fn interval(&self, ii: i64, search: &mut Search) -> bool {
        let mut is_better = false;
        let mut tried: Vec<Times> = Vec::new();
        let placing = Placing::new(self.block.placing(), self.needs, Some(ii));
        let Some(placing) = placing else { return false };
        let least = shape::least_rank(self.of, ii, placing.least_length(), 0);
        for times in placing.placed() {
            if !search.is_below(least) || !self.spend() {
                break;
            }
            if !tried.contains(&times) {
                is_better |= self.attempt(&times, ii, search);
                tried.push(times);
            }
        }
        is_better
    }

    /// Finds registers and a shape for these times; true if the schedule is the best so far.
    fn attempt(&self, times: &Times, ii: i64, search: &mut Search) -> bool {
        let core = &self.work.core;
        if !self.block.allows(times, Some(ii)) {
            return false;
        }
        let lifetimes = lifetimes(core, self.block, times);
        let Some(unroll) = self.unroll(&lifetimes, ii) else { return false };
        if !search.is_below(shape::least_rank(self.of, ii, emit::length(times), unroll)) {
            return false;
        }
        let within = (self.reserved, self.retries());
        match allocate(core, self.block, &lifetimes, Some(ii), unroll, within) {
            Ok(allocation) => self.shaped(times.clone(), allocation, ii, search),
            Err(s) => {
                search.shortage = Some(s.or_less(search.shortage.take()));
                false
            }
        }
    }

    /// Finds a shape for these times and registers; true if the schedule is the best so far.
    fn shaped(&self, times: Times, allocation: Allocation, ii: i64, search: &mut Search) -> bool {
        let core = &self.work.core;
        let Some(shape) = self.best_shape(&times, &allocation, ii) else { return false };
        let plan = self.plan(&times, &allocation);
        let emitted = plan.shaped(&shape, ii);
        let cycles = shape.whole(core, &emitted, ii);
        let cost = Cost::of((self.of, self.is_small), &cycles, allocation.unroll);
        let is_best =
            search.is_below(cost.rank) && search.most.is_none_or(|most| cost.least <= most);
        if is_best {
            search.best = Some(((times, allocation, shape), ii, cost));
        }
        is_best
    }

    /// Returns the number of iterations in one pass of the kernel, as few as the values and the count allow.
    fn unroll(&self, lifetimes: &Lifetimes, ii: i64) -> Option<i64> {
        let multiple = match self.of.count {
            TripCount::Fixed(_) => 0,
            TripCount::Register { multiple, .. } => i64::from(multiple),
        };
        let least = (2 + ii - 1) / ii;
        let usable =
            |u: i64| u >= least && (multiple == 0 || multiple % u == 0 && u & (u - 1) == 0);
        let needed = registers::iterations(lifetimes, ii);
        (needed..=needed.max(2) * 8).find(|&u| usable(u))
    }

    fn plan<'p>(&'p self, times: &'p Times, allocation: &'p Allocation) -> Plan<'p> {
        Plan { work: self.work, block: self.block, times, allocation }
    }

    /// Returns the shape of the loop for these times and registers; `None` if there is no such loop.
    fn best_shape(&self, times: &Times, allocation: &Allocation, ii: i64) -> Option<Shape> {
        let plan = self.plan(times, allocation);
        let shapes = emit::kernel_starts(&plan, ii).into_iter().map(|(start, own_bundle)| {
            let pipeline = Pipeline { ii, unroll: allocation.unroll, start, own_bundle };
            self.shape(pipeline)
        });
        let possible = |shape: &Shape| match *shape {
            Shape::Pipelined { pipeline, emitted, passes } if pipeline.own_bundle => plan.can_wait(
                ii,
                emitted + self.iterations_within_reach(pipeline, passes),
                pipeline,
            ),
            _ => true,
        };
        shapes.flatten().find(possible)
    }

    /// Returns the number of iterations behind the first pass of the kernel that results from before it may still meet.
    fn iterations_within_reach(&self, pipeline: Pipeline, passes: Passes) -> i64 {
        let reach = i64::from(self.work.core.latencies().longest());
        let enough = reach / (pipeline.unroll * pipeline.ii) + 1;
        let more = match passes {
            Passes::Fixed(n) => (n - 1).min(enough),
            Passes::Register { .. } => enough,
        };
        more * pipeline.unroll
    }

    /// Returns the loop with this pipeline, if it runs often enough for it.
    fn shape(&self, pipeline: Pipeline) -> Option<Shape> {
        let Pipeline { ii, unroll, start, .. } = pipeline;
        match self.of.count {
            TripCount::Fixed(n) => {
                let n = i64::from(n);
                let passes = (n * ii - start) / (unroll * ii);
                if passes < 2 {
                    return Some(Shape::Flat(n));
                }
                let emitted = n - (passes - 1) * unroll;
                Some(Shape::Pipelined { pipeline, emitted, passes: Passes::Fixed(passes) })
            }
            TripCount::Register { gpr, min, .. } => {
                let less = (start + ii - 1) / ii;
                let less = (less + unroll - 1) / unroll * unroll;
                if i64::from(min) < less + unroll {
                    return None;
                }
                let passes = Passes::Register { gpr, less };
                Some(Shape::Pipelined { pipeline, emitted: less + unroll, passes })
            }
        }
    }
}

/// A schedule of a loop.
type Candidate = (Times, Allocation, Shape);
