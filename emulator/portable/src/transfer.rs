//! Transfers the state of a machine, as it is between two cycles, to the engine and back.

use crate::decode::DecodedProgram;
use crate::hot::Hot;
use crate::ring::Codes;
use cp2_emu::Cp2;
use cp2_emu::arith::Rounding;
use cp2_emu::cp2::seam::{Flight, Landing};
use cp2_emu::state::State;
use cp2_isa::{Cycle, SECTIONS};

/// Takes a machine over; false if this engine cannot, and nothing has been taken.
pub(crate) fn take(cp2: &Cp2, hot: &mut Hot) -> bool {
    let (state, core) = (&cp2.state, cp2.core());
    let sizes = [state.lmem.len(), state.iram.len(), state.fpr.len()];
    let flight = cp2.flight();
    let whole = [core.lmem_words(), core.iram_bundles(), core.fprs()];
    if sizes != whole || flight.starts_later {
        return false;
    }
    // Which bundle holds the issue is for the profile alone.
    hot.counts.latest = cp2.profile().map_or(0, |profile| profile.latest().index());
    let flow = &mut hot.flow;
    flow.cycle = flight.cycle.0;
    flow.position = flight.position;
    flow.hold = flight.hold.into();
    for (to, from) in flow.fpr.iter_mut().zip(state.fpr.iter()) {
        *to = *from;
    }
    let codes = |all, s: usize| all | Codes::from(state.fccr[s]) << (8 * s);
    flow.codes = (0..SECTIONS).fold(0, codes);
    flow.exactness.rounding = Rounding::of(state.control);
    flow.ring.clear();
    flow.rare.clear();
    flow.exactness.exact_until = 0;
    for result in flight.landings {
        match result.landing {
            Landing::Fpr { .. } | Landing::Conditions { .. } => {
                if !flow.ring.insert(&result) {
                    return false;
                }
            }
            Landing::Creg { fccr: false, .. } | Landing::StatusFlags(_) => {
                flow.exactness.exact_until = flow.exactness.exact_until.max(result.visible.0);
                flow.rare.push(result);
            }
            _ => flow.rare.push(result),
        }
    }
    flow.scalars = flight.scalars;
    hot.look_for_news(state);
    true
}

/// Gives the state of the engine back to the machine, what was counted included.
pub(crate) fn give(hot: &mut Hot, code: &DecodedProgram, cp2: &mut Cp2) {
    hot.counts.give(cp2, code, 1);
    let flow = &mut hot.flow;
    flow.deferred.flush_until(flow.cycle, &mut cp2.state.fcsr, code);
    give_registers(flow.codes, &flow.fpr, &mut cp2.state);
    let mut landings = flow.ring.under_way(flow.cycle);
    landings.append(&mut flow.rare);
    landings.extend(flow.deferred.take(code));
    landings.sort_by_key(|landing| landing.visible);
    cp2.set_flight(Flight {
        cycle: Cycle(flow.cycle),
        position: flow.position,
        hold: flow.hold as u32,
        starts_later: false,
        landings,
        scalars: std::mem::take(&mut flow.scalars),
    });
}

fn give_registers(codes: Codes, fpr: &crate::ring::Fprs, state: &mut State) {
    for (to, from) in state.fpr.iter_mut().zip(fpr) {
        *to = *from;
    }
    for (s, fccr) in state.fccr.iter_mut().enumerate() {
        *fccr = (codes >> (8 * s)) as u8;
    }
}
