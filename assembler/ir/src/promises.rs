//! What the linear code of a program relies on when it runs: the promises of its regions, with the bundles
//! that they are about. The assembler writes them into images, whoever runs a program may hold it to them.

use crate::linear::{Block, Region, ScheduledBundle, SlotOrigin, TripCount};
use crate::place::SourcePosition;
use cp2_isa::{BundleAddress, Exch};

/// The promises on which a region relies.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Promises {
    /// Name of the region.
    pub name: String,
    /// Address of the first bundle.
    pub start: BundleAddress,
    /// Address of the bundle behind the last one.
    pub end: BundleAddress,
    /// Promises about the counts of the loops.
    pub counts: Vec<CountPromise>,
    /// Sets of which no two reach the same word while the region runs (`.disjoint`).
    pub disjoint: Vec<SetPromise>,
    /// Sets whose address is even where the region begins (`.even`).
    pub even: Vec<SetPromise>,
}

/// A promise about the count of a loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CountPromise {
    /// The general register with the count.
    pub gpr: u8,
    /// The bundle that takes the count from the register.
    pub at: BundleAddress,
    /// The count is at least this.
    pub min: u32,
    /// The count is a multiple of this.
    pub multiple: u32,
    /// Place where the loop was written.
    pub place: Option<SourcePosition>,
}

/// A promise about address sets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SetPromise {
    /// The sets; [`crate::linear::ABSOLUTE`] stands for immediate addresses.
    pub sets: Vec<u8>,
    /// Place where the promise was written.
    pub place: Option<SourcePosition>,
}

impl Promises {
    /// Returns the promises of a region that is placed at a bundle, without the places of their lines.
    pub fn of(region: &Region, bundles: &[ScheduledBundle], start: BundleAddress) -> Self {
        Self {
            name: region.name.clone(),
            start,
            end: start.plus(bundles.len() as u16),
            counts: counts(region, bundles, start),
            disjoint: region.disjoint.iter().map(|s| SetPromise::new(s.clone())).collect(),
            even: region.even.iter().map(|&s| SetPromise::new(vec![s])).collect(),
        }
    }

    /// Whether a bundle belongs to the region.
    pub fn holds(&self, address: BundleAddress) -> bool {
        (self.start..self.end).contains(&address)
    }

    /// Whether anything is promised.
    pub fn is_empty(&self) -> bool {
        self.counts.is_empty() && self.disjoint.is_empty() && self.even.is_empty()
    }
}

impl SetPromise {
    /// Creates a promise that stands nowhere.
    pub fn new(sets: Vec<u8>) -> Self {
        Self { sets, place: None }
    }
}

/// Returns the promises about counts, in the order of the loops. The scheduler takes the count of each loop once, by an
/// operation that it adds, in the same order.
fn counts(region: &Region, bundles: &[ScheduledBundle], start: BundleAddress) -> Vec<CountPromise> {
    let mut loops = Vec::new();
    counted(&region.blocks, &mut loops);
    let takes = bundles.iter().enumerate().filter_map(|(k, placed)| {
        let inst = &placed.bundle.exch;
        let gpr = match inst.op {
            _ if placed.exch != SlotOrigin::Made => return None,
            Exch::Mtfpr => inst.values[1],
            Exch::Do => inst.values[0],
            _ => return None,
        };
        let gpr = u8::try_from(gpr).ok().filter(|g| !region.scratch.contains(g))?;
        Some((gpr, start.plus(k as u16)))
    });
    let promise = |(count, (taken, at)): (TripCount, (u8, BundleAddress))| match count {
        TripCount::Register { gpr, min, multiple } if gpr == taken => {
            Some(CountPromise { gpr, at, min, multiple, place: None })
        }
        _ => None,
    };
    loops.into_iter().zip(takes).map_while(promise).collect()
}

/// Collects the counts in registers of all loops into `found`, an outer one before those inside.
fn counted(blocks: &[Block], found: &mut Vec<TripCount>) {
    for block in blocks {
        if let Block::Loop(l) = block {
            found.extend(matches!(l.count, TripCount::Register { .. }).then_some(l.count));
            counted(&l.body, found);
        }
    }
}
