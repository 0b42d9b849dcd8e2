//! Registers for the values of a placed block: intervals on a circle of cycles (a line, without an
//! interval). How a register is chosen among the free ones is in `file`.

use super::deps::BlockProblem;
pub(super) use super::file::{Allocation, Lifetimes};
use super::file::{File, Room};
use super::place::Times;
use super::shortage::{CROWD, Living, Shortage};
use super::webs::Web;
use cp2_ir::linear::Reg;
use cp2_isa::{Core, FprSet, Unit};

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

/// Number of times that the webs of a block are given registers in yet another order, where they are in no register though fewer values
/// are alive than there are registers.
pub(super) const RETRIES: usize = 24;

/// Other orders are tried if at most seven eighths of the registers are needed at once; with fewer left over none was ever found.
const ROOMY: [usize; 2] = [8, 7];

/// Finds registers outside of `reserved` for all webs of a block; a new iteration begins every `ii`
/// cycles, or none does, and registers repeat after `unroll` iterations. Up to `retries` further orders are tried.
pub(super) fn allocate(
    core: &Core,
    block: &BlockProblem,
    lifetimes: &Lifetimes,
    ii: Option<i64>,
    unroll: i64,
    (reserved, retries): (FprSet, usize),
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
    let room = Room { block, lifetimes, ii: ii.unwrap_or(0), unroll, length, reserved };
    let is_roomy = crowd.alive * ROOMY[0] <= available * ROOMY[1];
    let found = room.fill(core.fprs(), if is_roomy { retries } else { 0 });
    found.map_err(|failed| crowd.shortage(block, lifetimes, available, Some(failed)))
}

/// Whether all webs of a block fit into the registers of an allocation that was made elsewhere, with a new iteration every `ii`
/// cycles.
pub(super) fn fits(
    core: &Core,
    block: &BlockProblem,
    lifetimes: &Lifetimes,
    ii: i64,
    (allocation, reserved): (&Allocation, FprSet),
) -> bool {
    let Allocation { unroll, registers, .. } = allocation;
    let is_whole = |webs: &Vec<u8>| webs.len() as i64 == *unroll;
    let is_complete = registers.len() == lifetimes.len() && registers.iter().all(is_whole);
    if !is_complete || iterations(lifetimes, ii) > *unroll {
        return false;
    }
    let mut file = File::new(core.fprs(), unroll * ii, reserved);
    let mut each = block.webs.groups.iter().flat_map(|group| (0..*unroll).map(move |u| (group, u)));
    each.all(|(group, u)| {
        let first = usize::from(registers[group.webs[0]][u as usize]);
        group.webs.iter().zip(first..).all(|(&web, register)| {
            let own = registers[web][u as usize];
            let is_there = usize::from(own) == register
                && register < core.fprs()
                && file.free(&lifetimes[web], u * ii).contains(own);
            if is_there {
                file.take(own, &lifetimes[web], u * ii);
            }
            is_there
        })
    })
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
