//! Why a loop does not take fewer cycles: a better schedule, or what forbids it, or that it is open.

use super::improve::Improver;
use super::problem::{Problem, lives, shortest_lives};
use super::solve::{Outcome, solve};
use crate::address;
use crate::deps::BlockProblem;
use crate::emit;
use crate::known::{Effort, Given, Identity, KnownSchedules, reported};
use crate::loops::{Innermost, innermost_loops};
use crate::place::Need;
use crate::report::BlockReport;
use crate::search::BlockSchedule;
use crate::{RegionReport, ScheduleError, Work};
use cp2_ir::linear::{Loop, Region, TripCount};
use cp2_isa::{Core, FprSet};

/// Clauses above which the solver is asked for a proof only briefly.
const LARGE: i64 = 300_000;

/// Conflicts to which the solver may come for the proof of one interval: of a small loop, and of a large one.
const FOR_A_PROOF: [u64; 2] = [20_000, 500];

/// An obstacle that forbids a shorter interval of a loop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Obstacle {
    /// Operations that need one slot, a bundle each.
    Slot {
        /// Whether it is the exchange slot; otherwise it is the arithmetic slot.
        exchange: bool,
        /// The operations: indices into [`cp2_ir::linear::Region::ops`].
        operations: Vec<usize>,
    },
    /// Each of these operations needs the result of the one before, and the first one that of the last, iterations before.
    Recurrence {
        /// The operations: indices into [`cp2_ir::linear::Region::ops`].
        operations: Vec<usize>,
        /// Least interval in cycles that the recurrence allows.
        cycles: i64,
    },
    /// The values of an iteration are in registers for too many cycles, however soon they are read.
    Lifetimes {
        /// Registers that the values need at the shorter interval.
        needed: i64,
        /// Registers that there are for them.
        available: usize,
        /// The operations whose values live longest, with the cycles.
        longest: Vec<(usize, i64)>,
    },
    /// Dependences and slots forbid it together, or with the number of registers, if each alone does not.
    Together {
        /// Whether the number of registers is needed for that.
        registers: bool,
    },
}

/// The schedule of a loop that [`crate::schedule_as`] takes over.
#[derive(Clone, Debug)]
pub struct LoopSchedule {
    pub(crate) leaf: usize,
    pub(crate) is_exchanged: bool,
    pub(crate) given: Given,
}

/// Knowledge of the shortest schedule of a loop, made by [`answers`].
#[derive(Clone, Debug)]
pub struct Answer {
    /// Initiation interval in cycles of the best schedule that is known.
    pub ii: i64,
    /// Cycles of one iteration in that schedule, from its first operation to its last.
    pub length: i64,
    /// Best schedule that is known, if it is better than the reported one.
    pub better: Option<LoopSchedule>,
    /// Interval in cycles below which no schedule makes the loop shorter. The answer is final if it is [`Answer::ii`].
    pub least: i64,
    /// Obstacles that forbid an interval of one cycle less than [`Answer::least`].
    pub obstacles: Vec<Obstacle>,
    /// Conflicts to which the solver came.
    pub conflicts: u64,
    /// The search that led to the best schedule, earlier ones by whose certificate it began too.
    pub effort: Effort,
    /// Whether the best schedule was found by a solver, now or in such an earlier search.
    pub is_solved: bool,
}

/// Looks for a better schedule of each innermost loop of a region, in program order, and for what forbids a shorter interval.
/// `report` is the report that [`crate::schedule`] gave for the region. The solver comes to at most about `conflicts`
/// conflicts for each loop. The result depends on nothing else. A loop that has the schedule of one of the certificates of
/// `known` is searched on from where that search ended.
///
/// # Errors
/// Returns an error if the region cannot be scheduled, as [`crate::schedule`] does.
pub fn answers(
    core: &Core,
    region: &Region,
    report: &RegionReport,
    (known, conflicts): (&KnownSchedules, u64),
) -> Result<Vec<Answer>, ScheduleError> {
    let mut work = Work::of(core, region, known)?;
    let evens = work.evens(region);
    let loops = innermost_loops(region);
    let found = report.blocks.iter().filter(|block| block.ii.is_some());
    let each = loops.iter().zip(found).map(|(inner, block)| {
        work.even = evens[inner.leaf] & address::parity_kept(&work, &inner.ops, None);
        let is_exchanged = block.exchanged != [0; 2];
        let balanced = is_exchanged.then(|| work.balanced(&inner.ops)).flatten();
        let before = work.effort_before(inner, block)?;
        balanced.as_ref().map_or(&work, |b| &b.work).answer(inner, block, (before, conflicts))
    });
    each.collect()
}

impl Work<'_> {
    /// Returns the search that led to the reported schedule of a loop, as far as a certificate tells.
    fn effort_before(
        &self,
        inner: &Innermost<'_>,
        block: &BlockReport,
    ) -> Result<Option<Effort>, ScheduleError> {
        let problem = self.block(&inner.ops, true, 1)?;
        let identity = Identity::of(self, &problem, inner.ops.len());
        let times = || block.pipeline.iter().flat_map(|p| &p.times).map(|&(_, time)| time);
        let mut certificates = self.known.of_size(inner.ops.len());
        let found = certificates.find(|certificate| {
            certificate.identity == identity
                && block.ii == Some(certificate.given.ii)
                && times().eq(certificate.given.times.iter().copied())
        });
        Ok(found.map(|certificate| certificate.effort))
    }

    fn answer(
        &self,
        inner: &Innermost<'_>,
        block: &BlockReport,
        (earlier, conflicts): (Option<Effort>, u64),
    ) -> Result<Answer, ScheduleError> {
        let Innermost { leaf, of, ops } = inner;
        let reserved = self.fixed.reserved(&(*leaf..leaf + 1));
        let given = reported(&self.block(ops, true, 1)?.webs, block);
        let seed = given.and_then(|given| self.given(ops, of, reserved, given));
        let Some(seed) = seed else { return self.unanswered(inner, block) };
        let (before, first) = (seed.cost, seed.bounds.first);
        let is_solved = earlier.is_some();
        let earlier = earlier.unwrap_or_default();
        let trials = earlier.trials;
        let mut improver = Improver { work: self, ops, of, reserved, conflicts, trials };
        let best = improver.improve(seed);
        let mut proof = Proof { work: self, ops, of, reserved, conflicts: 0 };
        let (least, obstacles) = proof.least(&best, first)?;
        let better = best.cost.is_below(before).then(|| LoopSchedule {
            leaf: *leaf,
            is_exchanged: block.exchanged != [0; 2],
            given: Given {
                ii: best.ii,
                times: best.times.clone(),
                allocation: Some(best.allocation.clone()),
            },
        });
        let conflicts = conflicts - improver.conflicts + proof.conflicts;
        let effort = Effort { conflicts: earlier.conflicts + conflicts, trials: improver.trials };
        let (ii, length) = (best.ii, emit::length(&best.times));
        let is_solved = is_solved || better.is_some();
        Ok(Answer { ii, length, better, least, obstacles, conflicts, effort, is_solved })
    }

    /// Returns the answer where the reported schedule is of no use to the solver.
    fn unanswered(
        &self,
        inner: &Innermost<'_>,
        block: &BlockReport,
    ) -> Result<Answer, ScheduleError> {
        let bounds = self.loop_bounds(&inner.ops, inner.of)?;
        let problem = self.block(&inner.ops, true, 1)?;
        let ii = block.ii.unwrap_or(0);
        let least = bounds.first.min(ii);
        let obstacles = self.plain_obstacles(&problem, least, &bounds.recurrence);
        let length = block.pipeline.iter().flat_map(|p| &p.times).map(|&(_, t)| t + 1).max();
        let (length, effort) = (length.unwrap_or(0), Effort::default());
        let (better, is_solved) = (None, false);
        Ok(Answer { ii, length, better, least, obstacles, conflicts: 0, effort, is_solved })
    }

    /// Returns the slots and the recurrence that forbid an interval below `least`, if they do.
    fn plain_obstacles(
        &self,
        block: &BlockProblem,
        least: i64,
        recurrence: &crate::LowerBound,
    ) -> Vec<Obstacle> {
        let mut obstacles = Vec::new();
        for exchange in [false, true] {
            let operations: Vec<usize> = block
                .ops
                .iter()
                .copied()
                .filter(|&op| self.need(op).exchange == exchange)
                .collect();
            if operations.len() as i64 >= least {
                obstacles.push(Obstacle::Slot { exchange, operations });
            }
        }
        if recurrence.cycles >= least && !recurrence.operations.is_empty() {
            let (operations, cycles) = (recurrence.operations.clone(), recurrence.cycles);
            obstacles.push(Obstacle::Recurrence { operations, cycles });
        }
        obstacles
    }
}

/// The search for what forbids shorter intervals.
struct Proof<'a, 'w> {
    work: &'a Work<'w>,
    ops: &'a [usize],
    of: &'a Loop,
    reserved: FprSet,
    conflicts: u64,
}

impl Proof<'_, '_> {
    /// Returns the interval from `first` on below which no schedule makes the loop shorter, and what forbids one of a cycle less.
    fn least(
        &mut self,
        best: &BlockSchedule,
        first: i64,
    ) -> Result<(i64, Vec<Obstacle>), ScheduleError> {
        let unroll = best.allocation.unroll;
        let block = self.work.block(self.ops, true, unroll)?;
        let mut least = first.min(best.ii);
        let mut obstacles = self.work.plain_obstacles(&block, least, &best.bounds.recurrence);
        while least < best.ii {
            let Some(obstacle) = self.forbidden(best, &block, least) else { break };
            obstacles = vec![obstacle];
            least += 1;
        }
        Ok((least, obstacles))
    }

    /// Returns what forbids an interval, if that is found.
    fn forbidden(
        &mut self,
        best: &BlockSchedule,
        block: &BlockProblem,
        ii: i64,
    ) -> Option<Obstacle> {
        if let Some(obstacle) = self.lifetimes(block, ii) {
            return Some(obstacle);
        }
        // With the registers that all iterations may want, since another schedule may have more of them than this one.
        let widest =
            self.work.block(self.ops, true, self.work.most_unroll(self.ops, self.of)).ok()?;
        let needs: Vec<Need> = widest.ops.iter().map(|&op| self.work.need(op)).collect();
        let TripCount::Fixed(n) = self.of.count else {
            let problem = Problem::unlimited(&widest, &needs, ii);
            return self.refuted(problem).then_some(Obstacle::Together { registers: false });
        };
        // A loop takes at least `(n - 1) * ii` cycles and those of one iteration.
        let length = best.cost.least - 1 - (i64::from(n) - 1) * ii;
        let problem = || Problem::new(&widest, &needs, (ii, length), &[]);
        if self.refuted(problem()) {
            return Some(Obstacle::Together { registers: false });
        }
        let crowded = problem().map(|problem| Problem {
            lives: lives(&self.work.core, &widest),
            registers: Some(self.available()),
            ..problem
        });
        self.refuted(crowded).then_some(Obstacle::Together { registers: true })
    }

    /// Whether the solver proves that a problem has no schedule.
    fn refuted(&mut self, problem: Option<Problem>) -> bool {
        let Some(problem) = problem else { return true };
        let most = FOR_A_PROOF[usize::from(problem.size() > LARGE)];
        let (outcome, spent) = solve(&problem, None, (most, 0));
        self.conflicts += spent.conflicts;
        matches!(outcome, Outcome::Impossible)
    }

    fn available(&self) -> usize {
        self.work.core.fprs().saturating_sub(self.reserved.count())
    }

    /// Returns the lifetimes that forbid an interval, if they are too long together.
    fn lifetimes(&self, block: &BlockProblem, ii: i64) -> Option<Obstacle> {
        let mut all = shortest_lives(&self.work.core, block, ii)?;
        let needed = (all.iter().map(|&(_, cycles)| cycles).sum::<i64>() + ii - 1) / ii;
        let available = self.available();
        if needed <= available as i64 {
            return None;
        }
        all.sort_by_key(|&(op, cycles)| (-cycles, op));
        let longest = all.iter().take(8).map(|&(op, cycles)| (block.ops[op], cycles)).collect();
        Some(Obstacle::Lifetimes { needed, available, longest })
    }
}
