//! The way back through the cycles of a kernel, from operation to operation: each time over the edge that tells why the
//! operation could not issue earlier.

use super::kind::PathKind;
use crate::history::Issued;
use cp2_emu::stats::Cause;
use cp2_emu::trace::{Event, Observer, PastCycle, Wants};
use cp2_isa::rules::landing::{SurvivingWrite, surviving_write};
use cp2_isa::{AccessMode, BundleAddress, Cycle, Latencies, Resource, Slot, Unit, control};
use std::ops::{ControlFlow, Range};

/// An edge of a critical path: from what ended in a cycle to what begins in a later one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathEdge {
    /// Cycle in which the edge begins, that in which its giver issued, and the cycle in which it ends, counted from
    /// reset.
    pub cycles: Range<Cycle>,
    /// Reason for which what stands at the end could not come earlier.
    pub kind: PathKind,
    /// Operation at the end; `None` at an empty bundle and at the end of a kernel.
    pub to: Option<Issued>,
    /// Operation at the begin; `None` at an empty bundle.
    pub from: Option<Issued>,
}

/// A place on a path: a cycle, and the slot whose operation is on the path; `None` for the bundle as a whole.
pub(super) type Stand = (Cycle, Option<Slot>);

/// A cycle of a kernel with what issued in it.
#[derive(Debug)]
struct WalkedCycle {
    number: Cycle,
    cause: Option<Cause>,
    /// Address of the bundle that issues next.
    next: BundleAddress,
    operations: [Option<Issued>; 2],
}

/// The cycles of a piece of a kernel, and some before it, as an observer was told of them.
#[derive(Debug, Default)]
pub(super) struct WalkedCycles {
    cycles: Vec<WalkedCycle>,
    under_way: [Option<Issued>; 2],
}

impl Observer for WalkedCycles {
    fn wants(&self) -> Wants {
        Wants::UNNAMED | Wants::CYCLES
    }

    fn operation(&mut self, event: &Event) {
        // The cycle of the operation is known when the cycle is over.
        self.under_way[event.slot as usize] = Some(Issued::in_cycle(event, Cycle::RESET));
    }

    fn cycle(&mut self, past: &PastCycle<'_>) -> ControlFlow<()> {
        let mut operations = std::mem::take(&mut self.under_way);
        operations.iter_mut().flatten().for_each(|issued| issued.cycle = past.number);
        let &PastCycle { number, cause, state, .. } = past;
        self.cycles.push(WalkedCycle { number, cause, next: state.pc, operations });
        ControlFlow::Continue(())
    }
}

/// Slots, in the order in which an end without an operation looks for one.
const SLOTS: [Slot; 2] = [Slot::Exchange, Slot::Arithmetic];

/// Walker through the cycles of a piece of a kernel.
pub(super) struct Walker<'a> {
    pub(super) cycles: &'a WalkedCycles,
    pub(super) latencies: Latencies,
    /// First cycle that an edge may begin in; edges that would begin earlier are cut there.
    pub(super) first: Cycle,
}

impl Walker<'_> {
    /// Walks back from a stand until the path is at or before `begin`, and calls `visit` with each edge. Returns where
    /// the path goes on.
    pub(super) fn walk(
        &self,
        from: Stand,
        begin: Cycle,
        visit: &mut dyn FnMut(&PathEdge),
    ) -> Stand {
        let mut stand = from;
        while stand.0 > begin {
            let (edge, next) = self.step(stand);
            visit(&edge);
            stand = next;
        }
        stand
    }

    fn cycle(&self, cycle: Cycle) -> Option<&WalkedCycle> {
        let all = &self.cycles.cycles;
        all.binary_search_by_key(&cycle, |past| past.number).ok().map(|at| &all[at])
    }

    fn operation(&self, (cycle, slot): Stand) -> Option<&Issued> {
        self.cycle(cycle)?.operations[slot? as usize].as_ref()
    }

    /// Returns the edge that ends at a stand, and the stand at its begin.
    fn step(&self, stand: Stand) -> (PathEdge, Stand) {
        let to = self.operation(stand);
        let result = to.and_then(|to| self.result(to));
        let (kind, from) = result.unwrap_or_else(|| self.cycle_before(stand));
        let begin = from.0.max(self.first).min(stand.0 - 1);
        let edge = PathEdge {
            cycles: begin..stand.0,
            kind,
            to: to.cloned(),
            from: self.operation(from).cloned(),
        };
        (edge, (begin, from.1))
    }

    /// Returns the result that an operation had to wait for until the cycle in which it issued: of several the one whose
    /// operation issued first. A result counts only if the slot was free in a cycle between; if not, the slot would have
    /// kept the operation as well.
    fn result(&self, to: &Issued) -> Option<(PathKind, Stand)> {
        let longest = u64::from(self.latencies.longest());
        let earliest = to.cycle.saturating_sub(longest + 1).max(self.first);
        let (mut reads, mut writes) = (Vec::new(), Vec::new());
        to.footprint(&mut |access| match access.mode {
            AccessMode::Use => reads.push(access.resource),
            _ => writes.extend(access.changed()),
        });
        let mut is_free = false;
        let mut found = None;
        for cycle in (1..=to.cycle - earliest).map(|back| to.cycle - back) {
            let Some(past) = self.cycle(cycle) else { break };
            for giver in past.operations.iter().flatten() {
                let kind = self.edge_kind(giver, to, (&reads, &writes));
                let kind = kind.filter(|_| is_free || cycle + 1 == to.cycle);
                found = kind.map(|kind| (kind, (cycle, Some(giver.slot)))).or(found);
            }
            is_free |= past.operations[to.slot as usize].is_none();
        }
        found
    }

    /// Returns the kind of the edge between two operations, if the earlier one kept the later one from issuing before.
    fn edge_kind(
        &self,
        giver: &Issued,
        to: &Issued,
        (reads, writes): (&[Resource], &[Resource]),
    ) -> Option<PathKind> {
        let span = to.cycle - giver.cycle;
        let mut kind = None;
        giver.footprint(&mut |access| {
            let Some(written) = access.changed().filter(|r| !gathers(*r)) else { return };
            if is_step(giver, to, written) {
                return;
            }
            let overlaps = |resource: &&Resource| written.overlaps(**resource);
            if let Some(read) = reads.iter().find(overlaps)
                && shares_sections(giver, to, *read)
                && u64::from(self.latencies.distance(giver.unit(), *read, to.unit())) == span
            {
                kind = Some(PathKind::of_result(giver.unit(), span));
            } else if kind.is_none()
                && let Some(own) = writes.iter().find(overlaps)
                && self.order(giver, to, *own) == Some(span)
            {
                kind = Some(PathKind::Order);
            }
        });
        kind
    }

    /// Returns the least number of cycles between two operations that write the same, so that the later result stays.
    fn order(&self, giver: &Issued, to: &Issued, resource: Resource) -> Option<u64> {
        let visible = |of: Unit| u64::from(self.latencies.distance(of, resource, giver.unit()));
        let younger = surviving_write(giver.unit(), to.unit()) == SurvivingWrite::Younger;
        let least = visible(giver.unit()) + u64::from(!younger);
        least.checked_sub(visible(to.unit())).filter(|span| *span > 1)
    }

    /// Returns the edge over the cycle before a stand, where no result was waited for.
    fn cycle_before(&self, (cycle, slot): Stand) -> (PathKind, Stand) {
        let before = cycle - 1;
        let Some(past) = self.cycle(before) else { return (PathKind::Last, (before, None)) };
        match past.cause {
            None => return (PathKind::Drain, (before, None)),
            Some(Cause::Nullified) => return (PathKind::Nullified, (before, None)),
            Some(Cause::SyncHold) => return self.hold(cycle),
            Some(_) => {}
        }
        let taken = |slot: Slot| past.operations[slot as usize].is_some();
        match slot {
            Some(Slot::Arithmetic) if taken(Slot::Arithmetic) => {
                return (PathKind::ArithmeticSlot, (before, slot));
            }
            Some(Slot::Exchange) if taken(Slot::Exchange) => {
                return (PathKind::ExchangeSlot, (before, slot));
            }
            _ => {}
        }
        let next = self.operation_to_follow(past);
        let kind = if self.cycle(cycle).is_none_or(|there| there.cause.is_none()) {
            PathKind::Last
        } else if self.is_turn(before) {
            PathKind::Flow
        } else {
            PathKind::Placement
        };
        (kind, (before, next))
    }

    /// Returns the slot of the operation of a cycle with which a path goes on that comes from a bundle as a whole: one that
    /// a result kept, if there is one, else one that its slot kept, else any.
    fn operation_to_follow(&self, past: &WalkedCycle) -> Option<Slot> {
        let of = |slot: Slot| past.operations[slot as usize].as_ref();
        let before = self.cycle(past.number.saturating_sub(1));
        let has_result =
            |slot: &Slot| of(*slot).is_some_and(|issued| self.result(issued).is_some());
        let has_slot = |slot: &Slot| {
            let is_taken = before.is_some_and(|past| past.operations[*slot as usize].is_some());
            of(*slot).is_some() && is_taken
        };
        let all = || SLOTS.into_iter();
        let found = all().find(has_result).or_else(|| all().find(has_slot));
        found.or_else(|| all().find(|slot| of(*slot).is_some()))
    }

    /// Returns the edge that ends behind a hold: from the operation whose result lands last, or of one cycle.
    fn hold(&self, behind: Cycle) -> (PathKind, Stand) {
        let mut first = behind - 1;
        while let Some(past) = self.cycle(first.saturating_sub(1))
            && past.cause == Some(Cause::SyncHold)
            && first > self.first
        {
            first = first - 1;
        }
        let longest = u64::from(self.latencies.longest());
        let earliest = first.saturating_sub(longest).max(self.first);
        let mut last: Option<(Cycle, Stand)> = None;
        for cycle in earliest.until(first) {
            let Some(past) = self.cycle(cycle) else { continue };
            for issued in past.operations.iter().flatten() {
                let lands = cycle + self.landing(issued);
                if lands > first && last.is_none_or(|(latest, _)| lands > latest) {
                    last = Some((lands, (cycle, Some(issued.slot))));
                }
            }
        }
        let alone = (PathKind::Sync, (behind - 1, None));
        last.map_or(alone, |(_, giver)| (PathKind::Sync, giver))
    }

    /// Returns the number of cycles until all results of an operation have landed in FPRs; 0 if it has none.
    fn landing(&self, issued: &Issued) -> u64 {
        let mut latest = 0;
        issued.footprint(&mut |access| {
            if let Some(resource @ Resource::Fpr(..)) = access.changed() {
                let distance = self.latencies.distance(issued.unit(), resource, issued.unit());
                latest = latest.max(u64::from(distance));
            }
        });
        latest
    }

    /// Whether the bundle behind a cycle is not the one behind its own.
    fn is_turn(&self, cycle: Cycle) -> bool {
        let Some(past) = self.cycle(cycle) else { return false };
        let own = past.operations.iter().flatten().map(|issued| issued.address).next();
        let own = own.or_else(|| Some(self.cycle(cycle.saturating_sub(1))?.next));
        own.is_some_and(|own| own.plus(1) != past.next)
    }
}

/// Whether several operations write a resource together, so that none waits for another.
fn gathers(resource: Resource) -> bool {
    matches!(resource, Resource::Fcsr | Resource::Fpe | Resource::Mailbox)
}

/// Whether a resource is an address or an angle that the operation before in the same slot left behind.
fn is_step(giver: &Issued, to: &Issued, resource: Resource) -> bool {
    giver.slot == to.slot
        && match resource {
            Resource::A(_) => giver.access.is_some(),
            Resource::Control(control::RIND) => giver.slot == Slot::Arithmetic,
            _ => false,
        }
}

/// Whether two operations meet in a section, where each section has the resource of its own.
fn shares_sections(giver: &Issued, to: &Issued, resource: Resource) -> bool {
    let is_own = resource.storage().info().layout.is_per_section();
    !is_own || giver.enabled.bits() & to.enabled.bits() != 0
}
