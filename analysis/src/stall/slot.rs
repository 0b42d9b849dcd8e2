//! The explanation of one slot of a bundle that issued: its operation, or why it stayed empty.

use super::Look;
use super::constraint::{Constraint, constraints};
use crate::history::{Issued, SegmentCycle};
use crate::program::LoopUse;
use cp2_emu::stats::Cause;
use cp2_isa::rules::flow::{FlowPosition, MisplacedControl, misplaced};
use cp2_isa::{BundleAddress, Cycle, Effects, Slot};
use cp2_recording::RecordingError;

/// Number of cycles within which the next operation of a slot is searched.
const HORIZON: u64 = 256;

/// The explanation of one slot in a cycle in which a bundle issued: the operation in it, or why it was empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SlotExplanation {
    /// The slot that is explained: arithmetic or exchange.
    pub slot: Slot,
    /// Operation that issued in the slot in the explained cycle; `None` if the slot was empty.
    pub issued: Option<Issued>,
    /// Reasons for which that operation could not issue earlier, the latest first. If the slot was empty, those of the
    /// operation in [`SlotExplanation::next`].
    pub constraints: Vec<Constraint>,
    /// The first operation that issued in the slot after the cycle, if the slot was empty; `None` if none did within
    /// 256 cycles of the same run of a kernel.
    pub next: Option<NextOperation>,
}

/// The operation that was the next to issue in a slot which was empty, and why it did not issue in that cycle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NextOperation {
    /// The operation that issued next in the slot, with its cycle.
    pub issued: Issued,
    /// Reason for which the operation did not issue in the cycle with the empty slot.
    pub reason: Reason,
}

/// The reason for which an operation did not issue in an earlier cycle, although its slot was empty there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    /// The operation had to wait until a later cycle, for this constraint.
    Waits(Constraint),
    /// The operation is one of control flow, and the rules allow none in the bundle with the empty slot.
    Misplaced(MisplacedControl),
    /// The operation belongs to the next pass of this hardware loop, and could not be moved into the pass before.
    NextPass(LoopUse),
    /// The flow of control went elsewhere between: the address of the bundle that it left, the address at which it went
    /// on, and the cycle in which it did.
    Flow(BundleAddress, BundleAddress, Cycle),
    /// A `sync` between held the issue: the address of its bundle, and the first cycle behind the hold.
    Held(BundleAddress, Cycle),
    /// No reason: the operation could have issued in the cycle with the empty slot, this number of cycles earlier than
    /// it did.
    Free(u64),
}

impl SlotExplanation {
    /// Returns the operation that explains the slot, whether anything kept it, and the first cycle in which it could issue.
    pub(super) fn binding(&self) -> Option<(&Issued, (bool, Cycle))> {
        let issued = self.issued.as_ref().or(self.next.as_ref().map(|next| &next.issued))?;
        let first = self.constraints.first().filter(|constraint| !constraint.is_step)?;
        let is_free = self.next.as_ref().is_some_and(|next| matches!(next.reason, Reason::Free(_)));
        Some((issued, (!is_free, first.ready)))
    }
}

/// Returns the story of a slot in a cycle in which a bundle issued.
pub(super) fn story(
    look: &mut Look<'_>,
    past: &SegmentCycle,
    slot: Slot,
    within: Option<LoopUse>,
) -> Result<SlotExplanation, RecordingError> {
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
            next = Some(NextOperation { issued: first, reason });
        } else {
            kept.clear();
        }
    }
    Ok(SlotExplanation { slot, issued, constraints: kept, next })
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

/// Returns the reason why an operation did not issue in an earlier cycle.
fn reason(
    look: &mut Look<'_>,
    past: &SegmentCycle,
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

/// Returns the reason if the operation may not stand in the bundle.
fn placed_wrongly(
    look: &mut Look<'_>,
    past: &SegmentCycle,
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
    let position = if jumps { FlowPosition::JumpSlot(address) } else { FlowPosition::Plain };
    let body = within.map(|within| within.body);
    Ok(misplaced(next.row(), address, position, body).map(Reason::Misplaced))
}

/// Returns the turn that the flow took between a cycle and a later one, if it did not go straight on.
fn flow(
    look: &mut Look<'_>,
    past: &SegmentCycle,
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

/// Returns the first cycle behind a hold.
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
