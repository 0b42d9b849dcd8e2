//! Flow of control on the state of a CP2: applies the rules of [`cp2_isa::rules::flow`] to the stacks of loops and
//! calls, and refuses operations that have no meaning where they stand.

use super::fault::FaultKind;
use crate::state::{ActiveLoop, State, status};
use cp2_isa::rules::flow::{self, Body, Decision, LoopEntry, MisplacedControl};
use cp2_isa::{BundleAddress, Core, Row};

pub use cp2_isa::rules::flow::FlowPosition;
pub(super) use cp2_isa::rules::flow::{FlowRequest, last_bundle, next_address, next_position};

/// Returns the value of a register or immediate as the bundle address of a jump, call, run or loop.
///
/// # Errors
/// The core has no bundle of that address ([`FaultKind::TargetOutside`]).
pub fn target(core: &Core, value: u64) -> Result<BundleAddress, FaultKind> {
    flow::target(core, value).ok_or(FaultKind::TargetOutside(value, last_bundle(core)))
}

/// Checks that an operation may stand in the bundle at `pc`. `row` is the entry of the operation in the table of
/// operations, `position` the relation of the bundle to the one before it (in sequence, or in a delay slot, for
/// example), `innermost` the innermost active hardware loop. Only operations that change the flow can be refused.
///
/// # Errors
/// The operation stands in a delay slot or near the end of the loop; see [`FaultKind`].
pub fn check_place(
    row: &Row,
    pc: BundleAddress,
    position: FlowPosition,
    innermost: Option<&ActiveLoop>,
) -> Result<(), FaultKind> {
    match flow::misplaced(row, pc, position, innermost.map(ActiveLoop::body)) {
        None => Ok(()),
        Some(MisplacedControl::InDelaySlot) => Err(FaultKind::ControlInDelaySlot(row.name)),
        Some(MisplacedControl::AtLoopEnd) => Err(FaultKind::ControlAtLoopEnd(row.name)),
        Some(MisplacedControl::BeforeLoopEnd) => Err(FaultKind::JumpBeforeLoopEnd(row.name)),
    }
}

/// Checks the hardware loop that a `do` at `pc` begins and whose last bundle but one is at `end`. `innermost` is the
/// innermost active loop around it.
///
/// # Errors
/// The loop has no body, reaches out of instruction memory, or does not end before the loop around it.
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

/// Executes a `do` at `pc`: pushes a hardware loop of `count` iterations, whose last bundle but one is at `end`, on the
/// loop stack, and returns that the flow does not change. With count 0 it pushes nothing and returns a request to skip
/// the bundles of the loop. On a full stack the loop replaces the top entry and the overflow bit of STATUS is set.
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
    let kept = flow::entries_after_push(stack.len(), depth);
    let is_full = kept < stack.len();
    stack.truncate(kept);
    stack.push(entry);
    is_full
}

/// Executes `enddo`: removes the innermost loop from the loop stack. An empty stack sets the underflow bit of STATUS
/// instead.
pub fn leave_loop(state: &mut State) {
    if state.loops.pop().is_none() {
        state.status |= status::LOOP_UNDERFLOW;
    }
}

/// Executes a call at `pc` to the bundle at `to`: pushes the return address on the call stack and returns the request
/// to jump there after the delay slot. On a full stack it replaces the top entry and the overflow bit of STATUS is set.
pub fn call(core: &Core, state: &mut State, pc: BundleAddress, to: BundleAddress) -> FlowRequest {
    if push(&mut state.calls, flow::return_address(pc), core.call_depth()) {
        state.status |= status::CALL_OVERFLOW;
    }
    FlowRequest::Jump(to)
}

/// Executes a return: removes the latest return address from the call stack and returns the request to jump to it after
/// the delay slot. An empty stack sets the underflow bit of STATUS, and the flow goes on in sequence.
pub fn ret(state: &mut State) -> FlowRequest {
    match state.calls.pop() {
        Some(to) => FlowRequest::Jump(to),
        None => {
            state.status |= status::CALL_UNDERFLOW;
            FlowRequest::None
        }
    }
}

/// Decides whether the innermost hardware loop goes back, as the bundle at `pc` issues; `position` is the relation of
/// that bundle to the one before it (in sequence, or in a delay slot, for example). At the loop's `end` its count is
/// reduced, or the loop leaves the stack in its last iteration; elsewhere nothing changes ([`Decision::None`]).
pub fn decide(state: &mut State, pc: BundleAddress, position: FlowPosition) -> Decision {
    let decision = flow::decision(state.loops.last(), pc, position);
    match (decision, state.loops.last_mut()) {
        (Decision::Back { left, .. }, Some(innermost)) => innermost.count = left,
        (Decision::Leave, _) => drop(state.loops.pop()),
        _ => {}
    }
    decision
}
