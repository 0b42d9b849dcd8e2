//! From the schedule of a loop to a better one: the times are pressed together to a shorter interval, and the solver looks near
//! them for a schedule that keeps every value in its register. Where that fails, it takes smaller steps,
//! and looks longer and elsewhere.

use super::problem::{Problem, kept, lives};
use super::solve::{Outcome, solve};
use crate::Work;
use crate::emit;
use crate::place::{Need, Times};
use crate::search::{BlockSchedule, Given};
use cp2_ir::linear::{Loop, TripCount};
use cp2_isa::FprSet;

/// A way to look for a schedule near another one.
#[derive(Clone, Copy, Debug)]
struct Way {
    /// Cycles around its old time within which an operation is looked for.
    reach: i64,
    /// Most conflicts.
    conflicts: u64,
    /// Orders with which the solver begins.
    turn: u32,
}

const fn way(reach: i64, conflicts: u64, turn: u32) -> Way {
    Way { reach, conflicts, turn }
}

/// The ways that are tried with a longer step than one cycle, in this order.
const HASTY: [Way; 2] = [way(16, 1_500, 0), way(20, 1_500, 1)];

/// The ways that are tried with the shortest step, in this order. Many short trials find more than a few long ones, for the
/// conflicts that a trial takes differ by a factor of thirty.
const PATIENT: [Way; 8] = [
    way(16, 3_000, 0),
    way(20, 3_000, 1),
    way(16, 3_000, 2),
    way(24, 4_000, 3),
    way(12, 3_000, 4),
    way(28, 5_000, 5),
    way(20, 5_000, 6),
    way(16, 10_000, 7),
];

/// Most conflicts to which the solver comes when any schedule of a small loop is looked for.
const FOR_ANY: u64 = 20_000;

/// Numbers of registers, from all that there are on downward, with which any schedule of a small loop is looked for.
const TRIES: usize = 4;

/// Largest problem, in clauses, of which any schedule is looked for.
const SMALL: i64 = 300_000;

/// A loop whose schedule is being improved.
pub(crate) struct Improver<'a, 'w> {
    pub(crate) work: &'a Work<'w>,
    pub(crate) ops: &'a [usize],
    pub(crate) of: &'a Loop,
    pub(crate) reserved: FprSet,
    /// Conflicts that are left.
    pub(crate) conflicts: u64,
}

/// Interval and length of an iteration, in cycles, that are asked for.
#[derive(Clone, Copy, Debug)]
struct Aim {
    ii: i64,
    length: i64,
}

impl Improver<'_, '_> {
    /// Returns the best schedule that was found, which may be the one at the beginning.
    pub(crate) fn improve(&mut self, mut best: BlockSchedule) -> BlockSchedule {
        let least = best.bounds.first;
        let mut step = ((best.ii - least) / 4).max(1);
        while best.ii > least && self.conflicts > 0 {
            let aim = self.shorter_interval(&best, best.ii - step.min(best.ii - least));
            match self.toward(&best, aim, step > 1) {
                Some(better) => best = better,
                None if step > 1 => step /= 2,
                None => break,
            }
        }
        self.shorter_iteration(best)
    }

    /// Makes an iteration shorter at the same interval, where that makes the loop shorter.
    fn shorter_iteration(&mut self, mut best: BlockSchedule) -> BlockSchedule {
        let mut step = 16;
        while step > 0 && matches!(self.of.count, TripCount::Fixed(_)) && self.conflicts > 0 {
            let length = emit::length(&best.times) - step;
            let aim = Aim { ii: best.ii, length };
            match self.toward(&best, aim, true) {
                Some(better) => best = better,
                None => step /= 2,
            }
        }
        best
    }

    /// Returns the aim of a shorter interval: with a fixed count an iteration may take longer while the loop does not.
    fn shorter_interval(&self, best: &BlockSchedule, ii: i64) -> Aim {
        let length = emit::length(&best.times);
        match self.of.count {
            TripCount::Fixed(n) => {
                Aim { ii, length: length + (i64::from(n) - 1) * (best.ii - ii) - 1 }
            }
            TripCount::Register { .. } => Aim { ii, length },
        }
    }

    /// Returns a better schedule of this interval and length, if one is found.
    fn toward(&mut self, best: &BlockSchedule, aim: Aim, is_hasty: bool) -> Option<BlockSchedule> {
        let ways = if is_hasty { &HASTY[..] } else { &PATIENT[..] };
        let near = ways.iter().find_map(|&way| self.ask(best, aim, way));
        near.or_else(|| if is_hasty { None } else { self.ask_for_any(best, aim) })
    }

    /// Looks for any schedule of a small loop, however far from the best one.
    fn ask_for_any(&mut self, best: &BlockSchedule, aim: Aim) -> Option<BlockSchedule> {
        let most = self.work.most_unroll(self.ops, self.of);
        let block = self.work.block(self.ops, true, most).ok()?;
        let needs: Vec<Need> = block.ops.iter().map(|&op| self.work.need(op)).collect();
        let available = self.work.core.fprs().saturating_sub(self.reserved.count());
        let length = match self.of.count {
            TripCount::Fixed(_) => aim.length,
            TripCount::Register { .. } => aim.length + aim.ii,
        };
        // That no more values are alive than there are registers does not mean that there is a place for each.
        for registers in (0..=available).rev().take(TRIES) {
            let mut problem = Problem::new(&block, &needs, (aim.ii, length), &[])?;
            if problem.size() > SMALL {
                return None;
            }
            problem.lives = lives(&self.work.core, &block);
            problem.registers = Some(registers);
            let most = FOR_ANY.min(self.conflicts);
            let (outcome, spent) = solve(&problem, Some(&pressed(best, aim)), (most, 0));
            self.conflicts = self.conflicts.saturating_sub(spent.conflicts.max(1));
            let Outcome::Found(times) = outcome else { return None };
            let given = Given { ii: aim.ii, times, allocation: None };
            let found = self.work.given(self.ops, self.of, self.reserved, given);
            if let Some(found) = found.filter(|found| found.cost.is_below(best.cost)) {
                return Some(found);
            }
        }
        None
    }

    /// Asks the solver once.
    fn ask(&mut self, best: &BlockSchedule, aim: Aim, way: Way) -> Option<BlockSchedule> {
        let block = self.work.block(self.ops, true, best.allocation.unroll).ok()?;
        let needs: Vec<Need> = block.ops.iter().map(|&op| self.work.need(op)).collect();
        let (core, allocation) = (&self.work.core, &best.allocation);
        let pressed = pressed(best, aim);
        let edges = kept(core, &block, &best.times, (best.ii, allocation));
        let mut problem = Problem::new(&block, &needs, (aim.ii, aim.length), &edges)?;
        problem.near(&pressed, way.reach);
        let (outcome, spent) =
            solve(&problem, Some(&pressed), (way.conflicts.min(self.conflicts), way.turn));
        self.conflicts = self.conflicts.saturating_sub(spent.conflicts.max(1));
        let Outcome::Found(times) = outcome else { return None };
        let given = Given { ii: aim.ii, times, allocation: Some(allocation.clone()) };
        let found = self.work.given(self.ops, self.of, self.reserved, given)?;
        found.cost.is_below(best.cost).then_some(found)
    }
}

/// Returns the times of a schedule pressed together to another interval and length.
fn pressed(best: &BlockSchedule, aim: Aim) -> Times {
    let length = emit::length(&best.times);
    let times = best.times.iter().map(|&time| time * aim.ii / best.ii);
    if aim.ii < best.ii {
        return times.collect();
    }
    times.map(|time| time * (aim.length - 1) / (length - 1).max(1)).collect()
}
