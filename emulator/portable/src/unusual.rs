//! Arithmetic operations one by one: where native arithmetic alone proves nothing, and operations that have no
//! form on lanes.

use crate::compute::flags::Seen;
use crate::compute::lanes::{Watched, Word};
use crate::decode::{DecodedProgram, second};
use crate::hot::Hot;
use cp2_emu::arith::{self, Flags, LaneResult, Operands, Values, composed};
use cp2_emu::state::State;
use cp2_isa::{Effects, Role, SECTIONS};

/// Executes a composed operation step by step on a unit that proves each; where it cannot, section by section.
#[inline(never)]
pub(crate) fn watched(
    hot: &mut Hot,
    code: &DecodedProgram,
    state: &mut State,
    at: usize,
    (enabled, coefficient): (u8, u64),
) {
    let step = &code.steps[at];
    let seen = hot.seen(step, coefficient);
    let mut unit = Watched::new(seen.rounding);
    let operands = Operands {
        d: Word::of(&seen.d),
        s: Word::of(&seen.s),
        t: Word::of(&seen.t),
        s_next: Word::of(&seen.s_next),
        coefficient: Word::splat(coefficient),
    };
    let Values { d, s, q } = composed(step.arith, &mut unit, operands);
    let is_enabled = |s: usize| enabled >> s & 1 == 1;
    if (0..SECTIONS).any(|s| is_enabled(s) && unit.is_unusual(s)) {
        return by_section(hot, code, state, at, (enabled, seen));
    }
    let flags = std::array::from_fn(|s| {
        if is_enabled(s) && unit.is_inexact(s) { Flags::I } else { Flags::empty() }
    });
    let first = if writes_q_alone(step.arith) { q } else { d };
    let second = second(step.arith).map(|role| if role == Role::S { s.quad() } else { q.quad() });
    hot.plan(step, enabled, &first.quad(), second.as_ref());
    hot.raise((at, &seen), enabled, flags, (state, code));
}

/// Whether the only result of an operation is Q.
pub(crate) const fn writes_q_alone(op: cp2_isa::Arith) -> bool {
    matches!(op, cp2_isa::Arith::Mvmul | cp2_isa::Arith::Mtvmul)
}

/// Executes any operation, section by section.
#[inline(never)]
pub(crate) fn any(
    hot: &mut Hot,
    code: &DecodedProgram,
    state: &mut State,
    at: usize,
    (enabled, coefficient): (u8, u64),
) {
    let seen = hot.seen(&code.steps[at], coefficient);
    by_section(hot, code, state, at, (enabled, seen));
}

fn by_section(
    hot: &mut Hot,
    code: &DecodedProgram,
    state: &mut State,
    at: usize,
    (enabled, seen): (u8, Seen),
) {
    let (step, inst) = (&code.steps[at], &code.bundle(at).arith);
    let mut outcome: [LaneResult; SECTIONS] = Default::default();
    for s in (0..SECTIONS).filter(|s| enabled >> s & 1 == 1) {
        outcome[s] = arith::execute(inst, &seen.lane(s));
    }
    let mut values = inst.results().map(|result| {
        outcome.map(|o| match result.role {
            Role::D => o.d,
            Role::S => o.s,
            Role::Q => o.q,
        })
    });
    if let Some(first) = values.next() {
        hot.plan(step, enabled, &first, values.next().as_ref());
    }
    if inst.op.row().effects.contains(Effects::FLAGS) {
        hot.raise((at, &seen), enabled, outcome.map(|o| o.flags), (state, code));
    }
}
