//! A kernel as far as it goes without the channel: which bundles come next, loops entered whole.

use crate::compute::special;
use crate::decode::{DecodedProgram, Exchange};
use crate::hot::Hot;
use crate::straight::{self, StraightLine};
use cp2_emu::Cp2;
use cp2_emu::cp2::FaultKind;
use cp2_emu::cp2::seam::{self, FlowPosition};
use cp2_isa::rules::flow::{self as rules, FlowRequest};
use cp2_isa::{BundleAddress, Exch, Undefined};
use pulp::Arch;

/// Reason why a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stop {
    /// The cycle up to which the run was to go is reached.
    Cycle,
    /// The next bundle has an effect outside of the kernel: it concerns the channel or ends the kernel.
    Outside,
    /// The next bundle is refused.
    Fault(FaultKind),
}

/// Runs a kernel up to a cycle at most.
pub(crate) fn run(
    arch: Arch,
    hot: &mut Hot,
    code: &mut DecodedProgram,
    cp2: &mut Cp2,
    until: u64,
) -> Stop {
    hot.attention = false;
    while hot.flow.cycle < until {
        let pc = cp2.state.pc.index();
        let straight = code.straight(pc, cp2);
        // Nothing lands before it is known that the cycle is done here: a caller may stop before it.
        let next = next(hot, code, pc, straight);
        match next {
            Next::Stop(stop) => return stop,
            Next::Special => {
                if let Err(kind) = special::execute(arch, hot, code, cp2) {
                    return Stop::Fault(kind);
                }
                continue;
            }
            _ => {}
        }
        hot.attention = false;
        hot.land_due(&mut cp2.state, code);
        let left = until.min(hot.due()) - hot.flow.cycle;
        match next {
            Next::Hold => hold(hot, left),
            Next::Nullified(to) => {
                hot.land();
                hot.counts.nullified(pc);
                hot.flow.cycle += 1;
                (cp2.state.pc, hot.flow.position) = (to, FlowPosition::Plain);
            }
            _ => go_straight(arch, hot, code, cp2, (straight, left)),
        }
    }
    Stop::Cycle
}

/// Kind of what the kernel does next.
#[derive(Clone, Copy, Debug)]
enum Next {
    /// Cycle in which the issue is held.
    Hold,
    /// Bundle that does nothing, with the address at which the flow goes on behind it.
    Nullified(BundleAddress),
    /// Bundle that `special` executes.
    Special,
    /// Bundles that run straight.
    Straight,
    /// End of the run before the next bundle.
    Stop(Stop),
}

fn next(hot: &Hot, code: &DecodedProgram, pc: usize, straight: usize) -> Next {
    if hot.flow.hold > 0 {
        return Next::Hold;
    }
    let Some(step) = code.steps.get(pc) else {
        let last = rules::last_bundle(&code.core);
        return Next::Stop(Stop::Fault(FaultKind::RanPastEnd(last)));
    };
    match hot.flow.position {
        FlowPosition::Nullified(to) => Next::Nullified(to),
        _ if straight > 0 => Next::Straight,
        _ if step.exchange == Exchange::Undefined => {
            code.undefined(pc).map_or(Next::Special, refused)
        }
        _ if is_seen_outside(code, pc) => Next::Stop(Stop::Outside),
        _ => Next::Special,
    }
}

/// Holds the issue, at most so many cycles.
fn hold(hot: &mut Hot, left: u64) {
    let cycles = hot.flow.hold.min(left);
    for _ in 0..cycles {
        hot.land();
        hot.flow.cycle += 1;
    }
    hot.flow.hold -= cycles;
    hot.counts.held(cycles);
}

fn refused(reason: Undefined) -> Next {
    Next::Stop(Stop::Fault(FaultKind::Undefined(reason)))
}

/// Whether a bundle has an effect outside of the kernel.
fn is_seen_outside(code: &DecodedProgram, at: usize) -> bool {
    matches!(code.bundle(at).exch.op, Exch::CheckDma | Exch::StartDma | Exch::Stop | Exch::Stopi)
}

/// Runs bundles none of which is special, at most for so many cycles: up to the end of the innermost loop, a body and its
/// repetitions, or as far as it goes.
fn go_straight(
    arch: Arch,
    hot: &mut Hot,
    code: &DecodedProgram,
    cp2: &mut Cp2,
    (straight, left): (usize, u64),
) {
    let pc = cp2.state.pc.index();
    let is_plain = matches!(hot.flow.position, FlowPosition::Plain | FlowPosition::LoopExit);
    let most = straight.min(usize::try_from(left).unwrap_or(usize::MAX));
    let end = cp2.state.loops.last().map(|l| l.end.index()).filter(|&end| end >= pc && is_plain);
    let n = match end {
        _ if !is_plain => 0,
        Some(end) => most.min(end - pc),
        None => most,
    };
    if n > 0 {
        let stretch = StraightLine { first: pc, n, turns: 1 };
        let (turns, rest) = straight::run(arch, hot, code, &mut cp2.state, stretch);
        let done = if turns == 1 { n } else { rest };
        hot.counts.issued(pc, done, 1);
        cp2.state.pc = BundleAddress::from_index(pc + done);
        hot.flow.position = FlowPosition::Plain;
        return;
    }
    // The end of a loop, or a delay slot.
    let position = hot.flow.position;
    let next = rules::next_address(cp2.state.pc, position);
    let decision = seam::decide(&mut cp2.state, BundleAddress::from_index(pc), position);
    let stretch = StraightLine { first: pc, n: 1, turns: 1 };
    straight::run(arch, hot, code, &mut cp2.state, stretch);
    hot.counts.issued(pc, 1, 1);
    hot.flow.position = rules::next_position(decision, FlowRequest::None);
    cp2.state.pc = next;
    if matches!(position, FlowPosition::LoopBack(_)) && !hot.attention {
        go_round(arch, hot, code, cp2, left - 1);
    }
}

/// Runs whole turns of the innermost loop, at whose first bundle the flow is, at most for so many cycles. The last turn is
/// not among them, because the flow behind it is yet to be decided.
fn go_round(arch: Arch, hot: &mut Hot, code: &DecodedProgram, cp2: &mut Cp2, left: u64) {
    let Some(innermost) = cp2.state.loops.last_mut() else { return };
    let (first, last) = (innermost.start.index(), innermost.end.index() + 1);
    if cp2.state.pc != innermost.start || last < first {
        return;
    }
    let n = last + 1 - first;
    let is_straight = code.steps.get(first).is_some_and(|step| usize::from(step.straight) >= n);
    let turns = (left / n as u64).min(u64::from(innermost.count).saturating_sub(1));
    if !is_straight || turns == 0 {
        return;
    }
    let count = innermost.count;
    let stretch = StraightLine { first, n, turns };
    let (turns, rest) = straight::run(arch, hot, code, &mut cp2.state, stretch);
    hot.counts.issued(first, n, turns);
    hot.counts.issued(first, rest, 1);
    let Some(innermost) = cp2.state.loops.last_mut() else { return };
    // The end of the loop decides one bundle before the last.
    let is_decided = rest == n - 1;
    innermost.count = count - turns as u32 - u32::from(is_decided);
    hot.flow.position =
        if is_decided { FlowPosition::LoopBack(innermost.start) } else { FlowPosition::Plain };
    cp2.state.pc = BundleAddress::from_index(first + rest);
}
