//! Promises of linear code in an assembled program: what the author promised about loop counts and addresses, with the
//! bundles that rely on it. The assembler writes them into images, and a checked run compares the values of the run
//! with them.

use crate::linear::{Block, Region, ScheduledBundle, SlotOrigin, TripCount};
use crate::place::SourcePosition;
use cp2_isa::{BundleAddress, Exch};

/// The promises on which one scheduled region of linear code relies.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Promises {
    /// Name of the region of linear code that makes the promises.
    pub name: String,
    /// Bundle address of the region's first bundle.
    pub start: BundleAddress,
    /// Bundle address behind the region's last bundle.
    pub end: BundleAddress,
    /// Promises about loop counts in general registers, in the order of the loops in the source, outer before inner.
    pub counts: Vec<CountPromise>,
    /// Promises of `.disjoint`: lists of address sets of which no two reach the same word while the region runs.
    pub disjoint: Vec<SetPromise>,
    /// Promises of `.even`: address sets whose address is even where the region begins.
    pub even: Vec<SetPromise>,
}

/// A promise about the trip count of one loop, which a general register holds (`min=` and `multiple=` of `.loop`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CountPromise {
    /// Number of the general register with the trip count of the loop.
    pub gpr: u8,
    /// Address of the bundle that reads the count from the register.
    pub at: BundleAddress,
    /// Least trip count of the loop (`min=`).
    pub min: u32,
    /// Number, at least 1, of which the trip count of the loop is a multiple (`multiple=`).
    pub multiple: u32,
    /// Place in the source where the loop was written; `None` if it is not known.
    pub place: Option<SourcePosition>,
}

/// A promise of `.disjoint` or `.even` about the addresses in address sets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SetPromise {
    /// Numbers of the address sets, 0 to 15. In a `.disjoint`, [`crate::linear::ABSOLUTE`] stands for immediate
    /// addresses and [`crate::linear::OWN`] for addresses that each section has of its own.
    pub sets: Vec<u8>,
    /// Place in the source where the promise was written; `None` if it is not known.
    pub place: Option<SourcePosition>,
}

impl Promises {
    /// Returns the promises of a region whose scheduled bundles begin at address `start`. The places in the source are
    /// `None`; the caller fills them in.
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

    /// Returns true if `address` is that of a bundle of the region, from [`Promises::start`] to before
    /// [`Promises::end`].
    pub fn holds(&self, address: BundleAddress) -> bool {
        (self.start..self.end).contains(&address)
    }

    /// Returns true if the region promises nothing.
    pub fn is_empty(&self) -> bool {
        self.counts.is_empty() && self.disjoint.is_empty() && self.even.is_empty()
    }
}

impl SetPromise {
    /// Creates a promise about these address sets, without a place in the source.
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
        TripCount::Register { gpr, min, multiple, .. } if gpr == taken => {
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
