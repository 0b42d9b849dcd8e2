//! Transfer between a machine of the reference engine and the context of translated code: registers, results under way, and
//! flags, which translated code does not know.

use super::executor::Executor;
use crate::abi::context::{Live, PENDING, Vector};
use crate::front_end::shape::{PendingResult, PipelineState, ResultTarget};
use crate::lowering::translation::DeferredFlags;
use cp2_emu::Cp2;
use cp2_emu::arith::{self, Flags, Lane, Operands, Rounding};
use cp2_emu::cp2::seam::{Flight, FlowPosition, InFlight, Landing};
use cp2_emu::state::{Quad, State, status};
use cp2_isa::rules::flags::sticky;
use cp2_isa::{Cycle, Effects, SECTIONS, WordAddress};
use cp2_portable::flags_of_sections;

/// All sections, one bit each.
pub(super) const ALL: u8 = (1 << SECTIONS) - 1;

/// State that was taken from a machine besides the context.
#[derive(Clone, Debug, Default)]
pub(crate) struct Taken {
    pub(crate) shape: PipelineState,
    /// Results under way that translated code does not see: exceptions and bits of STATUS.
    pub(crate) unseen: Vec<InFlight>,
    /// Whether no section can get a sticky I that it does not have or is about to get.
    pub(crate) inexact_is_known: bool,
}

fn mask(enabled: u8) -> Vector {
    Vector(std::array::from_fn(|s| if enabled >> s & 1 == 1 { u64::MAX } else { 0 }))
}

/// Returns the sections of a mask, one bit each.
pub(super) fn enabled(mask: &Quad) -> u8 {
    (0..SECTIONS).fold(0, |all, s| all | u8::from(mask[s] != 0) << s)
}

/// Whether blocks can begin where the machine is, as far as the flow is concerned.
pub(crate) fn is_plain(flight: &Flight) -> bool {
    flight.hold == 0 && !flight.starts_later && !is_inside_change(flight)
}

/// Whether the next bundle belongs to a change of the flow that has begun, as the last one of a body does.
pub(crate) fn is_inside_change(flight: &Flight) -> bool {
    !matches!(flight.position, FlowPosition::Plain | FlowPosition::LoopExit)
}

/// Copies a machine into the context; `None` if it is in a state that blocks do not know.
pub(crate) fn take(cp2: &Cp2, flight: &Flight, executor: &mut Executor) -> Option<Taken> {
    let (state, core) = (&cp2.state, cp2.core());
    let sizes = [state.lmem.len(), state.iram.len(), state.fpr.len()];
    let whole = sizes == [core.lmem_words(), core.iram_bundles(), core.fprs()];
    if !whole {
        return None;
    }
    executor.turn_to(core, state.control);
    if executor.shared().len() != state.shared.len() {
        return None;
    }
    executor.shared_mut().copy_from_slice(&state.shared);
    let (live, pending) = executor.load();
    let taken = take_flight(flight, (live, pending), state)?;
    for (to, from) in live.fpr.iter_mut().zip(state.fpr.iter()) {
        to.0 = *from;
    }
    for (cc, to) in live.cc.iter_mut().enumerate() {
        let holds = (0..SECTIONS).fold(0, |all, s| all | (state.fccr[s] >> cc & 1) << s);
        *to = mask(holds);
    }
    live.gpr = state.gpr;
    live.ireg = state.ireg;
    live.a = state.a.map(|address| address.0.into());
    for (to, from) in live.sa.iter_mut().zip(&state.sa) {
        to.0 = from.map(u64::from);
    }
    for (to, from) in live.qa.iter_mut().zip(&state.qa) {
        to.0 = [u64::from(*from); SECTIONS];
    }
    live.n = state.n.map(u32::from);
    live.m = state.m.map(u32::from);
    live.rind = state.rind.into();
    live.rstep = state.rstep.into();
    live.rmask = state.rmask.into();
    live.banks = Live::ZERO.banks;
    live.flops = Vector::default();
    executor.check().then_some(taken)
}

fn take_flight(
    flight: &Flight,
    (live, pending): (&mut Live, &mut [Vector; PENDING]),
    state: &State,
) -> Option<Taken> {
    let mut taken = Taken::default();
    taken.shape.entries.reserve(flight.landings.len());
    let mut values: Vec<Vector> = Vec::with_capacity(flight.landings.len());
    for result @ InFlight { visible, enabled, landing } in &flight.landings {
        let mut add = |goal: ResultTarget, value: Quad| {
            let masked = *enabled != 0xf;
            let offset = (*visible - flight.cycle) as u8;
            taken.shape.entries.push(PendingResult { offset, goal, masked });
            values.push(Vector(value));
            values.extend(masked.then(|| mask(*enabled)));
        };
        match landing {
            &Landing::Fpr { reg, halves, value, from_load } => {
                add(ResultTarget::Fpr { reg, halves, from_load }, value);
            }
            Landing::Conditions { first, count, value } => {
                for k in 0..*count {
                    let holds = |s: usize| if value[s][usize::from(k)] { u64::MAX } else { 0 };
                    if first + k != 0 {
                        add(ResultTarget::Condition(first + k), std::array::from_fn(holds));
                    }
                }
            }
            Landing::Exceptions(_) | Landing::Mailbox { .. } => taken.unseen.push(result.clone()),
            Landing::Creg { .. } | Landing::StatusFlags(_) => return None,
        }
    }
    // Collisions of results with masks are left to the portable engine.
    let entries = &taken.shape.entries;
    for (k, entry) in entries.iter().enumerate() {
        let clash = |o: &PendingResult| {
            o.offset == entry.offset && o.goal.collides(entry.goal) && (o.masked || entry.masked)
        };
        if entries[..k].iter().any(clash) {
            return None;
        }
    }
    pending.get_mut(..values.len())?.copy_from_slice(&values);
    for age in [1, 2] {
        let written = flight.scalars.iter().find(|&&(cycle, ..)| cycle + age == flight.cycle);
        if let Some(&(_, number, old)) = written {
            taken.shape.gpr_written[age as usize - 1] = Some(number);
            live.gpr_old[age as usize - 1] = old;
        }
    }
    let brings = |result: &InFlight, s: usize| match &result.landing {
        Landing::Exceptions(flags) => result.enabled >> s & 1 == 1 && flags[s].contains(Flags::I),
        _ => false,
    };
    let is_sticky = |s: usize| sticky(state.fcsr[s].into()).contains(Flags::I);
    let has = |s: usize| is_sticky(s) || taken.unseen.iter().any(|r| brings(r, s));
    taken.inexact_is_known = state.status >> status::FPE_SHIFT & 1 == 1 && (0..SECTIONS).all(has);
    Some(taken)
}

/// Record from which the flags of operations can still be computed: a block that ended in a cycle, and the operands that it
/// kept.
pub(crate) struct DeferredRecord<'a> {
    pub(crate) end_cycle: Cycle,
    pub(crate) ops: &'a [DeferredFlags],
    pub(crate) slots: &'a [Vector],
}

/// Copies the context back into the machine, as it is before `cycle`.
pub(crate) fn give(
    executor: &Executor,
    cp2: &mut Cp2,
    shape: &PipelineState,
    unseen: &[InFlight],
    tails: &[DeferredRecord<'_>],
    (cycle, position): (Cycle, FlowPosition),
) {
    let live = executor.live();
    let condition = cp2.core().latencies().condition;
    let state = &mut cp2.state;
    for (to, from) in state.fpr.iter_mut().zip(&live.fpr) {
        *to = from.0;
    }
    for s in 0..SECTIONS {
        let bits = (1..8).fold(1, |all, cc| all | u8::from(live.cc[cc].0[s] != 0) << cc);
        state.fccr[s] = bits;
    }
    state.gpr = live.gpr;
    state.ireg = live.ireg;
    state.a = live.a.map(|x| WordAddress(x as u16));
    for (to, from) in state.sa.iter_mut().zip(&live.sa) {
        *to = from.0.map(|x| WordAddress(x as u16));
    }
    for (to, from) in state.qa.iter_mut().zip(&live.qa) {
        *to = WordAddress(from.0[0] as u16);
    }
    state.shared.copy_from_slice(executor.shared());
    state.n = live.n.map(|x| x as u16);
    state.m = live.m.map(|x| x as u16);
    state.rind = live.rind as u16;
    state.rstep = live.rstep as u16;
    state.rmask = live.rmask as u16;
    let mut landings = landings(executor.pending(), shape, cycle);
    give_unseen(state, unseen, tails, (cycle, condition), &mut landings);
    let scalars = [2, 1]
        .into_iter()
        .filter_map(|age| {
            let number = shape.gpr_written[age - 1]?;
            Some((cycle - age as u64, number, live.gpr_old[age - 1]))
        })
        .collect();
    cp2.set_flight(Flight { cycle, position, hold: 0, starts_later: false, landings, scalars });
}

fn landings(pending: &[Vector], shape: &PipelineState, cycle: Cycle) -> Vec<InFlight> {
    let mut slots = pending.iter();
    let mut next = || slots.next().map_or(Quad::default(), |v| v.0);
    shape
        .entries
        .iter()
        .map(|entry| {
            let value = next();
            let enabled = if entry.masked { enabled(&next()) } else { 0xf };
            let landing = match entry.goal {
                ResultTarget::Fpr { reg, halves, from_load } => {
                    Landing::Fpr { reg, halves, value, from_load }
                }
                ResultTarget::Condition(first) => {
                    Landing::Conditions { first, count: 1, value: value.map(|v| [v != 0, false]) }
                }
            };
            InFlight { visible: cycle + u64::from(entry.offset), enabled, landing }
        })
        .collect()
}

/// Computes the flags of the last operations and writes, of them and of what else translated code
/// does not see, what has landed.
fn give_unseen(
    state: &mut State,
    unseen: &[InFlight],
    tails: &[DeferredRecord<'_>],
    (cycle, condition): (Cycle, u32),
    landings: &mut Vec<InFlight>,
) {
    let rounding = Rounding::of(state.control);
    let visible = |tail: &DeferredRecord<'_>, op: &DeferredFlags| {
        tail.end_cycle - u64::from(op.age) + u64::from(condition)
    };
    let mut kept: Vec<(&DeferredRecord<'_>, &DeferredFlags, u8)> = Vec::new();
    let mut replaced = 0;
    for (tail, op) in tails.iter().rev().flat_map(|t| t.ops.iter().rev().map(move |op| (t, op))) {
        let on = op.mask.map_or(ALL, |m| enabled(&tail.slots[m].0));
        let has_landed = visible(tail, op) < cycle;
        // Flags that later ones have replaced in every section left nothing but I, which is known.
        if !has_landed || on & !replaced != 0 {
            kept.push((tail, op, on));
        }
        replaced |= if has_landed { on } else { 0 };
        if replaced == ALL {
            break;
        }
    }
    let computed = kept.into_iter().rev().map(|(tail, op, enabled)| {
        let landing = Landing::Exceptions(flags_of(op, tail.slots, rounding));
        InFlight { visible: visible(tail, op), enabled, landing }
    });
    for result in unseen.iter().cloned().chain(computed) {
        if result.visible >= cycle {
            landings.push(result);
        } else {
            result.land(state);
        }
    }
    landings.sort_by_key(|l| l.visible);
}

fn flags_of(op: &DeferredFlags, slots: &[Vector], rounding: Rounding) -> [Flags; SECTIONS] {
    debug_assert_eq!(
        op.coefficient.is_some(),
        op.inst.op.row().effects.contains(Effects::COEFFICIENT)
    );
    let operand = |k: usize| op.operands[k].map_or(Quad::default(), |slot| slots[slot].0);
    let [d, s, t, s_next, t_next] = std::array::from_fn(operand);
    let coefficient = op.coefficient.map_or(Quad::default(), |[real, imaginary]| {
        let (high, low) = (&slots[real].0, &slots[imaginary].0);
        std::array::from_fn(|s| high[s] & !0xffff_ffff | low[s] & 0xffff_ffff)
    });
    let operands = Operands { d, s, t, s_next, coefficient };
    if let Some(flags) = flags_of_sections(op.inst.op, &operands, rounding) {
        return flags;
    }
    std::array::from_fn(|k| {
        let lane = Lane {
            d: d[k],
            s: s[k],
            t: t[k],
            s_next: s_next[k],
            t_next: t_next[k],
            coefficient: coefficient[k],
            section: k as u8,
            rounding,
        };
        arith::execute(&op.inst, &lane).flags
    })
}
