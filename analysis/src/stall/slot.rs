//! A slot of a bundle that issued: what was in it, or what kept it empty.

use super::Look;
use super::constraint::{Constraint, constraints};
use crate::history::{Issued, PastCycle};
use crate::program::LoopUse;
use cp2_emu::stats::Cause;
use cp2_isa::rules::flow::{Misplaced, Position, misplaced};
use cp2_isa::{BundleAddress, Cycle, Effects, Slot};
use cp2_recording::RecordingError;

/// Cycles within which the next operation of a slot is looked for.
const HORIZON: u64 = 256;

/// A slot in a cycle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SlotStory {
    /// Which one.
    pub slot: Slot,
    /// What issued in it.
    pub issued: Option<Issued>,
    /// What kept that, the latest first; of an empty slot, what kept the next operation.
    pub constraints: Vec<Constraint>,
    /// What took an empty slot next; `None` if nothing did for long.
    pub next: Option<Next>,
}

/// The operation that took an empty slot next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Next {
    /// The operation.
    pub issued: Issued,
    /// Why it was not in the cycle.
    pub reason: Reason,
}

/// Why an operation did not take an empty slot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    /// This kept it until a later cycle.
    Waits(Constraint),
    /// It is a control operation, and none may stand there.
    Misplaced(Misplaced),
    /// It is in another pass of the loop, the slots of which are used so.
    NextPass(LoopUse),
    /// The flow went elsewhere between: from this bundle to that one, which began in this cycle.
    Flow(BundleAddress, BundleAddress, Cycle),
    /// A `sync` between held the issue up to this cycle.
    Held(BundleAddress, Cycle),
    /// Nothing: it could have issued in the cycle, so many cycles before it did.
    Free(u64),
}

impl SlotStory {
    /// The operation that explains the slot, whether anything kept it, and since when it could issue.
    pub(super) fn binding(&self) -> Option<(&Issued, (bool, Cycle))> {
        let issued = self.issued.as_ref().or(self.next.as_ref().map(|next| &next.issued))?;
        let first = self.constraints.first().filter(|constraint| !constraint.is_step)?;
        let is_free = self.next.as_ref().is_some_and(|next| matches!(next.reason, Reason::Free(_)));
        Some((issued, (!is_free, first.ready)))
    }
}

/// The story of a slot in a cycle in which a bundle issued.
pub(super) fn story(
    look: &mut Look<'_>,
    past: &PastCycle,
    slot: Slot,
    within: Option<LoopUse>,
) -> Result<SlotStory, RecordingError> {
    let cycle = past.number;
    let until = cycle + 1 + HORIZON;
    let all = look.history.issued(look.recording, cycle..until)?;
    let mut own = all.into_iter().filter(|issued| issued.slot == slot);
    let first = own.next();
    let (mut issued, mut next) = (None, None);
    let mut kept = Vec::new();
    if let Some(first) = first {
        kept = constraints(look, &first)?;
        if first.cycle == cycle {
            issued = Some(first);
        } else if is_same_run(look, cycle, first.cycle)? {
            let reason = reason(look, past, &first, &kept, within)?;
            next = Some(Next { issued: first, reason });
        } else {
            kept.clear();
        }
    }
    Ok(SlotStory { slot, issued, constraints: kept, next })
}

/// Whether a kernel runs all the way from one cycle to another.
fn is_same_run(look: &mut Look<'_>, from: Cycle, to: Cycle) -> Result<bool, RecordingError> {
    for cycle in from.until(to) {
        let past = look.history.cycle(look.recording, cycle)?;
        if past.is_none_or(|past| past.cause.is_none()) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Why an operation did not issue in an earlier cycle.
fn reason(
    look: &mut Look<'_>,
    past: &PastCycle,
    next: &Issued,
    kept: &[Constraint],
    within: Option<LoopUse>,
) -> Result<Reason, RecordingError> {
    let keeps = |c: &&Constraint| c.ready > past.number && !c.is_step;
    let binding = kept.iter().filter(keeps).max_by_key(|c| c.ready);
    if let Some(binding) = binding {
        return Ok(Reason::Waits(binding.clone()));
    }
    if let Some(reason) = placed_wrongly(look, past, next, within)? {
        return Ok(reason);
    }
    if let Some(reason) = flow(look, past, next.cycle, within)? {
        return Ok(reason);
    }
    Ok(Reason::Free(next.cycle - past.number))
}

/// Whether the operation may not stand in the bundle.
fn placed_wrongly(
    look: &mut Look<'_>,
    past: &PastCycle,
    next: &Issued,
    within: Option<LoopUse>,
) -> Result<Option<Reason>, RecordingError> {
    let Some(address) = past.address.filter(|_| next.slot == Slot::Exchange) else {
        return Ok(None);
    };
    let before = past.number.checked_since(Cycle(1)).map(Cycle);
    let before = match before {
        Some(before) => look.history.issued(look.recording, before..past.number)?,
        None => Vec::new(),
    };
    let jumps = before.iter().any(|issued| issued.row().effects.contains(Effects::DELAY_SLOT));
    let position = if jumps { Position::JumpSlot(address) } else { Position::Plain };
    let body = within.map(|within| within.body);
    Ok(misplaced(next.row(), address, position, body).map(Reason::Misplaced))
}

/// What the flow did between a cycle and a later one, if it did not go straight on.
fn flow(
    look: &mut Look<'_>,
    past: &PastCycle,
    to: Cycle,
    within: Option<LoopUse>,
) -> Result<Option<Reason>, RecordingError> {
    let mut last = past.address;
    for cycle in (past.number + 1).until(to + 1) {
        let Some(now) = look.history.cycle(look.recording, cycle)? else { return Ok(None) };
        let (Some(from), Some(address)) = (last, now.address) else { return Ok(None) };
        match now.cause {
            Some(Cause::SyncHold) => {
                let end = behind_hold(look, cycle)?;
                return Ok(Some(Reason::Held(address, end)));
            }
            _ if address == from.plus(1) => {}
            _ => {
                let back = within.filter(|within| within.body.start == address);
                return Ok(Some(match back {
                    Some(within) => Reason::NextPass(within),
                    None => Reason::Flow(from, address, cycle),
                }));
            }
        }
        last = now.address;
    }
    Ok(None)
}

/// The first cycle behind a hold.
fn behind_hold(look: &mut Look<'_>, mut cycle: Cycle) -> Result<Cycle, RecordingError> {
    while look
        .history
        .cycle(look.recording, cycle)?
        .is_some_and(|past| past.cause == Some(Cause::SyncHold))
    {
        cycle += 1;
    }
    Ok(cycle)
}
