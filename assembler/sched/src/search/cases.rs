//! The cases in which a block is scheduled: as it is, and as if the core were slower or promises were missing. A schedule
//! made for less holds with more, so the best of them is taken. How one case is scheduled is in `search`.

use super::shape::{is_open, without_ties};
use super::{BlockSchedule, Limit, Scheduled};
use crate::graph::Edge;
use crate::pairing::Balanced;
use crate::{ScheduleError, Work};
use cp2_ir::linear::{Loop, Region, TripCount};
use cp2_isa::{Core, CoreNumbers, FprSet, Unit};
use std::borrow::Cow;
use std::iter::successors;

/// Latencies up to which slower cores are tried.
const SLOWEST: Slowest = Slowest { load: 5, arithmetic: 8, psprmsgn: 5, mtfpr: 5 };

/// Most operations of a block that is scheduled in all cases. A larger one is scheduled for slower cores only, at intervals
/// that are hardly longer than the best; a loop without an expected count not at all where its interval meets the bound.
pub(super) const SMALL: usize = 256;

/// Promises that a case may have: of even sets, and of disjoint ones; all of them first.
pub(super) const PROMISES: [(bool, bool); 4] =
    [(true, true), (false, true), (true, false), (false, false)];

/// A block with what it may be scheduled by: never more than there is.
struct Case<'a> {
    work: Work<'a>,
    of: Option<Loop>,
}

/// Key of a case, that its search depends on: iterations of a kernel, the count that is expected, and dependences as written and with
/// operations exchanged.
type Key = (i64, Option<u32>, Vec<Edge>, Option<Vec<Edge>>);

impl<'a> Work<'a> {
    /// Returns the best schedule of a block, straight code or the body of a loop, among those of all cases.
    pub(crate) fn best(
        &self,
        ops: &[usize],
        of: Option<&Loop>,
        reserved: FprSet,
    ) -> Result<Scheduled<'a>, ScheduleError> {
        let best = self.best_of_cases(ops, of, reserved);
        // The best of cases that were not all tried would depend on when the search was broken off.
        if self.may_search() { best } else { Err(self.broken_off()) }
    }

    fn may_search(&self) -> bool {
        !self.allowance.is_over()
    }

    fn best_of_cases(
        &self,
        ops: &[usize],
        of: Option<&Loop>,
        reserved: FprSet,
    ) -> Result<Scheduled<'a>, ScheduleError> {
        let is_small = ops.len() <= SMALL;
        let certified = of.and_then(|of| self.certified(ops, of, reserved));
        // A small block is searched in any case: a certificate may be worse than what is found soon.
        let certified = match certified {
            Some((found, true)) if !is_small => return Ok(found),
            other => other,
        };
        let mut best = self.scheduled(ops, of, reserved, Limit::NONE);
        if let Some((found, is_same)) = certified
            && best.as_ref().map_or(true, |(best, _)| {
                found.0.cost.is_below(best.cost) || (is_same && found.0.cost.rank == best.cost.rank)
            })
        {
            best = Ok(found);
        }
        let is_done =
            |best: &BlockSchedule| best.is_shortest(of) || !is_small && best.has_least_interval(of);
        if best.as_ref().is_ok_and(|(best, _)| is_done(best)) {
            return best;
        }
        let mut keys = vec![self.key(ops, of)?];
        for case in self.cases(ops, of, is_small).into_iter().take_while(|_| self.may_search()) {
            let Ok(key) = case.work.key(ops, case.of.as_ref()) else { continue };
            if keys.contains(&key) {
                continue;
            }
            keys.push(key);
            // Ranks compare schedules for the same expected count only.
            let is_other = case.of.as_ref().map(is_open) != of.map(is_open);
            let known = best.as_ref().ok().filter(|_| !is_other);
            let limit = known.map_or(Limit::NONE, |(best, _)| Limit {
                rank: without_ties(of, best.cost.rank),
                ii: of.filter(|_| !is_small).map(|of| longest(of, best.ii)),
                is_dense: is_small || is_next(&self.core, &case.work.placed),
            });
            let found = case.work.scheduled(ops, case.of.as_ref(), reserved, limit);
            let found = found.map(|(mut found, balanced)| {
                if let Some(of) = of.filter(|_| is_other) {
                    let work = balanced.as_ref().map_or(&case.work, |b| &b.work);
                    found.cost = found.cost_of(work, (of, is_small));
                }
                (found, balanced)
            });
            if let Ok(found) = found
                && best.as_ref().map_or(true, |(best, _)| {
                    found.0.cost.rank < best.cost.rank
                        && (is_small || found.0.cost.least <= best.cost.least)
                })
            {
                best = Ok(self.adopted(found, ops, of)?);
            }
        }
        best
    }

    /// Returns the schedule of a case as one of this region, with bounds for all that holds.
    pub(super) fn adopted(
        &self,
        (mut found, mut balanced): Scheduled<'a>,
        ops: &[usize],
        of: Option<&Loop>,
    ) -> Result<Scheduled<'a>, ScheduleError> {
        if let Some(Balanced { work, .. }) = &mut balanced {
            let region = work.region.to_mut();
            region.disjoint.clone_from(&self.region.disjoint);
            region.even.clone_from(&self.region.even);
            (work.placed, work.even) = (self.placed, self.even);
        }
        if let Some(of) = of {
            let work = balanced.as_ref().map_or(self, |b| &b.work);
            found.bounds = work.loop_bounds(ops, of)?;
        }
        Ok((found, balanced))
    }

    /// Returns the block on a core, with or without its promises of even sets and of disjoint ones.
    pub(super) fn on(&self, placed: Core, (even, is_apart): (bool, bool)) -> Self {
        let mut work = Self { placed, ..self.clone() };
        if !even {
            work.even = 0;
        }
        if !is_apart {
            let disjoint = Vec::new();
            work.region = Cow::Owned(Region { disjoint, ..work.region.into_owned() });
        }
        work
    }

    /// Returns the cases that are worse than this one: all of them, or those of slower cores.
    fn cases(&self, ops: &[usize], of: Option<&Loop>, all: bool) -> Vec<Case<'a>> {
        let mut cases = Vec::new();
        for placed in slower(&self.core, self.slowest(ops, all)) {
            for &(even, is_apart) in if all { &PROMISES[..] } else { &PROMISES[..1] } {
                let work = self.on(placed, (even, is_apart));
                let counts = weaker(of).take(if all { usize::MAX } else { 1 });
                cases.extend(counts.map(|of| Case { work: work.clone(), of }));
            }
        }
        cases
    }

    /// Returns the latencies up to which slower cores are tried for a block: only those of what it has.
    fn slowest(&self, ops: &[usize], all: bool) -> Slowest {
        let has = |unit: Unit| ops.iter().any(|&op| self.ops[op].code.row().unit == unit);
        let up_to = |is_tried: bool, latency: u32| if is_tried { latency } else { 0 };
        Slowest {
            load: up_to(has(Unit::Load), SLOWEST.load),
            arithmetic: SLOWEST.arithmetic,
            psprmsgn: up_to(all && has(Unit::Permute), SLOWEST.psprmsgn),
            mtfpr: up_to(all && has(Unit::ToFpr), SLOWEST.mtfpr),
        }
    }

    fn key(&self, ops: &[usize], of: Option<&Loop>) -> Result<Key, ScheduleError> {
        let unroll = of.map_or(1, |of| self.most_unroll(ops, of));
        let edges =
            |work: &Self| Ok(work.block(ops, of.is_some(), unroll)?.placing().edges.clone());
        let exchanged = self.balanced(ops).map(|balanced| edges(&balanced.work)).transpose()?;
        Ok((unroll, of.and_then(|of| of.count.expected()), edges(self)?, exchanged))
    }
}

/// Whether a core differs from a faster one by one bundle of one latency.
fn is_next(core: &Core, slower: &Core) -> bool {
    let sum = |core: &Core| {
        let numbers = core.numbers();
        numbers.load_latency + numbers.arithmetic_latency
    };
    sum(slower) <= sum(core) + 1
}

/// Returns the longest interval at which a large loop is scheduled in a worse case, if `ii` is the best one. A loop with an expected
/// count may take fewer cycles at a longer interval, where less of an iteration is left behind the last pass.
fn longest(of: &Loop, ii: i64) -> i64 {
    if is_open(of) { ii } else { ii + ii / 32 }
}

/// Latencies, in bundles.
#[derive(Clone, Copy, Debug)]
struct Slowest {
    load: u32,
    arithmetic: u32,
    psprmsgn: u32,
    mtfpr: u32,
}

/// Returns a core and those that are slower, up to the latencies that are tried.
fn slower(core: &Core, slowest: Slowest) -> impl Iterator<Item = Core> {
    let numbers = *core.numbers();
    let up_to = |latency: u32, most: u32| latency..=latency.max(most);
    let loads = up_to(numbers.load_latency, slowest.load);
    let arithmetic = up_to(numbers.arithmetic_latency, slowest.arithmetic);
    let psprmsgn = up_to(numbers.psprmsgn_latency, slowest.psprmsgn);
    let mtfpr = up_to(numbers.mtfpr_latency, slowest.mtfpr);
    let all =
        loads.flat_map(move |load| arithmetic.clone().map(move |arithmetic| (load, arithmetic)));
    let all = all.flat_map(move |case| psprmsgn.clone().map(move |psprmsgn| (case, psprmsgn)));
    let all = all.flat_map(move |case| mtfpr.clone().map(move |mtfpr| (case, mtfpr)));
    all.filter_map(
        move |(((load_latency, arithmetic_latency), psprmsgn_latency), mtfpr_latency)| {
            let latencies = CoreNumbers {
                load_latency,
                arithmetic_latency,
                psprmsgn_latency,
                mtfpr_latency,
                ..numbers
            };
            Core::new(latencies).ok()
        },
    )
}

/// Returns a loop with what it promises its count to be a multiple of, and with halves of that; behind these the same without the
/// count that is expected.
fn weaker(of: Option<&Loop>) -> impl Iterator<Item = Option<Loop>> {
    halved(of.cloned()).chain(without_expected(of).into_iter().flat_map(|of| halved(Some(of))))
}

fn halved(of: Option<Loop>) -> impl Iterator<Item = Option<Loop>> {
    successors(Some(of), |of| {
        let mut of = of.clone()?;
        let TripCount::Register { multiple, .. } = &mut of.count else { return None };
        *multiple = (*multiple % 2 == 0).then_some(*multiple / 2)?;
        Some(Some(of))
    })
}

/// Returns a loop with its count in a register without the count that is expected, if there is one.
fn without_expected(of: Option<&Loop>) -> Option<Loop> {
    let mut of = of?.clone();
    let TripCount::Register { expected, .. } = &mut of.count else { return None };
    expected.take()?;
    Some(of)
}
