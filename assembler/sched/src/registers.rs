//! Registers for the values of a placed block: intervals on a circle of cycles (a line, without an
//! interval), groups of neighbours at once.

use super::bits::Bits;
use super::deps::BlockProblem;
use super::place::Times;
use super::shortage::{CROWD, Living, Shortage};
use super::webs::Web;
use cp2_ir::linear::Reg;
use cp2_isa::{Core, FprSet, Unit};
use std::ops::Range;

/// The registers of a block.
#[derive(Clone, Debug, Default)]
pub(super) struct Allocation {
    /// Iterations after which a web comes back to the same register.
    pub(super) unroll: i64,
    /// Register of each web, by iteration modulo `unroll`.
    pub(super) registers: Vec<Vec<u8>>,
    /// Registers used.
    pub(super) used: FprSet,
}

/// Returns the first and the last cycle in which a value keeps its register from others.
fn interval(core: &Core, block: &BlockProblem, times: &Times, value: usize) -> (i64, i64) {
    let value = &block.webs.values[value];
    let latencies = core.latencies();
    let landing = times[value.def] + i64::from(latencies.write_fpr(value.unit));
    // `psprmsgn` sees a load one cycle before anybody else.
    let start = landing - i64::from(value.unit == Unit::Load);
    let reads = value.readers.iter().map(|&r| times[r]);
    // What keeps a part of it needs it until its own result lands.
    let keeps = value.keepers.iter().map(|&k| times[k] + i64::from(latencies.longest()) - 1);
    (start, reads.chain(keeps).max().unwrap_or(landing).max(landing))
}

/// The intervals of every web.
pub(super) type Lifetimes = Vec<Vec<(i64, i64)>>;

/// Returns the intervals of every web of a placed block.
pub(super) fn lifetimes(core: &Core, block: &BlockProblem, times: &Times) -> Lifetimes {
    let webs = block.webs.webs.iter();
    webs.map(|web| web.values.iter().map(|&v| interval(core, block, times, v)).collect()).collect()
}

/// Returns the number of iterations that the longest-lived web spans, after which a web can come back to the same register.
pub(super) fn iterations(lifetimes: &Lifetimes, ii: i64) -> i64 {
    let span = |web: &Vec<(i64, i64)>| {
        let start = web.iter().map(|i| i.0).min().unwrap_or(0);
        let end = web.iter().map(|i| i.1).max().unwrap_or(0);
        end - start + 1
    };
    lifetimes.iter().map(|web| (span(web) + ii - 1) / ii).max().unwrap_or(1).max(1)
}

/// Finds registers outside of `reserved` for all webs of a block; a new iteration begins every `ii`
/// cycles, or none does, and registers repeat after `unroll` iterations.
pub(super) fn allocate(
    core: &Core,
    block: &BlockProblem,
    lifetimes: &Lifetimes,
    ii: Option<i64>,
    unroll: i64,
    reserved: FprSet,
) -> Result<Allocation, Shortage> {
    let length = match ii {
        Some(ii) => unroll * ii,
        None => lifetimes.iter().flatten().map(|i| i.1).max().unwrap_or(0) + 1,
    };
    let crowd = Crowd::of(lifetimes, length, ii.unwrap_or(0), unroll);
    let available = core.fprs().saturating_sub(reserved.count());
    if crowd.alive > available {
        return Err(crowd.shortage(block, lifetimes, available, None));
    }
    let mut failed = None;
    for strategy in Strategy::ALL {
        let file = File::new(core.fprs(), length, reserved);
        match file.fill(block, lifetimes, ii.unwrap_or(0), unroll, strategy) {
            Ok(allocation) => return Ok(allocation),
            Err(webs) => failed = failed.or(Some(webs)),
        }
    }
    Err(crowd.shortage(block, lifetimes, available, failed))
}

/// The cycle in which the most values are alive.
struct Crowd {
    /// On the circle of `length` cycles.
    cycle: i64,
    length: i64,
    ii: i64,
    unroll: i64,
    alive: usize,
}

/// Returns the cycles of intervals that may overlap, in intervals that do not.
fn merged(web: &[(i64, i64)]) -> Vec<(i64, i64)> {
    let mut sorted = web.to_vec();
    sorted.sort_unstable();
    let mut merged: Vec<(i64, i64)> = Vec::new();
    for (start, end) in sorted {
        match merged.last_mut() {
            Some(last) if start <= last.1 => last.1 = last.1.max(end),
            _ => merged.push((start, end)),
        }
    }
    merged
}

impl Crowd {
    /// Counts a register once in a cycle, however many values of its web overlap there.
    fn of(intervals: &[Vec<(i64, i64)>], length: i64, ii: i64, unroll: i64) -> Self {
        let length = length.max(1);
        // Differences of the number of values from one cycle to the next.
        let mut steps = vec![0_i64; length as usize + 1];
        let mut always = 0;
        for (start, end) in intervals.iter().flat_map(|web| merged(web)) {
            for shift in (0..unroll).map(|u| u * ii) {
                if end - start + 1 >= length {
                    always += 1;
                    continue;
                }
                let (first, last) =
                    ((start + shift).rem_euclid(length), (end + shift).rem_euclid(length));
                steps[first as usize] += 1;
                steps[last as usize + 1] -= 1;
                steps[0] += i64::from(last < first);
            }
        }
        let alive = steps[..length as usize].iter().scan(always, |sum, step| {
            *sum += step;
            Some(*sum)
        });
        let (cycle, alive) = alive.enumerate().max_by_key(|&(_, n)| n).unwrap_or((0, 0));
        Self { cycle: cycle as i64, length, ii, unroll, alive: alive as usize }
    }

    fn holds(&self, interval: (i64, i64)) -> bool {
        (0..self.unroll).any(|u| self.holds_in(u, interval))
    }

    /// Whether iteration `u` has this interval in the cycle.
    fn holds_in(&self, u: i64, (start, end): (i64, i64)) -> bool {
        (self.cycle - start - u * self.ii).rem_euclid(self.length) <= end - start
    }

    /// Returns the shortage to be reported; `failed` are webs that found no place.
    fn shortage(
        &self,
        block: &BlockProblem,
        intervals: &[Vec<(i64, i64)>],
        available: usize,
        failed: Option<&[usize]>,
    ) -> Shortage {
        let webs = block.webs.webs.iter().zip(intervals);
        let holders = webs.clone().filter_map(|(web, all)| self.held_by(block, web, all)).collect();
        let values = webs.flat_map(|(web, all)| web.values.iter().zip(all));
        let mut crowd: Vec<Living> = values
            .filter(|&(_, &interval)| self.holds(interval))
            .map(|(&v, (start, end))| Living {
                op: block.webs.values[v].def,
                name: block.webs.name(v),
                cycles: end - start + 1,
            })
            .collect();
        crowd.sort_by_key(|living| (-living.cycles, living.op));
        crowd.dedup_by_key(|living| living.op);
        crowd.truncate(CROWD);
        let value = failed.map(|webs| block.webs.webs[webs[0]].values[0]);
        let op = value.map(|v| block.webs.values[v].def).or(crowd.first().map(|l| l.op));
        Shortage {
            op: op.unwrap_or(0),
            wanted: failed.map_or(1, <[usize]>::len),
            alive: self.alive,
            available,
            crowd,
            holders,
        }
    }

    /// Returns the name of the value for which a web holds registers there, and how many: one for each iteration that is
    /// under way.
    fn held_by(
        &self,
        block: &BlockProblem,
        web: &Web,
        intervals: &[(i64, i64)],
    ) -> Option<(Reg, usize)> {
        let holders = (0..self.unroll).filter_map(|u| {
            let mut values = web.values.iter().zip(intervals);
            values.find(|&(_, &interval)| self.holds_in(u, interval)).map(|(&value, _)| value)
        });
        let holders: Vec<usize> = holders.collect();
        Some((block.webs.name(*holders.first()?), holders.len()))
    }
}

/// In which order webs are given registers, and which of the free ones they take.
#[derive(Clone, Copy, Debug)]
struct Strategy {
    groups_first: bool,
    tight: bool,
}

impl Strategy {
    const ALL: [Self; 4] = [
        Self { groups_first: true, tight: true },
        Self { groups_first: false, tight: true },
        Self { groups_first: true, tight: false },
        Self { groups_first: false, tight: false },
    ];
}

/// The cycles in which each register is taken.
struct File {
    length: usize,
    /// By register.
    taken: Vec<Bits>,
    reserved: FprSet,
}

impl File {
    fn new(fprs: usize, length: i64, reserved: FprSet) -> Self {
        let length = length.max(1) as usize;
        Self { length, taken: vec![Bits::new(length); fprs], reserved }
    }

    /// Returns the cycles of an interval on the circle, of which it is no longer: one run or two.
    fn cycles(&self, (start, end): (i64, i64), shift: i64) -> [Range<usize>; 2] {
        let length = self.length as i64;
        let count = (end - start + 1) as usize;
        let first = (start + shift).rem_euclid(length) as usize;
        let last = first + count;
        [first..last.min(self.length), 0..last.saturating_sub(self.length)]
    }

    fn is_free(&self, register: usize, web: &[(i64, i64)], shift: i64) -> bool {
        let taken = &self.taken[register];
        let is_free = |run: Range<usize>| taken.is_clear(run);
        !self.reserved.contains(register as u8)
            && web.iter().all(|&i| self.cycles(i, shift).into_iter().all(is_free))
    }

    fn take(&mut self, register: usize, web: &[(i64, i64)], shift: i64) {
        for &interval in web {
            for run in self.cycles(interval, shift) {
                self.taken[register].set_all(run);
            }
        }
    }

    /// Returns the number of idle cycles of a register right before a web would take it.
    fn gap(&self, register: usize, web: &[(i64, i64)], shift: i64) -> usize {
        let start = web.iter().map(|i| i.0).min().unwrap_or(0) + shift;
        let start = start.rem_euclid(self.length as i64) as usize;
        let taken = &self.taken[register];
        let before = taken.last_set(0..start).map(|cycle| start - cycle);
        let around = || taken.last_set(start + 1..self.length);
        before.or_else(|| around().map(|cycle| start + self.length - cycle)).unwrap_or(self.length)
    }

    /// Returns registers for all webs, or the webs for which there are none.
    fn fill<'b>(
        mut self,
        block: &'b BlockProblem,
        intervals: &[Vec<(i64, i64)>],
        ii: i64,
        unroll: i64,
        strategy: Strategy,
    ) -> Result<Allocation, &'b [usize]> {
        let groups = &block.webs.groups;
        let start = |group: usize| {
            let webs = groups[group].webs.iter();
            webs.flat_map(|&w| intervals[w].iter().map(|i| i.0)).min().unwrap_or(0)
        };
        let mut order: Vec<(usize, i64)> =
            (0..groups.len()).flat_map(|g| (0..unroll).map(move |u| (g, u))).collect();
        order.sort_by_cached_key(|&(g, u)| {
            let size = groups[g].webs.len();
            let class = if strategy.groups_first { usize::MAX - size } else { 0 };
            (class, start(g) + u * ii, usize::MAX - size, g)
        });
        let mut registers = vec![vec![0; unroll as usize]; intervals.len()];
        let mut used = FprSet::EMPTY;
        for (group, u) in order {
            let webs = &groups[group].webs;
            let Some(first) = self.find(webs, intervals, u * ii, strategy.tight) else {
                return Err(webs);
            };
            for (k, &web) in webs.iter().enumerate() {
                self.take(first + k, &intervals[web], u * ii);
                registers[web][u as usize] = (first + k) as u8;
                used |= FprSet::one((first + k) as u8);
            }
        }
        Ok(Allocation { unroll, registers, used })
    }

    fn find(
        &self,
        webs: &[usize],
        intervals: &[Vec<(i64, i64)>],
        shift: i64,
        tight: bool,
    ) -> Option<usize> {
        let fits = |first: &usize| {
            let mut members = webs.iter().enumerate();
            members.all(|(k, &web)| self.is_free(first + k, &intervals[web], shift))
        };
        let mut candidates = (0..=self.taken.len().checked_sub(webs.len())?).filter(fits);
        if !tight {
            return candidates.next();
        }
        candidates.min_by_key(|first| {
            let gaps =
                webs.iter().enumerate().map(|(k, &w)| self.gap(first + k, &intervals[w], shift));
            gaps.sum::<usize>()
        })
    }
}
