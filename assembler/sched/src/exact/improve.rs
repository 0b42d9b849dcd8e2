//! From the schedule of a loop to a better one: the times are pressed together to a shorter interval, and the solver looks near
//! them for a schedule that keeps every value in its register. Where that fails, it takes smaller steps,
//! and looks longer and elsewhere. A search is told by its schedule and the number of trials made from it, so it can go on later.

use super::problem::{Problem, kept, lives};
use super::solve::{Outcome, solve};
use crate::Work;
use crate::emit;
use crate::known::Given;
use crate::place::{Need, Times};
use crate::search::BlockSchedule;
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

/// The ways that are tried first for an interval of a cycle less, in this order. Many short trials find more than a few long
/// ones, for the conflicts that a trial takes differ by a factor of thirty.
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

/// Cycles by which an iteration is made shorter at the same interval, in this order.
const SHORTER: [i64; 5] = [16, 8, 4, 2, 1];

/// Reaches of the ways that follow all others, in turns.
const REACHES: [i64; 8] = [14, 18, 22, 26, 32, 10, 16, 20];

/// Most trials from one schedule, of a small loop and of a large one.
const MOST_TRIALS: [u32; 2] = [9 + 2 * SHORTER.len() as u32, 4_000];

/// Operations up to which a loop is small.
const SMALL_LOOP: usize = 256;

/// A trial: the aim, the way, and whether a schedule that is as good, but another one, is looked for.
#[derive(Clone, Copy, Debug)]
enum Trial {
    /// An interval of a cycle less.
    Interval(Way),
    /// An interval of a cycle less, by any schedule of a small loop.
    Any,
    /// An iteration shorter by so many cycles, at the interval at hand.
    Iteration(i64, Way),
    /// A schedule of the interval and length at hand, from times that are moved at random.
    Another(Way),
}

/// Returns the trial of a number: trials from one schedule are made in the order of their numbers.
fn trial(number: u32) -> Trial {
    let (n_patient, n_shorter) = (PATIENT.len(), SHORTER.len());
    let number = number as usize;
    if let Some(&way) = PATIENT.get(number) {
        return Trial::Interval(way);
    }
    if number == n_patient {
        return Trial::Any;
    }
    let next = number - n_patient - 1;
    if next < HASTY.len() * n_shorter {
        return Trial::Iteration(SHORTER[next % n_shorter], HASTY[next / n_shorter]);
    }
    let next = next - HASTY.len() * n_shorter;
    let (round, turn) = (next / 4, 8 + next as u32);
    let reach = REACHES[round % REACHES.len()];
    let conflicts = 3_000 + 500 * (round as u64 % 9);
    match next % 4 {
        0 => Trial::Another(way(reach, 3_000, turn)),
        1 | 3 => Trial::Interval(way(reach, conflicts, turn)),
        _ => Trial::Iteration(1, way(reach, conflicts, turn)),
    }
}

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
    /// Trials that were made from the schedule at hand.
    pub(crate) trials: u32,
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
        let mut step = if self.trials > 0 { 1 } else { (best.ii - least) / 4 };
        while step > 1 && self.conflicts > 0 {
            let aim = self.shorter_interval(&best, (best.ii - step).max(least));
            match HASTY.iter().find_map(|&way| self.ask(&best, aim, way)) {
                Some(better) => best = better,
                None => step /= 2,
            }
            step = step.min(best.ii - least);
        }
        let most = MOST_TRIALS[usize::from(self.ops.len() > SMALL_LOOP)];
        while self.trials < most && self.conflicts > 0 {
            self.trials += 1;
            match self.try_once(&best, trial(self.trials - 1)) {
                Some(better) if better.cost.is_below(best.cost) => {
                    best = better;
                    self.trials = 0;
                }
                Some(other) => best = other,
                None => {}
            }
        }
        best
    }

    /// Makes a trial. Returns a better schedule, or another one that is as good, if that was asked for.
    fn try_once(&mut self, best: &BlockSchedule, trial: Trial) -> Option<BlockSchedule> {
        let is_fixed = matches!(self.of.count, TripCount::Fixed(_));
        let is_shortest = best.ii <= best.bounds.first;
        let length = emit::length(&best.times);
        match trial {
            Trial::Interval(_) | Trial::Any if is_shortest => None,
            Trial::Interval(way) => self.ask(best, self.shorter_interval(best, best.ii - 1), way),
            Trial::Any => self.ask_for_any(best, self.shorter_interval(best, best.ii - 1)),
            Trial::Iteration(step, way) if is_fixed && length > step => {
                self.ask(best, Aim { ii: best.ii, length: length - step }, way)
            }
            Trial::Another(way) if is_fixed || !is_shortest => self.another(best, way),
            Trial::Iteration(..) | Trial::Another(_) => None,
        }
    }

    /// Returns another schedule that is as good, near times that are moved at random, in other registers if there are some.
    fn another(&mut self, best: &BlockSchedule, way: Way) -> Option<BlockSchedule> {
        let aim = Aim { ii: best.ii, length: emit::length(&best.times) };
        let mut random = Random(u64::from(way.turn));
        let moved: Times = best.times.iter().map(|time| time + random.below(7) - 3).collect();
        let times = self.found(best, aim, (way, &moved))?;
        let given = |allocation| Given { ii: aim.ii, times: times.clone(), allocation };
        let of = |given| self.work.given(self.ops, self.of, self.reserved, given);
        let found = of(given(None)).or_else(|| of(given(Some(best.allocation.clone()))))?;
        let is_as_good = found.cost.rank <= best.cost.rank && found.cost.least <= best.cost.least;
        (is_as_good && found.times != best.times).then_some(found)
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

    /// Looks for a better schedule of this interval and length near the pressed one.
    fn ask(&mut self, best: &BlockSchedule, aim: Aim, way: Way) -> Option<BlockSchedule> {
        let times = self.found(best, aim, (way, &pressed(best, aim)))?;
        let given = Given { ii: aim.ii, times, allocation: Some(best.allocation.clone()) };
        let found = self.work.given(self.ops, self.of, self.reserved, given)?;
        found.cost.is_below(best.cost).then_some(found)
    }

    /// Asks the solver once for times near these, at which every value can keep its register.
    fn found(
        &mut self,
        best: &BlockSchedule,
        aim: Aim,
        (way, near): (Way, &Times),
    ) -> Option<Times> {
        let block = self.work.block(self.ops, true, best.allocation.unroll).ok()?;
        let needs: Vec<Need> = block.ops.iter().map(|&op| self.work.need(op)).collect();
        let edges = kept(&self.work.core, &block, &best.times, (best.ii, &best.allocation));
        let mut problem = Problem::new(&block, &needs, (aim.ii, aim.length), &edges)?;
        problem.near(near, way.reach);
        let (outcome, spent) =
            solve(&problem, Some(near), (way.conflicts.min(self.conflicts), way.turn));
        self.conflicts = self.conflicts.saturating_sub(spent.conflicts.max(1));
        match outcome {
            Outcome::Found(times) => Some(times),
            Outcome::Impossible | Outcome::Open => None,
        }
    }
}

/// Numbers at random, the same ones after the same begin: a generator by Marsaglia, "Xorshift RNGs", 2003.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> i64 {
        let mut x = self.0.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        self.0 = x;
        ((x >> 32) % limit) as i64
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
