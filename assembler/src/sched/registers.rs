//! Registers for the values of a placed block: intervals on a circle of cycles (a line, without an
//! interval), groups of neighbours at once.

use super::deps::Block;
use super::place::Times;
use cp2_isa::{FPRS, Latencies, Unit};

/// The registers of a block.
#[derive(Clone, Debug, Default)]
pub(super) struct Allocation {
    /// Iterations after which a web comes back to the same register.
    pub(super) unroll: i64,
    /// Register of each web, by iteration modulo `unroll`.
    pub(super) registers: Vec<Vec<u8>>,
    /// Registers used.
    pub(super) used: u64,
}

/// Why a block does not fit into the registers.
#[derive(Clone, Debug)]
pub(super) struct Shortage {
    /// The operation whose result found no place, counted within the block.
    pub(super) op: usize,
    /// Neighbouring registers that are wanted.
    pub(super) wanted: usize,
    /// Most registers that are in use at once, reserved ones included.
    pub(super) pressure: usize,
}

/// Cycles, first and last, in which a value keeps its register from others.
fn interval(block: &Block, times: &Times, value: usize) -> (i64, i64) {
    let value = &block.webs.values[value];
    let landing = times[value.def] + i64::from(Latencies::CP2.write_fpr(value.unit));
    // `psprmsgn` sees a load one cycle before anybody else.
    let start = landing - i64::from(value.unit == Unit::Load);
    let reads = value.readers.iter().map(|&r| times[r]);
    let keeps = value.keepers.iter().map(|&k| times[k] + 7);
    (start, reads.chain(keeps).max().unwrap_or(landing).max(landing))
}

/// The intervals of every web.
fn intervals(block: &Block, times: &Times) -> Vec<Vec<(i64, i64)>> {
    let webs = block.webs.webs.iter();
    webs.map(|web| web.values.iter().map(|&v| interval(block, times, v)).collect()).collect()
}

/// Iterations that the longest-lived web spans.
fn iterations(intervals: &[Vec<(i64, i64)>], ii: i64) -> i64 {
    let span = |web: &Vec<(i64, i64)>| {
        let start = web.iter().map(|i| i.0).min().unwrap_or(0);
        let end = web.iter().map(|i| i.1).max().unwrap_or(0);
        end - start + 1
    };
    intervals.iter().map(|web| (span(web) + ii - 1) / ii).max().unwrap_or(1).max(1)
}

/// Iterations after which a web can come back to the same register, at least.
pub(super) fn unroll(block: &Block, times: &Times, ii: i64) -> i64 {
    iterations(&intervals(block, times), ii)
}

/// Finds registers outside of `reserved` for all webs of a block; a new iteration begins every `ii`
/// cycles, or none does, and registers repeat after `unroll` iterations.
pub(super) fn allocate(
    block: &Block,
    times: &Times,
    ii: Option<i64>,
    unroll: i64,
    reserved: u64,
) -> Result<Allocation, Shortage> {
    let intervals = intervals(block, times);
    let length = match ii {
        Some(ii) => unroll * ii,
        None => intervals.iter().flatten().map(|i| i.1).max().unwrap_or(0) + 1,
    };
    let mut best: Option<Shortage> = None;
    for strategy in Strategy::ALL {
        let file = File::new(length, reserved);
        match file.fill(block, &intervals, ii.unwrap_or(0), unroll, strategy) {
            Ok(allocation) => return Ok(allocation),
            Err(shortage) => best = best.or(Some(shortage)),
        }
    }
    Err(best.unwrap_or(Shortage { op: 0, wanted: 1, pressure: FPRS }))
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

/// Which register is taken in which cycle.
struct File {
    length: usize,
    words: usize,
    bits: Vec<u64>,
    reserved: u64,
}

impl File {
    fn new(length: i64, reserved: u64) -> Self {
        let length = length.max(1) as usize;
        let words = length.div_ceil(64);
        Self { length, words, bits: vec![0; words * FPRS], reserved }
    }

    fn taken(&self, register: usize, cycle: usize) -> bool {
        self.bits[register * self.words + cycle / 64] >> (cycle % 64) & 1 == 1
    }

    /// The cycles of an interval, on the circle.
    fn cycles(&self, (start, end): (i64, i64), shift: i64) -> impl Iterator<Item = usize> + use<> {
        let length = self.length as i64;
        let last = end.min(start + length - 1);
        (start..=last).map(move |c| (c + shift).rem_euclid(length) as usize)
    }

    fn is_free(&self, register: usize, web: &[(i64, i64)], shift: i64) -> bool {
        self.reserved >> register & 1 == 0
            && web.iter().all(|&i| self.cycles(i, shift).all(|c| !self.taken(register, c)))
    }

    fn take(&mut self, register: usize, web: &[(i64, i64)], shift: i64) {
        for &interval in web {
            for cycle in self.cycles(interval, shift) {
                self.bits[register * self.words + cycle / 64] |= 1 << (cycle % 64);
            }
        }
    }

    /// Idle cycles of a register right before a web would take it.
    fn gap(&self, register: usize, web: &[(i64, i64)], shift: i64) -> usize {
        let start = web.iter().map(|i| i.0).min().unwrap_or(0) + shift;
        let length = self.length as i64;
        let before = (1..length)
            .find(|back| self.taken(register, (start - back).rem_euclid(length) as usize));
        before.unwrap_or(length) as usize
    }

    fn fill(
        mut self,
        block: &Block,
        intervals: &[Vec<(i64, i64)>],
        ii: i64,
        unroll: i64,
        strategy: Strategy,
    ) -> Result<Allocation, Shortage> {
        let groups = &block.webs.groups;
        let start = |group: usize| {
            let webs = groups[group].webs.iter();
            webs.flat_map(|&w| intervals[w].iter().map(|i| i.0)).min().unwrap_or(0)
        };
        let mut order: Vec<(usize, i64)> =
            (0..groups.len()).flat_map(|g| (0..unroll).map(move |u| (g, u))).collect();
        order.sort_by_key(|&(g, u)| {
            let size = groups[g].webs.len();
            let class = if strategy.groups_first { usize::MAX - size } else { 0 };
            (class, start(g) + u * ii, usize::MAX - size, g)
        });
        let mut registers = vec![vec![0; unroll as usize]; intervals.len()];
        let mut used = 0_u64;
        for (group, u) in order {
            let webs = &groups[group].webs;
            let Some(first) = self.find(webs, intervals, u * ii, strategy.tight) else {
                return Err(self.shortage(block, webs));
            };
            for (k, &web) in webs.iter().enumerate() {
                self.take(first + k, &intervals[web], u * ii);
                registers[web][u as usize] = (first + k) as u8;
                used |= 1 << (first + k);
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
        let mut candidates = (0..=FPRS.checked_sub(webs.len())?).filter(fits);
        if !tight {
            return candidates.next();
        }
        candidates.min_by_key(|first| {
            let gaps =
                webs.iter().enumerate().map(|(k, &w)| self.gap(first + k, &intervals[w], shift));
            gaps.sum::<usize>()
        })
    }

    fn shortage(&self, block: &Block, webs: &[usize]) -> Shortage {
        let reserved = self.reserved.count_ones() as usize;
        let pressure = (0..self.length)
            .map(|cycle| (0..FPRS).filter(|&r| self.taken(r, cycle)).count())
            .max()
            .unwrap_or(0);
        let value = block.webs.webs[webs[0]].values[0];
        Shortage {
            op: block.webs.values[value].def,
            wanted: webs.len(),
            pressure: pressure + reserved,
        }
    }
}
