//! Flow of control on the state: the rules of `cp2_isa::rules::flow` applied to its stacks, and what
//! is refused. Which bundle issues next, and nothing else.

use super::fault::FaultKind;
use crate::state::{ActiveLoop, State, status};
use cp2_isa::rules::flow::{self, Body, Decision, LoopEntry, Misplaced};
use cp2_isa::{BundleAddress, Core, Row};

pub use cp2_isa::rules::flow::FlowPosition;
pub(super) use cp2_isa::rules::flow::{FlowRequest, last_bundle, next_address, next_position};

/// Returns the address that a register or an immediate names, if there is such a bundle.
pub fn target(core: &Core, value: u64) -> Result<BundleAddress, FaultKind> {
    flow::target(core, value).ok_or(FaultKind::TargetOutside(value, last_bundle(core)))
}

/// Refuses a control operation where none may stand.
pub fn check_place(
    row: &Row,
    pc: BundleAddress,
    position: FlowPosition,
    innermost: Option<&ActiveLoop>,
) -> Result<(), FaultKind> {
    match flow::misplaced(row, pc, position, innermost.map(ActiveLoop::body)) {
        None => Ok(()),
        Some(Misplaced::InDelaySlot) => Err(FaultKind::ControlInDelaySlot(row.name)),
        Some(Misplaced::AtLoopEnd) => Err(FaultKind::ControlAtLoopEnd(row.name)),
        Some(Misplaced::BeforeLoopEnd) => Err(FaultKind::JumpBeforeLoopEnd(row.name)),
    }
}

/// Refuses a loop that is not nested in the one around it or has no body.
pub fn check_loop(
    core: &Core,
    pc: BundleAddress,
    end: BundleAddress,
    innermost: Option<&ActiveLoop>,
) -> Result<(), FaultKind> {
    let body = Body::behind(pc, end);
    if !body.is_possible() {
        return Err(FaultKind::LoopEndBeforeStart(end));
    }
    target(core, body.last().into())?;
    match innermost {
        Some(outer) if !outer.body().nests(pc, body) => {
            Err(FaultKind::LoopNotNested(end, outer.end))
        }
        _ => Ok(()),
    }
}

/// Starts a loop behind the `do` at `pc`.
pub fn start_loop(
    core: &Core,
    state: &mut State,
    pc: BundleAddress,
    count: u32,
    end: BundleAddress,
) -> FlowRequest {
    match flow::begun(pc, count, end) {
        LoopEntry::Nothing(to) => FlowRequest::Skip(to),
        LoopEntry::Loop(new) => {
            if push(&mut state.loops, new, core.loop_depth()) {
                state.status |= status::LOOP_OVERFLOW;
            }
            FlowRequest::None
        }
    }
}

/// Puts one more entry on a stack of this depth, and returns whether it has replaced the top.
fn push<T>(stack: &mut Vec<T>, entry: T, depth: usize) -> bool {
    let kept = flow::kept_under_one_more(stack.len(), depth);
    let is_full = kept < stack.len();
    stack.truncate(kept);
    stack.push(entry);
    is_full
}

/// Leaves the innermost loop.
pub fn leave_loop(state: &mut State) {
    if state.loops.pop().is_none() {
        state.status |= status::LOOP_UNDERFLOW;
    }
}

/// Remembers the return address of the call at `pc`.
pub fn call(core: &Core, state: &mut State, pc: BundleAddress, to: BundleAddress) -> FlowRequest {
    if push(&mut state.calls, flow::return_address(pc), core.call_depth()) {
        state.status |= status::CALL_OVERFLOW;
    }
    FlowRequest::Jump(to)
}

/// Returns to the latest caller; does nothing without one.
pub fn ret(state: &mut State) -> FlowRequest {
    match state.calls.pop() {
        Some(to) => FlowRequest::Jump(to),
        None => {
            state.status |= status::CALL_UNDERFLOW;
            FlowRequest::None
        }
    }
}

/// Takes the decision of the innermost loop for the bundle that issues now.
pub fn decide(state: &mut State, pc: BundleAddress, position: FlowPosition) -> Decision {
    let decision = flow::decision(state.loops.last(), pc, position);
    match (decision, state.loops.last_mut()) {
        (Decision::Back { left, .. }, Some(innermost)) => innermost.count = left,
        (Decision::Leave, _) => drop(state.loops.pop()),
        _ => {}
    }
    decision
}
