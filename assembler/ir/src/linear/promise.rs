//! What the loops of a region promise about the counts in general registers.

use super::{Block, Region, TripCount};
use std::collections::BTreeMap;

/// The promise that all loops counted by one general register make together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CounterPromise {
    /// The count is at least this.
    pub min: u64,
    /// The count is a multiple of this; more than 32 bits if no count can be.
    pub multiple: u64,
}

impl CounterPromise {
    /// Returns the counts that keep the promise, from `least` on, as far as 32 bits go.
    pub fn counts(self, least: u64) -> impl Iterator<Item = u64> {
        let first = self.min.max(least).next_multiple_of(self.multiple);
        let all = (0..).map(move |k| first + k * self.multiple);
        all.take_while(|&count| count <= u64::from(u32::MAX))
    }
}

impl Region {
    /// Returns what the loops of the region promise of their counts, by the number of the general register that holds the
    /// count: every register that counts a loop, one without a promise with a minimum of 1 and a multiple of 1.
    pub fn promises(&self) -> BTreeMap<u8, CounterPromise> {
        let mut promises = BTreeMap::new();
        collect(&self.blocks, &mut promises);
        promises
    }
}

fn collect(blocks: &[Block], promises: &mut BTreeMap<u8, CounterPromise>) {
    for block in blocks {
        let Block::Loop(l) = block else { continue };
        if let TripCount::Register { gpr, min, multiple } = l.count {
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
