//! Where the bundles of a region were written: each slot at the line of its operation, what the scheduler has made at the
//! `.loop` that it serves, an empty bundle at the operation behind it.

use super::item::Written;
use crate::asm::linear::Origins;
use crate::linear::{Block, Region};
use crate::sched::{RegionReport, ScheduledBundle, SlotOrigin};
use cp2_isa::rules::flow::Body;
use cp2_isa::{BundleAddress, Exch};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// A `.loop`: its operations, and the loop around it.
struct Loop {
    ops: Range<usize>,
    outer: Option<usize>,
}

/// A hardware loop: the bundle of the `do` and the body, counted from the region's first bundle, and the `.loop` that it
/// became of.
struct Hardware {
    at: usize,
    body: Body,
    of: Option<usize>,
}

/// Returns the places of all bundles of a region.
pub(super) fn written(
    region: &Region,
    (bundles, report): (&[ScheduledBundle], &RegionReport),
    origins: &Origins,
) -> Vec<Written> {
    let merged = merged(bundles, report);
    let mut loops = Vec::new();
    collect(&region.blocks, None, &mut loops);
    let hardware = hardware(bundles, &loops);
    let head = |of: Option<usize>| of.and_then(|of| origins.loops.get(of)).unwrap_or(&origins.head);
    let spot = |k: usize, source: SlotOrigin| match source {
        SlotOrigin::Op(op) => origins.operations.get(op).cloned(),
        SlotOrigin::Made => Some(head(served(bundles, k, &loops, &hardware)).clone()),
        SlotOrigin::Nothing => None,
    };
    let own = |k: usize| spot(k, bundles[k].arith).or_else(|| spot(k, bundles[k].exch));
    // Behind the last operation its results land.
    let last = (0..bundles.len()).rev().find_map(own);
    let mut next = last.unwrap_or_else(|| origins.head.clone());
    let mut all = Vec::new();
    for (k, placed) in bundles.iter().enumerate().rev() {
        let (arithmetic, exchange) = (spot(k, placed.arith), spot(k, placed.exch));
        let whole = arithmetic.or_else(|| exchange.clone()).unwrap_or(next);
        next = whole.clone();
        let gone = ops(placed).flat_map(|op| merged.get(&op).into_iter().flatten());
        let merged = gone.filter_map(|op| origins.operations.get(*op).cloned()).collect();
        all.push(Written { whole, exchange, merged });
    }
    all.reverse();
    all
}

/// Returns the operations that are in no bundle, by the operation that does their work.
fn merged(bundles: &[ScheduledBundle], report: &RegionReport) -> BTreeMap<usize, Vec<usize>> {
    let placed: BTreeSet<usize> = bundles.iter().flat_map(ops).collect();
    let mut all: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    let gone = report.blocks.iter().flat_map(|block| &block.merged);
    for &(gone, by) in gone.filter(|(gone, _)| !placed.contains(gone)) {
        all.entry(by).or_default().push(gone);
    }
    all
}

/// Collects the loops of some blocks, outer ones before inner ones, and returns the operations of the blocks.
fn collect(blocks: &[Block], outer: Option<usize>, all: &mut Vec<Loop>) -> Range<usize> {
    let mut ops: Option<Range<usize>> = None;
    for block in blocks {
        let own = match block {
            Block::Straight(range) => range.clone(),
            Block::Loop(inner) => {
                let number = all.len();
                all.push(Loop { ops: 0..0, outer });
                let ops = collect(&inner.body, Some(number), all);
                all[number].ops = ops.clone();
                ops
            }
        };
        ops = Some(ops.map_or(own.clone(), |ops| ops.start.min(own.start)..ops.end.max(own.end)));
    }
    ops.unwrap_or(0..0)
}

/// Returns the innermost loop that has some operations.
fn innermost(loops: &[Loop], ops: &Range<usize>) -> Option<usize> {
    let has = |of: &Loop| of.ops.start <= ops.start && ops.end <= of.ops.end;
    loops.iter().rposition(has)
}

/// Returns the hardware loops, inner ones before outer ones.
fn hardware(bundles: &[ScheduledBundle], loops: &[Loop]) -> Vec<Hardware> {
    let bodies = bundles.iter().enumerate().filter_map(|(at, placed)| {
        let (_, end) = placed.bundle.exch.hardware_loop()?;
        Some((at, Body::behind(BundleAddress::from_index(at), end)))
    });
    let mut bodies: Vec<_> = bodies.collect();
    bodies.sort_by_key(|(_, body)| body.last().index() - body.start.index());
    let mut all: Vec<Hardware> = Vec::new();
    for (at, body) in bodies {
        let range = body.start.index()..(body.last().index() + 1).min(bundles.len());
        let ops = bundles.get(range).unwrap_or_default().iter().flat_map(ops);
        let span = ops.fold(None, |span: Option<Range<usize>>, op| {
            Some(span.map_or(op..op + 1, |s| s.start.min(op)..s.end.max(op + 1)))
        });
        let mut of = span.and_then(|span| innermost(loops, &span));
        // One around another hardware loop became of a loop around that one's.
        for inner in all.iter().filter(|inner| body.contains(BundleAddress::from_index(inner.at))) {
            while is_in(loops, of, inner.of) {
                of = of.and_then(|of| loops[of].outer);
            }
        }
        all.push(Hardware { at, body, of });
    }
    all
}

/// Whether a loop is another one, or in it.
fn is_in(loops: &[Loop], of: Option<usize>, other: Option<usize>) -> bool {
    let (Some(_), Some(other)) = (of, other) else { return false };
    std::iter::successors(of, |&of| loops[of].outer).any(|of| of == other)
}

/// Returns the operations of a bundle that were written.
fn ops(placed: &ScheduledBundle) -> impl Iterator<Item = usize> {
    [placed.arith, placed.exch].into_iter().filter_map(|source| match source {
        SlotOrigin::Op(op) => Some(op),
        _ => None,
    })
}

/// Returns the loop that an operation of the scheduler in a bundle serves: a `do` its own, the step of an address that of the
/// operations before it; everything else counts the loop behind it.
fn served(
    bundles: &[ScheduledBundle],
    k: usize,
    loops: &[Loop],
    hardware: &[Hardware],
) -> Option<usize> {
    if let Some(own) = hardware.iter().find(|hardware| hardware.at == k) {
        return own.of;
    }
    let at = BundleAddress::from_index(k);
    let before = || {
        let op = bundles[..=k].iter().rev().find_map(|placed| ops(placed).next())?;
        innermost(loops, &(op..op + 1))
    };
    if matches!(bundles[k].bundle.exch.op, Exch::Updaddr | Exch::Updaddrnp | Exch::Updaddrnm) {
        return before();
    }
    let behind = hardware.iter().filter(|hardware| hardware.at > k).min_by_key(|h| h.at);
    let around = hardware.iter().find(|hardware| hardware.body.contains(at));
    match (around, behind) {
        (Some(around), Some(behind))
            if around.body.contains(BundleAddress::from_index(behind.at)) =>
        {
            behind.of
        }
        (Some(around), _) => around.of,
        (None, Some(behind)) => behind.of,
        (None, None) => before(),
    }
}
