//! The search for a schedule of one block: which interval, which order, whether the registers fit.

use super::deps::Block;
use super::emit::{self, Pipeline, Plan};
use super::exact::{self, Exact};
use super::place::{Need, Order, Times, place};
use super::registers::{Allocation, Shortage, allocate};
use super::report::Bound;
use super::{Trouble, Work};
use crate::linear::{Count, Loop};

/// Bundles that the kernel of one loop may take.
const LONGEST_KERNEL: i64 = 2048;

/// Iterations that one pass of a kernel may begin.
const MOST_UNROLL: i64 = 16;

/// A placed and allocated block.
pub(super) struct Found {
    pub(super) block: Block,
    pub(super) times: Times,
    pub(super) allocation: Allocation,
    /// Interval of a loop.
    pub(super) ii: i64,
    pub(super) shape: Shape,
    pub(super) resource_bound: i64,
    pub(super) recurrence_bound: Bound,
}

/// How a loop becomes bundles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    /// All iterations as straight code.
    Flat(i64),
    /// With a hardware loop: iterations that are emitted, and how often the kernel then runs.
    Pipelined { pipeline: Pipeline, emitted: i64, passes: Passes },
}

/// How often the kernel runs.
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
    fn resources(&self, ops: &[usize]) -> [usize; 2] {
        let exchange = ops.iter().filter(|&&op| self.need(op).exchange).count();
        [ops.len() - exchange, exchange]
    }

    /// Schedules operations without a loop.
    pub(super) fn straight(&self, ops: &[usize], reserved: u64) -> Result<Found, Trouble> {
        let block = self.block(ops, false, 1)?;
        let ops = &block.ops;
        let needs: Vec<_> = ops.iter().map(|&op| self.need(op)).collect();
        let mut best: Option<(Times, Allocation)> = None;
        let mut shortage = None;
        for order in Order::ALL {
            let Some(times) = place(&block.graph, &needs, None, order) else { continue };
            match allocate(&block, &times, None, 1, reserved) {
                Ok(allocation) => {
                    let shorter = |(t, _): &(Times, _)| emit::length(&times) < emit::length(t);
                    if best.as_ref().is_none_or(shorter) {
                        best = Some((times, allocation));
                    }
                }
                Err(s) => shortage = Some(s),
            }
        }
        let Some((times, allocation)) = best else {
            return Err(self.does_not_fit(ops, shortage));
        };
        let resource_bound = self.resources(ops).into_iter().max().unwrap_or(0) as i64;
        let recurrence_bound = Bound::default();
        let shape = Shape::Flat(1);
        Ok(Found { block, times, allocation, ii: 0, shape, resource_bound, recurrence_bound })
    }

    /// Schedules the body of an innermost loop.
    pub(super) fn pipelined(
        &self,
        ops: &[usize],
        of: &Loop,
        reserved: u64,
    ) -> Result<Found, Trouble> {
        let most = self.most_unroll(ops, of);
        let block = self.block(ops, true, most)?;
        let ops = &block.ops.clone();
        let needs: Vec<_> = ops.iter().map(|&op| self.need(op)).collect();
        let resource_bound = self.resources(ops).into_iter().max().unwrap_or(0) as i64;
        let (recurrence, operations) = block.graph.recurrence_bound();
        let recurrence_bound = Bound {
            cycles: recurrence,
            operations: operations.into_iter().map(|op| ops[op]).collect(),
        };
        let mut ii = resource_bound.max(recurrence);
        let last = ii + 9 * ops.len() as i64 + 16;
        let heights = block.graph.heights(1 << 40).unwrap_or_default();
        let shortest = heights.into_iter().max().unwrap_or(0).max(resource_bound);
        let mut shortage = None;
        let mut best: Option<(Candidate, i64, i64)> = None;
        while ii <= last
            && best.as_ref().is_none_or(|&(_, _, cost)| worth_trying(of, ii, shortest, cost))
        {
            for order in Order::ALL {
                let Some(times) = place(&block.graph, &needs, Some(ii), order) else { continue };
                match self.shaped(&block, of, times, ii, reserved) {
                    Ok(Some(new)) => {
                        let cost = rank(of, ii, &new);
                        if best.as_ref().is_none_or(|&(_, _, old)| cost < old) {
                            best = Some((new, ii, cost));
                        }
                    }
                    Ok(None) => {}
                    Err(s) => shortage = Some(s),
                }
            }
            ii += 1 + ii / 128;
        }
        if let Some(((times, allocation, shape), ii, _)) = best {
            return Ok(Found {
                block,
                times,
                allocation,
                ii,
                shape,
                resource_bound,
                recurrence_bound,
            });
        }
        let (times, ii) =
            one_at_a_time(&block, &needs).ok_or_else(|| self.does_not_fit(ops, None))?;
        match self.shaped(&block, of, times, ii, reserved) {
            Ok(Some((times, allocation, shape))) => {
                Ok(Found { block, times, allocation, ii, shape, resource_bound, recurrence_bound })
            }
            Ok(None) => Err(self.does_not_fit(ops, shortage)),
            Err(s) => Err(self.does_not_fit(ops, Some(s))),
        }
    }

    /// The least interval that the body of a loop could have, from `from` to `found`.
    pub(super) fn exact(
        &self,
        ops: &[usize],
        of: &Loop,
        from: i64,
        found: i64,
    ) -> Result<Exact, Trouble> {
        let block = self.block(ops, true, self.most_unroll(ops, of))?;
        let needs: Vec<_> = block.ops.iter().map(|&op| self.need(op)).collect();
        Ok(exact::least_interval(&block, &needs, from, found))
    }

    /// The most iterations after which registers may repeat.
    fn most_unroll(&self, ops: &[usize], of: &Loop) -> i64 {
        let cap = (LONGEST_KERNEL / ops.len().max(1) as i64).clamp(1, MOST_UNROLL);
        match of.count {
            Count::Fixed(n) => cap.min(i64::from(n)),
            Count::Register { multiple, .. } => (1..=cap)
                .rev()
                .find(|u| i64::from(multiple) % u == 0 && u & (u - 1) == 0)
                .unwrap_or(1),
        }
    }

    /// Registers and the shape of the loop for these times; `None` if there is no such loop.
    fn shaped(
        &self,
        block: &Block,
        of: &Loop,
        times: Times,
        ii: i64,
        reserved: u64,
    ) -> Result<Option<(Times, Allocation, Shape)>, Shortage> {
        let multiple = match of.count {
            Count::Fixed(_) => 0,
            Count::Register { multiple, .. } => i64::from(multiple),
        };
        let least = (2 + ii - 1) / ii;
        let usable =
            |u: i64| u >= least && (multiple == 0 || multiple % u == 0 && u & (u - 1) == 0);
        let needed = super::registers::unroll(block, &times, ii);
        let Some(unroll) = (needed..=needed.max(2) * 8).find(|&u| usable(u)) else {
            return Ok(None);
        };
        let allocation = allocate(block, &times, Some(ii), unroll, reserved)?;
        let plan = Plan { work: self, block, times: &times, allocation: &allocation };
        let shapes = emit::kernel_starts(&plan, ii).into_iter().map(|(start, own_bundle)| {
            let pipeline = Pipeline { ii, unroll, start, own_bundle };
            self.shape(of, pipeline)
        });
        let possible = |shape: &Shape| match *shape {
            Shape::Pipelined { pipeline, emitted, .. } if pipeline.own_bundle => {
                plan.can_wait(ii, emitted, pipeline)
            }
            _ => true,
        };
        let shape = shapes.flatten().find(possible);
        Ok(shape.map(|shape| (times, allocation, shape)))
    }

    /// The loop with this pipeline, if it runs often enough for it.
    fn shape(&self, of: &Loop, pipeline: Pipeline) -> Option<Shape> {
        let Pipeline { ii, unroll, start, .. } = pipeline;
        match of.count {
            Count::Fixed(n) => {
                let n = i64::from(n);
                let passes = (n * ii - start) / (unroll * ii);
                if passes < 2 {
                    return Some(Shape::Flat(n));
                }
                let emitted = n - (passes - 1) * unroll;
                Some(Shape::Pipelined { pipeline, emitted, passes: Passes::Fixed(passes) })
            }
            Count::Register { gpr, min, .. } => {
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

    fn does_not_fit(&self, ops: &[usize], shortage: Option<Shortage>) -> Trouble {
        let Some(shortage) = shortage else {
            let span = ops.first().and_then(|&op| self.ops[op].span.clone());
            let help = "split the block, or promise a greater `min=` of the loop";
            let message = "no schedule of this block has been found".to_owned();
            return Trouble::new("C0606", span, message, help);
        };
        let span = self.ops[ops[shortage.op]].span.clone();
        let wanted = match shortage.wanted {
            1 => "a register".to_owned(),
            n => format!("{n} neighbouring registers"),
        };
        let message = format!(
            "the registers do not suffice: {wanted} for the result of this line, where {} of 64 are in use",
            shortage.pressure
        );
        let help =
            "let fewer values live at once: use results sooner, store them, or split the block";
        Trouble::new("C0605", span, message, help)
    }
}

/// Times of a loop of which no two iterations overlap, and the interval that this takes.
fn one_at_a_time(block: &Block, needs: &[Need]) -> Option<(Times, i64)> {
    let times = place(&block.graph, needs, None, Order::Height)?;
    let carried = block.graph.edges.iter().filter(|e| e.distance > 0).map(|e| {
        let late = times[e.from] + e.latency - times[e.to];
        (late + e.distance - 1).div_euclid(e.distance)
    });
    let ii = carried.max().unwrap_or(1).max(emit::length(&times)).max(2);
    Some((times, ii))
}

/// A schedule of a loop.
type Candidate = (Times, Allocation, Shape);

/// What a schedule of a loop costs, in cycles of the whole loop; for a count that is not known, an
/// interval counts more than anything else. A longer kernel counts a little.
fn rank(of: &Loop, ii: i64, (times, allocation, _): &Candidate) -> i64 {
    let length = emit::length(times);
    match of.count {
        Count::Fixed(n) => ((i64::from(n) - 1) * ii + length) * 64 + allocation.unroll.min(63),
        Count::Register { .. } => ii << 40 | length << 8 | allocation.unroll.min(255),
    }
}

/// Whether a schedule of this interval can be better than one of this rank; an iteration takes at
/// least `shortest` cycles.
fn worth_trying(of: &Loop, ii: i64, shortest: i64, rank: i64) -> bool {
    match of.count {
        Count::Fixed(n) => ((i64::from(n) - 1) * ii + shortest) * 64 < rank,
        Count::Register { .. } => ii << 40 < rank,
    }
}
