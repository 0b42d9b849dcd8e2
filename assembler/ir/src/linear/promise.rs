//! The promises of a region's loops about trip counts in general registers.

use super::{Block, Region, TripCount};
use std::collections::BTreeMap;

/// The promise about the count in one general register, made of the `min=` and `multiple=` of all loops that it counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CounterPromise {
    /// Least count: the greatest `min=` of the loops, at least 1.
    pub min: u64,
    /// Number of which the count is a multiple: the least common one of the loops, at least 1. Above 2^32 if no count
    /// of 32 bits can keep the promise.
    pub multiple: u64,
}

impl CounterPromise {
    /// Returns the counts that keep the promise, from `least` up to the largest that 32 bits hold, ascending.
    pub fn counts(self, least: u64) -> impl Iterator<Item = u64> {
        let first = self.min.max(least).next_multiple_of(self.multiple);
        let all = (0..).map(move |k| first + k * self.multiple);
        all.take_while(|&count| count <= u64::from(u32::MAX))
    }
}

impl Region {
    /// Returns the promises about counts of the region's loops, by the number of the general register. Every register
    /// that counts a loop has an entry; without a promise its minimum and multiple are 1.
    pub fn promises(&self) -> BTreeMap<u8, CounterPromise> {
        let mut promises = BTreeMap::new();
        collect(&self.blocks, &mut promises);
        promises
    }
}

fn collect(blocks: &[Block], promises: &mut BTreeMap<u8, CounterPromise>) {
    for block in blocks {
        let Block::Loop(l) = block else { continue };
        if let TripCount::Register { gpr, min, multiple, .. } = l.count {
            let known = promises.entry(gpr).or_insert(CounterPromise { min: 1, multiple: 1 });
            known.min = known.min.max(u64::from(min));
            known.multiple = common_multiple(known.multiple, u64::from(multiple.max(1)));
        }
        collect(&l.body, promises);
    }
}

/// Returns the least common multiple, cut off where no 32-bit count reaches it.
fn common_multiple(a: u64, b: u64) -> u64 {
    let (mut x, mut y) = (a, b);
    while y != 0 {
        (x, y) = (y, x % y);
    }
    (a / x).saturating_mul(b).min(1 << 40)
}
