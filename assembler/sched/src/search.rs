//! The search for a schedule of one block: which interval, which order, whether the registers fit.

use super::deps::BlockProblem;
use super::emit::{self, Pipeline, Plan};
use super::exact::{self, Exact};
use super::place::{Need, Order, Times, place};
use super::registers::{self, Allocation, Lifetimes, allocate, lifetimes};
use super::report::{self, LowerBound};
use super::shortage::Shortage;
use super::{ScheduleError, Work};
use cp2_ir::linear::{Loop, TripCount};
use cp2_isa::FprSet;

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
    pub(super) cost: i64,
    pub(super) bounds: Bounds,
}

impl BlockSchedule {
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

/// Lower bounds of a block's cycles, or of a loop's interval.
pub(super) struct Bounds {
    /// Operations in the fuller slot.
    pub(super) resources: i64,
    pub(super) recurrence: LowerBound,
    /// The interval that the search begins with.
    first: i64,
}

impl Bounds {
    fn of(work: &Work<'_>, block: &BlockProblem) -> Self {
        let exchange = block.ops.iter().filter(|&&op| work.need(op).exchange).count();
        let resources = exchange.max(block.ops.len() - exchange) as i64;
        let ((cycles, operations), with_registers) = block.recurrence_bounds();
        let operations = operations.into_iter().map(|op| block.ops[op]).collect();
        let first = resources.max(with_registers);
        Self { resources, recurrence: LowerBound { cycles, operations }, first }
    }

    /// Returns the least interval that the bounds allow.
    pub(super) fn least(&self) -> i64 {
        self.resources.max(self.recurrence.cycles)
    }
}

/// Intervals without a schedule after which the steps between intervals double.
const PATIENCE: u32 = 24;

/// The progress of a search.
struct Search {
    /// The best schedule, its interval and its cost.
    best: Option<(Candidate, i64, i64)>,
    /// A cost that the schedule must be below.
    limit: Option<i64>,
    shortage: Option<Shortage>,
    /// Intervals for which nothing was found.
    failures: u32,
}

impl Search {
    fn is_below(&self, cost: i64) -> bool {
        let best = self.best.as_ref().map(|&(_, _, best)| best).or(self.limit);
        best.is_none_or(|best| cost < best)
    }
}

/// The form in which a loop becomes bundles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    /// All iterations as straight code.
    Flat(i64),
    /// With a hardware loop: iterations that are emitted, and how often the kernel then runs.
    Pipelined { pipeline: Pipeline, emitted: i64, passes: Passes },
}

/// The number of times that the kernel runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Passes {
    Fixed(i64),
    /// (count in the register - less) / unroll.
    Register {
        gpr: u8,
        less: i64,
    },
}

impl Work<'_> {
    /// Schedules operations without a loop.
    pub(super) fn straight(
        &self,
        ops: &[usize],
        reserved: FprSet,
    ) -> Result<BlockSchedule, ScheduleError> {
        let (core, block) = (&self.core, self.block(ops, false, 1)?);
        let ops = &block.ops;
        let needs: Vec<_> = ops.iter().map(|&op| self.need(op)).collect();
        let mut best: Option<(Times, Allocation)> = None;
        let mut shortage = None;
        for order in Order::ALL {
            let Some(times) = place(&block.graph, &needs, None, order) else { continue };
            let is_shorter = |(t, _): &(Times, _)| emit::length(&times) < emit::length(t);
            if !best.as_ref().is_none_or(is_shorter) {
                continue;
            }
            match allocate(core, &block, &lifetimes(core, &block, &times), None, 1, reserved) {
                Ok(allocation) => best = Some((times, allocation)),
                Err(s) => shortage = Some(s.or_less(shortage)),
            }
        }
        let Some((times, allocation)) = best else {
            return Err(self.does_not_fit(ops, shortage));
        };
        let cost = emit::length(&times);
        let bounds = Bounds::of(self, &block);
        Ok(BlockSchedule { block, times, allocation, ii: 0, shape: Shape::Flat(1), cost, bounds })
    }

    /// Schedules the body of an innermost loop; `None` if nothing is found whose cost is below
    /// `limit`.
    pub(super) fn pipelined(
        &self,
        ops: &[usize],
        of: &Loop,
        reserved: FprSet,
        limit: Option<i64>,
    ) -> Result<Option<BlockSchedule>, ScheduleError> {
        let most = self.most_unroll(ops, of);
        let block = self.block(ops, true, most)?;
        let needs: Vec<_> = block.ops.iter().map(|&op| self.need(op)).collect();
        let bounds = Bounds::of(self, &block);
        let mut search = Search { best: None, limit, shortage: None, failures: 0 };
        let body = Body { work: self, block: &block, needs: &needs, of, reserved };
        body.intervals(&bounds, &mut search);
        if search.best.is_none() && limit.is_none() {
            let alone = one_at_a_time(&block, &needs);
            let (times, ii) = alone.ok_or_else(|| self.does_not_fit(&block.ops, None))?;
            // What lands behind the last bundle may have to land before the next iteration.
            let most = ii + i64::from(self.core.latencies().longest());
            for ii in ii..=most {
                if search.best.is_none() {
                    body.attempt(times.clone(), ii, &mut search);
                }
            }
        }
        match (search.best, limit) {
            (Some((candidate, ii, cost)), _) => {
                let (times, allocation, shape) = candidate;
                Ok(Some(BlockSchedule { block, times, allocation, ii, shape, cost, bounds }))
            }
            (None, Some(_)) => Ok(None),
            (None, None) => Err(self.does_not_fit(&block.ops, search.shortage)),
        }
    }

    /// Returns lower bounds of the interval of a loop's body.
    pub(super) fn loop_bounds(&self, ops: &[usize], of: &Loop) -> Result<Bounds, ScheduleError> {
        Ok(Bounds::of(self, &self.block(ops, true, self.most_unroll(ops, of))?))
    }

    /// Returns the least interval that the body of a loop could have, from `from` to `found`.
    pub(super) fn exact(
        &self,
        ops: &[usize],
        of: &Loop,
        from: i64,
        found: i64,
    ) -> Result<Exact, ScheduleError> {
        let block = self.block(ops, true, self.most_unroll(ops, of))?;
        let needs: Vec<_> = block.ops.iter().map(|&op| self.need(op)).collect();
        Ok(exact::least_interval(&block, &needs, from, found))
    }

    /// Returns the most iterations after which registers may repeat.
    fn most_unroll(&self, ops: &[usize], of: &Loop) -> i64 {
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
}

impl Body<'_> {
    /// Tries intervals from the bound on.
    fn intervals(&self, bounds: &Bounds, search: &mut Search) {
        let graph = &self.block.graph;
        let mut ii = bounds.first;
        let last = ii + 9 * self.needs.len() as i64 + 16;
        let heights = graph.heights(1 << 40).unwrap_or_default();
        let shortest = heights.into_iter().max().unwrap_or(0).max(bounds.resources);
        while ii <= last && search.is_below(least_rank(self.of, ii, shortest)) {
            for order in Order::ALL {
                if let Some(times) = place(graph, self.needs, Some(ii), order) {
                    self.attempt(times, ii, search);
                }
            }
            search.failures += u32::from(search.best.is_none());
            ii += (1 + ii / 128) << (search.failures / PATIENCE).min(8);
        }
    }

    /// Finds registers and a shape for these times, if the schedule would be the best so far.
    fn attempt(&self, times: Times, ii: i64, search: &mut Search) {
        let core = &self.work.core;
        let lifetimes = lifetimes(core, self.block, &times);
        let Some(unroll) = self.unroll(&lifetimes, ii) else { return };
        let cost = rank(self.of, ii, emit::length(&times), unroll);
        if !search.is_below(cost) {
            return;
        }
        match allocate(core, self.block, &lifetimes, Some(ii), unroll, self.reserved) {
            Ok(allocation) => {
                if let Some(shape) = self.best_shape(&times, &allocation, ii) {
                    search.best = Some(((times, allocation, shape), ii, cost));
                }
            }
            Err(s) => search.shortage = Some(s.or_less(search.shortage.take())),
        }
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

    /// Returns the shape of the loop for these times and registers; `None` if there is no such loop.
    fn best_shape(&self, times: &Times, allocation: &Allocation, ii: i64) -> Option<Shape> {
        let plan = Plan { work: self.work, block: self.block, times, allocation };
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

/// Returns the times of a loop of which no two iterations overlap, and the interval that this takes.
fn one_at_a_time(block: &BlockProblem, needs: &[Need]) -> Option<(Times, i64)> {
    let times = place(&block.graph, needs, None, Order::HEIGHT)?;
    let carried = block.graph.edges.iter().filter(|e| e.distance > 0).map(|e| {
        let late = times[e.from] + e.latency - times[e.to];
        (late + e.distance - 1).div_euclid(e.distance)
    });
    let ii = carried.max().unwrap_or(1).max(emit::length(&times)).max(2);
    Some((times, ii))
}

/// A schedule of a loop.
type Candidate = (Times, Allocation, Shape);

/// Returns the cost of a schedule of a loop, in cycles of the whole loop; for a count that is not known, an interval counts
/// more than anything else. A longer kernel counts a little.
fn rank(of: &Loop, ii: i64, length: i64, unroll: i64) -> i64 {
    match of.count {
        TripCount::Fixed(n) => ((i64::from(n) - 1) * ii + length) * 64 + unroll.min(63),
        TripCount::Register { .. } => ii << 40 | length << 8 | unroll.min(255),
    }
}

/// Returns the least cost of a schedule of this interval; an iteration takes at least `shortest` cycles.
fn least_rank(of: &Loop, ii: i64, shortest: i64) -> i64 {
    match of.count {
        TripCount::Fixed(n) => ((i64::from(n) - 1) * ii + shortest) * 64,
        TripCount::Register { .. } => ii << 40,
    }
}
