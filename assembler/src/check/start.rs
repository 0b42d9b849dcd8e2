//! Where the runs of a check start: addresses that sometimes meet and sometimes do not, counts
//! that the loops promise, numbers in the general registers.

use super::machine::{Scalar, Start};
use super::operation::WINDOW;
use super::sequential::{Meaning, address_set};
use super::value::mix;
use crate::linear::{ABSOLUTE, Block, Count, Region};
use cp2_isa::control;

/// A fixed sequence of numbers (SplitMix64).
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        mix(self.0, 0)
    }

    fn below(&mut self, n: u64) -> u64 {
        (self.next() >> 16) % n
    }

    fn percent(&mut self, n: u64) -> bool {
        self.below(100) < n
    }
}

/// Counts tried with each loop.
const COUNTS: usize = 6;

/// What all starts of a region have in common.
pub(super) struct Plan<'a> {
    region: &'a Region,
    /// Address sets that the region accesses memory through.
    sets: Vec<u8>,
    /// An immediate address of the region.
    absolute: Option<u16>,
    /// Counts to try, by general register.
    counts: Vec<Vec<u64>>,
    /// Lowest and highest word that a set reaches, from its address at the start.
    extents: [(i32, i32); 16],
}

impl<'a> Plan<'a> {
    pub(super) fn new(region: &'a Region) -> Self {
        let mut sets: Vec<u8> = region.ops.iter().filter_map(|op| address_set(&op.code)).collect();
        sets.sort_unstable();
        sets.dedup();
        sets.retain(|&set| set < ABSOLUTE);
        let absolute = region.ops.iter().find_map(|op| {
            (address_set(&op.code) == Some(ABSOLUTE)).then(|| op.code.values()[1] as u16)
        });
        let mut promises = vec![Vec::new(); 16];
        collect(&region.blocks, &mut promises);
        let counts = promises.iter().map(|promises| counts(promises)).collect();
        Self { region, sets, absolute, counts, extents: [(0, WINDOW as i32); 16] }
    }

    /// Learns from a run from start 0 how far the sets reach.
    pub(super) fn learn(&mut self, start: &Start, meaning: &Meaning) {
        for &set in &self.sets {
            let base = i32::from(start.a[usize::from(set)]);
            let (lo, hi) = &mut self.extents[usize::from(set)];
            for &word in &meaning.words[usize::from(set)] {
                let distance = (i32::from(word) - base + 4096).rem_euclid(8192) - 4096;
                *lo = distance.min(*lo);
                *hi = distance.max(*hi);
            }
        }
    }

    /// Start number `seed`; in number 0 no two sets are near each other.
    pub(super) fn start(&self, seed: u64) -> Start {
        let mut numbers = Numbers(seed);
        let mut wild = || Scalar { value: numbers.next(), wild: true };
        let mut gpr = [(); 16].map(|()| wild());
        let ireg = [(); 16].map(|()| wild());
        let mut control = [(); control::COUNT as usize].map(|()| wild());
        for n in [control::RIND, control::RSTEP, control::RMASK, control::CONTROL] {
            control[usize::from(n)].value &= 0xffff;
        }
        control[usize::from(control::RSTEP)].value |= 1;
        control[usize::from(control::RMASK)].value |= 0x3fff;
        for (k, (register, counts)) in gpr.iter_mut().zip(&self.counts).enumerate() {
            if !counts.is_empty() {
                // Only the low 32 bits count.
                let count = counts[(seed as usize + 5 * k) % counts.len()];
                *register = Scalar::known(register.value << 32 | count);
            }
        }
        let n = [(); 16].map(|()| 1 + numbers.below(5) as u16);
        let a = self.addresses(seed, &mut numbers);
        Start { gpr, ireg, a, n, control, counts: self.counts.clone() }
    }

    fn addresses(&self, seed: u64, numbers: &mut Numbers) -> [u16; 16] {
        let mut a = [(); 16].map(|()| numbers.below(8192) as u16);
        let mut cursor = numbers.below(8192) as i32;
        let mut placed: Vec<u8> = Vec::new();
        for &set in &self.sets {
            let may_meet: Vec<u16> = placed
                .iter()
                .filter(|&&other| !self.region.are_disjoint(set, other))
                .map(|&other| a[usize::from(other)])
                .chain(self.absolute.filter(|_| !self.region.are_disjoint(set, ABSOLUTE)))
                .collect();
            let (lo, hi) = self.extents[usize::from(set)];
            let near = seed > 0 && !may_meet.is_empty() && numbers.percent(75);
            let mut base = if near {
                let other = may_meet[numbers.below(may_meet.len() as u64) as usize];
                let reach = if numbers.percent(60) { 3 } else { 20 };
                i32::from(other) + numbers.below(2 * reach + 1) as i32 - reach as i32
            } else {
                cursor - lo + 2 + numbers.below(2) as i32
            };
            if self.region.even.contains(&set) {
                base &= !1;
            }
            cursor = cursor.max(base + hi + 2);
            a[usize::from(set)] = base.rem_euclid(8192) as u16;
            placed.push(set);
        }
        a
    }
}

fn collect(blocks: &[Block], promises: &mut [Vec<(u32, u32)>]) {
    for block in blocks {
        if let Block::Loop(inner) = block {
            if let Count::Register { gpr, min, multiple } = inner.count
                && let Some(of_gpr) = promises.get_mut(usize::from(gpr))
            {
                of_gpr.push((min, multiple.max(1)));
            }
            collect(&inner.body, promises);
        }
    }
}

/// The first counts that keep all promises.
fn counts(promises: &[(u32, u32)]) -> Vec<u64> {
    let Some(min) = promises.iter().map(|&(min, _)| min).max() else { return Vec::new() };
    let kept = |count: &u32| promises.iter().all(|&(_, multiple)| count.is_multiple_of(multiple));
    (min..min.saturating_add(1 << 16)).filter(kept).take(COUNTS).map(u64::from).collect()
}
