//! Loops with large fixed counts, followed for fewer iterations: how many passes of which hardware
//! loop are left out on the one side, and how many iterations of the region's loop on the other.
//!
//! # What is checked, and why that suffices
//!
//! Of a region loop that runs `N` times and became `B` bundles around a kernel of `c` passes, with `u`
//! iterations in each and `e` iterations begun or ended outside of it, the check follows `P` passes
//! on the one side and `e + P u` iterations on the other, to the end of the region: prologue, kernel,
//! epilogue and all that comes behind. `P` is at least [`PASSES`], `P u` at least [`ITERATIONS`], and
//! `N - P u - e` is a multiple of `u`. The count in the bundles is not replaced but lowered by what
//! was left out, `(N - e) / u - P`, so that a wrong one is still wrong by as much.
//!
//! Passes are the same bundles. Relative to its iteration, a pass differs from the one before it only
//! as long as values from before the loop reach it. What an operation of the kernel reads was made by
//! an iteration that is under way, by the last one that ended, or before the loop and not written in
//! it; so after as many passes as iterations overlap, every further pass reads the same values,
//! counted from its iteration, and so does the sequential run. Address sets advance by the same steps
//! on both sides. Two accesses to memory can change places only while their iterations overlap, and
//! through sets that advance by the same step they meet in every iteration or in none.
//!
//! # What it cannot find
//!
//! - Values that are handed on from iteration to iteration by copies, and are older than the
//!   iterations that are followed.
//! - Two sets that advance by different steps, are not promised to be apart, and come near one another
//!   only in an iteration that was left out. Starts are chosen such that sets meet early.
//! - What the code behind such a loop does at the addresses that the left-out iterations would have
//!   led to; it is checked at others. Whether An is even there stays: an even number of passes is
//!   left out.
//!
//! Loops with counts in registers are followed for the least counts that they promise, which is the
//! same argument. Regions of few executions are followed whole, and so is a region whose starts all
//! break its promises when it is cut.

use super::LONG;
use super::source::is_optional;
use cp2_ir::linear::{Block, Loop, Region, TripCount};
use cp2_ir::linear::{ScheduledBundle, SlotOrigin};
use cp2_isa::BundleAddress;
use cp2_isa::rules::flow::Body;
use std::collections::BTreeMap;
use std::ops::Range;

/// Iterations of a kernel that are followed at least.
const ITERATIONS: u32 = 16;
/// Passes of a kernel that are followed at least.
const PASSES: u32 = 4;

/// The iterations that are left out of a run.
#[derive(Clone, Debug, Default)]
pub(super) struct Cuts {
    /// Iterations, by the first operation that is in the loop and in no loop inside.
    iterations: BTreeMap<usize, u32>,
    /// Passes, by the bundle of the `do`.
    passes: BTreeMap<usize, u32>,
}

impl Cuts {
    /// Creates the cuts of a run of a region and its bundles; none if they are short enough.
    pub(super) fn of(region: &Region, bundles: &[ScheduledBundle]) -> Self {
        let mut cuts = Self::default();
        if executions(&region.blocks) > LONG as u64 {
            cuts.blocks(region, bundles, &region.blocks);
        }
        cuts
    }

    pub(super) fn is_empty(&self) -> bool {
        self.passes.is_empty()
    }

    /// Returns the number of iterations of a loop that are left out.
    pub(super) fn iterations(&self, of: &Loop) -> u32 {
        let first = own_operations(of).next();
        first.and_then(|op| self.iterations.get(&op)).copied().unwrap_or(0)
    }

    /// Returns the number of passes that are left out of the hardware loop that the bundle `at` begins.
    pub(super) fn passes(&self, at: usize) -> u32 {
        self.passes.get(&at).copied().unwrap_or(0)
    }

    fn blocks(&mut self, region: &Region, bundles: &[ScheduledBundle], blocks: &[Block]) {
        for block in blocks {
            let Block::Loop(inner) = block else { continue };
            if let Some((first, at, unroll, passes)) = cut(region, bundles, inner) {
                self.iterations.insert(first, passes * unroll);
                self.passes.insert(at, passes);
            }
            self.blocks(region, bundles, &inner.body);
        }
    }
}

/// Returns the number of executions of blocks, with counts in registers at their least.
fn executions(blocks: &[Block]) -> u64 {
    let of = |block: &Block| match block {
        Block::Straight(range) => range.len() as u64,
        Block::Loop(inner) => {
            let (TripCount::Fixed(count) | TripCount::Register { min: count, .. }) = inner.count;
            executions(&inner.body).saturating_mul(count.into())
        }
    };
    blocks.iter().map(of).fold(0, u64::saturating_add)
}

/// Returns the operations of a loop that are in no loop inside.
fn own_operations(of: &Loop) -> impl Iterator<Item = usize> {
    of.body.iter().flat_map(|block| match block {
        Block::Straight(range) => range.clone(),
        Block::Loop(_) => 0..0,
    })
}

/// Returns the first operation of a loop, the bundle of its `do`, the iterations of a pass, and the passes that are left out;
/// `None` if the loop is followed whole.
fn cut(
    region: &Region,
    bundles: &[ScheduledBundle],
    of: &Loop,
) -> Option<(usize, usize, u32, u32)> {
    let TripCount::Fixed(count) = of.count else { return None };
    let counted = own_operations(of).filter(|&op| !is_optional(&region.ops[op].code));
    let mut counted = counted.map(|op| places(bundles, op)).peekable();
    let kernel = innermost(bundles, counted.peek()?)?;
    let body = body(bundles, kernel);
    // Iterations in a pass, and outside of the kernel: the same for all operations.
    let mut shares = counted.map(|places| {
        let inside = places.iter().filter(|at| body.contains(at)).count();
        [inside as u32, (places.len() - inside) as u32]
    });
    let [unroll, outside] = shares.next()?;
    if unroll == 0 || shares.any(|share| share != [unroll, outside]) {
        return None;
    }
    let around = count.checked_sub(outside).filter(|n| n % unroll == 0)? / unroll;
    let followed = PASSES.max(ITERATIONS.div_ceil(unroll));
    let left_out = around.checked_sub(followed)? & !1;
    (left_out > 0).then_some((own_operations(of).next()?, kernel, unroll, left_out))
}

/// Returns the bundles with an operation; a bundle twice if both halves come from the operation.
fn places(bundles: &[ScheduledBundle], op: usize) -> Vec<usize> {
    let halves = |(at, placed): (usize, &ScheduledBundle)| [(at, placed.arith), (at, placed.exch)];
    let all = bundles.iter().enumerate().flat_map(halves);
    all.filter(|&(_, source)| source == SlotOrigin::Op(op)).map(|(at, _)| at).collect()
}

/// Returns the bundles that the hardware loop repeats whose `do` is in the bundle `at`; none without one.
fn body(bundles: &[ScheduledBundle], at: usize) -> Range<usize> {
    let end = bundles[at].bundle.exch.hardware_loop().map(|(_, end)| end);
    end.map_or(0..0, |end| at + 1..Body::behind(BundleAddress::default(), end).after().index())
}

/// Returns the bundle of the `do` of the hardware loop with the shortest body that has one of these bundles in it.
fn innermost(bundles: &[ScheduledBundle], places: &[usize]) -> Option<usize> {
    let with_one = |at: &usize| places.iter().any(|place| body(bundles, *at).contains(place));
    let all = (0..bundles.len()).filter(with_one);
    all.min_by_key(|&at| body(bundles, at).len())
}
