//! Webs into the register file of a section: in which order they are given registers, groups of neighbours at once, and which of the
//! free ones they take. Which cycles they need is in `registers`.

use super::bits::Bits;
use super::deps::BlockProblem;
use cp2_isa::FprSet;
use std::ops::Range;

/// The registers of a block.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Allocation {
    /// Iterations after which a web comes back to the same register.
    pub(super) unroll: i64,
    /// Register of each web, by iteration modulo `unroll`.
    pub(super) registers: Vec<Vec<u8>>,
    /// Registers used.
    pub(super) used: FprSet,
}

/// The intervals of every web.
pub(super) type Lifetimes = Vec<Vec<(i64, i64)>>;

/// Webs of a block that want registers, on a circle of cycles.
#[derive(Clone, Copy)]
pub(super) struct Room<'a> {
    pub(super) block: &'a BlockProblem,
    pub(super) lifetimes: &'a Lifetimes,
    /// Cycles from the begin of one iteration to that of the next; 0 for straight code.
    pub(super) ii: i64,
    /// Iterations after which registers repeat.
    pub(super) unroll: i64,
    /// Cycles around the circle.
    pub(super) length: i64,
    /// Registers that the webs do not get.
    pub(super) reserved: FprSet,
}

/// A group of webs in one of the iterations that have registers of their own.
#[derive(Clone, Copy)]
struct Instance {
    group: usize,
    iteration: usize,
    /// Cycles from the first iteration to this one.
    shift: i64,
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

impl<'a> Room<'a> {
    /// Returns registers for all webs, or a group of webs for which there are none. Where all strategies fail, the first one is tried
    /// again up to `retries` times, each time with the group that failed before all others.
    pub(super) fn fill(self, fprs: usize, retries: usize) -> Result<Allocation, &'a [usize]> {
        let file = File::new(fprs, self.length, self.reserved);
        let mut first_failed = None;
        for strategy in Strategy::ALL {
            let order = self.order(strategy);
            match file.clone().fill(self, &order, strategy.tight) {
                Ok(allocation) => return Ok(allocation),
                Err(at) => _ = first_failed.get_or_insert((order, at)),
            }
        }
        let (mut order, mut failed) = first_failed.unwrap_or_default();
        let webs = order.get(failed).map_or(&[][..], |of| &self.block.webs.groups[of.group].webs);
        for _ in 0..retries {
            order[..=failed].rotate_right(1);
            match file.clone().fill(self, &order, true) {
                Ok(allocation) => return Ok(allocation),
                Err(at) => failed = at,
            }
        }
        Err(webs)
    }

    fn order(&self, strategy: Strategy) -> Vec<Instance> {
        let groups = &self.block.webs.groups;
        let start = |group: usize| {
            let webs = groups[group].webs.iter();
            webs.flat_map(|&w| self.lifetimes[w].iter().map(|i| i.0)).min().unwrap_or(0)
        };
        let instance = |group: usize, iteration: i64| Instance {
            group,
            iteration: iteration as usize,
            shift: iteration * self.ii,
        };
        let mut order: Vec<_> = (0..groups.len())
            .flat_map(|group| (0..self.unroll).map(move |iteration| instance(group, iteration)))
            .collect();
        order.sort_by_cached_key(|&Instance { group, shift, .. }| {
            let size = groups[group].webs.len();
            let class = if strategy.groups_first { usize::MAX - size } else { 0 };
            (class, start(group) + shift, usize::MAX - size, group)
        });
        order
    }
}

/// The cycles in which each register is taken.
#[derive(Clone)]
pub(super) struct File {
    length: usize,
    /// Cycles by register.
    taken: Vec<Bits>,
    /// Registers by cycle.
    at: Vec<FprSet>,
    reserved: FprSet,
}

impl File {
    pub(super) fn new(fprs: usize, length: i64, reserved: FprSet) -> Self {
        let length = length.max(1) as usize;
        let (taken, at) = (vec![Bits::new(length); fprs], vec![FprSet::EMPTY; length]);
        Self { length, taken, at, reserved }
    }

    /// Returns the cycles of an interval on the circle, of which it is no longer: one run or two.
    fn cycles(&self, (start, end): (i64, i64), shift: i64) -> [Range<usize>; 2] {
        let length = self.length as i64;
        let count = (end - start + 1) as usize;
        let first = (start + shift).rem_euclid(length) as usize;
        let last = first + count;
        [first..last.min(self.length), 0..last.saturating_sub(self.length)]
    }

    /// Returns the registers that are free in all cycles of a web.
    pub(super) fn free(&self, web: &[(i64, i64)], shift: i64) -> FprSet {
        let cycles = web.iter().flat_map(|&i| self.cycles(i, shift)).flatten();
        FprSet::ALL.without(cycles.fold(self.reserved, |taken, cycle| taken | self.at[cycle]))
    }

    pub(super) fn take(&mut self, register: u8, web: &[(i64, i64)], shift: i64) {
        for &interval in web {
            for run in self.cycles(interval, shift) {
                self.taken[usize::from(register)].set_all(run.clone());
                self.at[run].iter_mut().for_each(|at| *at |= FprSet::one(register));
            }
        }
    }

    /// Returns the cycle on the circle in which a web begins.
    fn start(&self, web: &[(i64, i64)], shift: i64) -> usize {
        let start = web.iter().map(|i| i.0).min().unwrap_or(0) + shift;
        start.rem_euclid(self.length as i64) as usize
    }

    /// Returns the number of idle cycles of a register right before a cycle, or `most` if there are more.
    fn gap(&self, register: usize, start: usize, most: usize) -> usize {
        let taken = &self.taken[register];
        let before = taken.last_set(start.saturating_sub(most)..start).map(|cycle| start - cycle);
        let low = (start + self.length).saturating_sub(most).max(start + 1);
        let around = || taken.last_set(low.min(self.length)..self.length);
        before.or_else(|| around().map(|cycle| start + self.length - cycle)).unwrap_or(most)
    }

    /// Returns the first of the neighbours that are together idle for the shortest time before the webs of a group would take them.
    fn tightest_group(
        &self,
        free: FprSet,
        webs: &[usize],
        (lifetimes, shift): (&Lifetimes, i64),
    ) -> Option<u8> {
        let starts = webs.iter().map(|&web| self.start(&lifetimes[web], shift));
        let starts: Vec<usize> = starts.collect();
        let (mut best, mut least) = (None, webs.len() * self.length + 1);
        for first in free.iter() {
            let mut idle = 0;
            for (register, &start) in (usize::from(first)..).zip(&starts) {
                idle += self.gap(register, start, self.length.min(least - idle));
                if idle >= least {
                    break;
                }
            }
            if idle < least {
                (best, least) = (Some(first), idle);
            }
        }
        best
    }

    /// Returns registers for all webs, or the place in the order for which there are none.
    fn fill(
        mut self,
        room: Room<'_>,
        order: &[Instance],
        is_tight: bool,
    ) -> Result<Allocation, usize> {
        let Room { block, lifetimes, unroll, .. } = room;
        let mut registers = vec![vec![0; unroll as usize]; lifetimes.len()];
        let mut used = FprSet::EMPTY;
        for (at, &Instance { group, iteration, shift }) in order.iter().enumerate() {
            let webs = &block.webs.groups[group].webs;
            let first = self.find(webs, lifetimes, shift, is_tight).ok_or(at)?;
            for (register, &web) in (first..).zip(webs) {
                self.take(register, &lifetimes[web], shift);
                registers[web][iteration] = register;
                used |= FprSet::one(register);
            }
        }
        Ok(Allocation { unroll, registers, used })
    }

    /// Returns the first of the registers that a group of webs takes.
    fn find(
        &self,
        webs: &[usize],
        lifetimes: &Lifetimes,
        shift: i64,
        is_tight: bool,
    ) -> Option<u8> {
        let last = self.taken.len().checked_sub(webs.len())?;
        let free = webs.iter().enumerate().fold(FprSet::up_to(last as u8), |free, (k, &web)| {
            free & self.free(&lifetimes[web], shift).lowered(k as u8)
        });
        if !is_tight {
            return free.iter().next();
        }
        if let &[web] = webs {
            return self.tightest(free, &lifetimes[web], shift);
        }
        self.tightest_group(free, webs, (lifetimes, shift))
    }

    /// Returns the one of some registers that is idle for the shortest time before a web would take it.
    fn tightest(&self, free: FprSet, web: &[(i64, i64)], shift: i64) -> Option<u8> {
        let start = self.start(web, shift);
        let mut before = (0..start).rev().chain((start + 1..self.length).rev());
        let taken = before.find_map(|cycle| (self.at[cycle] & free).iter().next());
        taken.or_else(|| free.iter().next())
    }
}
