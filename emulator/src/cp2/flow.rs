//! Flow of control: delay slots, hardware loops, calls. Which bundle issues next, and nothing else.

use super::fault::FaultKind;
use crate::state::{Loop, State, status};
use cp2_isa::{Core, Effects, Row};

/// What the bundle that issues now is to the bundle before it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Position {
    /// Nothing special.
    #[default]
    Plain,
    /// The delay slot of a jump to this address.
    JumpSlot(u16),
    /// The bundle at `end` + 1 of a loop that goes back to this address.
    LoopBack(u16),
    /// The bundle at `end` + 1 of a loop that is over.
    LoopExit,
    /// The bundle after a `do` with count 0: nothing of it executes, and the flow goes on here.
    Nullified(u16),
}

/// Where the flow goes after a bundle, as its exchange operation asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Request {
    /// Straight on.
    None,
    /// To an address, after the delay slot.
    Jump(u16),
    /// The next bundle is nullified, then on at this address.
    Skip(u16),
}

/// The address that a register or an immediate names, if there is such a bundle.
pub(super) fn target(core: &Core, value: u64) -> Result<u16, FaultKind> {
    match u16::try_from(value) {
        Ok(address) if address <= last_bundle(core) => Ok(address),
        _ => Err(FaultKind::TargetOutside(value, last_bundle(core))),
    }
}

/// The highest address of instruction memory.
pub(super) fn last_bundle(core: &Core) -> u16 {
    (core.iram_bundles() - 1) as u16
}

/// Refuses a control operation where none may stand.
pub(super) fn check_place(
    row: &Row,
    pc: u16,
    position: Position,
    innermost: Option<&Loop>,
) -> Result<(), FaultKind> {
    if !row.effects.contains(Effects::CONTROL) {
        return Ok(());
    }
    match position {
        Position::JumpSlot(_) => return Err(FaultKind::ControlInDelaySlot(row.name)),
        Position::LoopBack(_) | Position::LoopExit => {
            return Err(FaultKind::ControlAtLoopEnd(row.name));
        }
        Position::Plain | Position::Nullified(_) => {}
    }
    match innermost {
        Some(l) if l.end == pc || l.end + 1 == pc => Err(FaultKind::ControlAtLoopEnd(row.name)),
        Some(l) if row.effects.contains(Effects::DELAY_SLOT) && l.end == pc + 1 => {
            Err(FaultKind::JumpBeforeLoopEnd(row.name))
        }
        _ => Ok(()),
    }
}

/// Refuses a loop that is not nested in the one around it or has no body.
pub(super) fn check_loop(
    core: &Core,
    pc: u16,
    end: u16,
    innermost: Option<&Loop>,
) -> Result<(), FaultKind> {
    if end <= pc {
        return Err(FaultKind::LoopEndBeforeStart(end));
    }
    target(core, u64::from(end) + 1)?;
    // A loop elsewhere, in a subroutine that the body calls, has nothing to do with the body's end.
    match innermost {
        Some(outer) if (outer.start..=outer.end).contains(&pc) && end >= outer.end => {
            Err(FaultKind::LoopNotNested(end, outer.end))
        }
        _ => Ok(()),
    }
}

/// Starts a loop behind the `do` at `pc`.
pub(super) fn start_loop(core: &Core, state: &mut State, pc: u16, count: u32, end: u16) -> Request {
    if count == 0 {
        return Request::Skip(end + 2);
    }
    if state.loops.len() >= core.loop_depth() {
        state.status |= status::LOOP_OVERFLOW;
        state.loops.pop();
    }
    state.loops.push(Loop { count, start: pc + 1, end });
    Request::None
}

/// Forgets the innermost loop.
pub(super) fn leave_loop(state: &mut State) {
    if state.loops.pop().is_none() {
        state.status |= status::LOOP_UNDERFLOW;
    }
}

/// Remembers the return address of the call at `pc`.
pub(super) fn call(core: &Core, state: &mut State, pc: u16, to: u16) -> Request {
    if state.calls.len() >= core.call_depth() {
        state.status |= status::CALL_OVERFLOW;
        state.calls.pop();
    }
    state.calls.push(pc + 2);
    Request::Jump(to)
}

/// Returns to the latest caller; does nothing without one.
pub(super) fn ret(state: &mut State) -> Request {
    match state.calls.pop() {
        Some(to) => Request::Jump(to),
        None => {
            state.status |= status::CALL_UNDERFLOW;
            Request::None
        }
    }
}

/// The address that issues behind the bundle at `pc`, which is this to the one before it.
pub(super) fn next_address(pc: u16, position: Position) -> u16 {
    match position {
        Position::JumpSlot(to) | Position::LoopBack(to) | Position::Nullified(to) => to,
        Position::Plain | Position::LoopExit => pc + 1,
    }
}

/// The decision to go back, taken in the cycle in which the bundle at `end` issues, so before
/// anything of it executes. Tells what the next bundle is to this one, as far as loops know. A
/// bundle in a delay slot that is taken is the end of no loop.
pub(super) fn decide(state: &mut State, pc: u16, position: Position) -> Position {
    if !matches!(position, Position::Plain | Position::LoopExit) {
        return Position::Plain;
    }
    match state.loops.last_mut() {
        Some(innermost) if innermost.end == pc && innermost.count > 1 => {
            innermost.count -= 1;
            Position::LoopBack(innermost.start)
        }
        Some(innermost) if innermost.end == pc => {
            state.loops.pop();
            Position::LoopExit
        }
        _ => Position::Plain,
    }
}

/// What the next bundle is to one that asks for this and before which loops decided so.
pub(super) fn next_position(decision: Position, request: Request) -> Position {
    match request {
        Request::Jump(to) => Position::JumpSlot(to),
        Request::Skip(to) => Position::Nullified(to),
        Request::None => decision,
    }
}
