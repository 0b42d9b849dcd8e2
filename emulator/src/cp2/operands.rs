//! Which registers an operation's operands name: the bridge from the table to lanes, writes and
//! trace events.

use super::engine::Computed;
use super::exchange::Done;
use super::pipeline::Part;
use crate::arith::{Flags, Lane, Outcome, Rounding};
use crate::state::{Quad, State};
use crate::trace::{Destination, Written};
use cp2_isa::rules::flags;
use cp2_isa::{
    Arith, Creg, Effects, Exch, Halves, Inst, Kind, Latencies, Operand, Resource, Unit, fields,
};

/// Registers that an arithmetic operation reads.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Sources {
    pub(super) d: usize,
    pub(super) s: usize,
    pub(super) t: usize,
}

impl Sources {
    pub(super) fn of(inst: &Inst<Arith>) -> Self {
        let mut sources = Self::default();
        for (operand, &value) in inst.op.row().operands.iter().zip(&inst.values) {
            let (field, number) = match operand.kind {
                Kind::Fpr(field) | Kind::FprPair(field) => (field, value as usize),
                Kind::FprHalf(field, _) => (field, value as usize >> 1),
                _ => continue,
            };
            match field {
                fields::FD => sources.d = number,
                fields::FS => sources.s = number,
                fields::FT => sources.t = number,
                _ => {}
            }
        }
        sources
    }

    /// What the operation sees in section `s`.
    pub(super) fn lane(
        self,
        state: &State,
        s: usize,
        coefficient: u64,
        rounding: Rounding,
    ) -> Lane {
        let fpr = |n: usize| state.fpr.get(n).map_or(0, |quad| quad[s]);
        Lane {
            d: fpr(self.d),
            s: fpr(self.s),
            t: fpr(self.t),
            s_next: fpr(self.s + 1),
            t_next: fpr(self.t + 1),
            coefficient,
            section: s as u8,
            rounding,
        }
    }
}

/// A result in an [`Outcome`].
pub(super) type Pick = fn(&Outcome) -> u64;

fn result(operand: &Operand, value: i32) -> Option<(u8, Part, Pick)> {
    if !operand.write {
        return None;
    }
    let d: Pick = |o| o.d;
    match operand.kind {
        Kind::Fpr(fields::FD) => Some((value as u8, Part::Whole, d)),
        Kind::Fpr(fields::FS) => Some((value as u8, Part::Whole, |o| o.s)),
        Kind::Fpr(_) => Some((value as u8, Part::Whole, |o| o.q)),
        Kind::FprHalf(..) if value & 1 == 1 => Some(((value >> 1) as u8, Part::Hi, d)),
        Kind::FprHalf(..) => Some(((value >> 1) as u8, Part::Lo, d)),
        _ => None,
    }
}

/// The FPRs that an arithmetic operation writes, and with which result.
pub(super) fn results(inst: &Inst<Arith>) -> impl Iterator<Item = (u8, Part, Pick)> + '_ {
    inst.op.row().operands.iter().zip(&inst.values).filter_map(|(o, &v)| result(o, v))
}

/// Flags that an arithmetic operation adds to STATUS at once.
pub(super) fn raised(inst: &Inst<Arith>, computed: &Computed) -> Flags {
    if !inst.op.row().effects.contains(Effects::FLAGS) {
        return Flags::empty();
    }
    computed.outcome.iter().fold(Flags::empty(), |all, o| all | o.flags)
}

/// The sticky flags of all values that `mtc` writes to FCSR.
pub(super) fn sticky(written: &Quad) -> Flags {
    written.iter().fold(Flags::empty(), |all, &v| all | flags::sticky(v))
}

fn shared(value: u64) -> Quad {
    [value, 0, 0, 0]
}

/// What an arithmetic operation writes, for the trace.
pub(super) fn arithmetic_written(inst: &Inst<Arith>, computed: &Computed) -> [Option<Written>; 2] {
    let outcome = &computed.outcome;
    let mut written = [None; 2];
    for (slot, (reg, part, pick)) in written.iter_mut().zip(results(inst)) {
        let halves = match part {
            Part::Whole => Halves::BOTH,
            Part::Lo => Halves::LO,
            Part::Hi => Halves::HI,
        };
        let destination = Destination::Register(Resource::Fpr(reg, halves));
        *slot = Some(Written { destination, value: outcome.map(|o| pick(&o)) });
    }
    match inst.op {
        Arith::C => {
            let (first, count) = inst.comparison().map_or((0, 0), |c| (c.cc, c.codes()));
            for (k, slot) in (0..count).zip(&mut written) {
                let destination = Destination::Register(Resource::Fccr(first + k));
                let value = outcome.map(|o| u64::from(o.conditions[usize::from(k)]));
                *slot = Some(Written { destination, value });
            }
        }
        Arith::Mtc => {
            let resource = match inst.creg() {
                Some(Creg::Fccr) => Resource::Fccr(0),
                _ => Resource::Fcsr,
            };
            written[0] = Some(Written {
                destination: Destination::Register(resource),
                value: computed.creg,
            });
        }
        _ => {}
    }
    written
}

/// Cycles from issue to the write of an arithmetic operation's result.
pub(super) fn arithmetic_latency(inst: &Inst<Arith>, latencies: &Latencies) -> Option<u64> {
    let cycles = match inst.op {
        Arith::Nop => return None,
        Arith::C | Arith::Mtc => latencies.condition,
        _ => latencies.arithmetic,
    };
    Some(u64::from(cycles))
}

/// What an exchange operation writes, for the trace: FPRs, memory words, or one scalar register.
pub(super) fn exchange_written(inst: &Inst<Exch>, done: &Done) -> [Option<Written>; 2] {
    let unit = inst.op.row().unit;
    let mut written = [None; 2];
    if let (Unit::Store, Some(word)) = (unit, done.word) {
        let count = inst.op.row().words();
        for (k, slot) in written.iter_mut().enumerate().take(count.into()) {
            let destination = Destination::Word(word + k as u16);
            *slot = Some(Written { destination, value: done.quads[k] });
        }
        return written;
    }
    let mut next = 0;
    inst.footprint(0, &mut |access| {
        let Some(resource) = access.changed() else { return };
        let steps = matches!(resource, Resource::A(_)) && unit != Unit::Scalar;
        // What a loop or a call does to its stack is no result of the operation.
        let beside = matches!(resource, Resource::Fpe | Resource::Mailbox)
            || inst.op.row().effects.intersects(Effects::LOOPS | Effects::CALLS);
        if !steps && !beside && next < written.len() {
            let value = match resource {
                Resource::Fpr(..) => done.quads[next],
                _ => shared(done.scalar),
            };
            written[next] = Some(Written { destination: Destination::Register(resource), value });
            next += 1;
        }
    });
    written
}

/// Cycles from issue to the write of an exchange operation's result. Stages: control registers are
/// written in stage 1, local memory in stage 2, where address registers step too, other registers in
/// stage 3.
pub(super) fn exchange_latency(inst: &Inst<Exch>, latencies: &Latencies) -> Option<u64> {
    const CONTROL_STAGE: u64 = 1;
    const MEMORY_STAGE: u64 = 2;
    const REGISTER_STAGE: u64 = 3;
    match inst.op.row().unit {
        Unit::Load => Some(u64::from(latencies.load)),
        Unit::Permute => Some(u64::from(latencies.permute)),
        Unit::ToFpr => Some(u64::from(latencies.to_fpr)),
        Unit::Store => Some(MEMORY_STAGE),
        Unit::FromFpr | Unit::Stop => Some(REGISTER_STAGE),
        Unit::Scalar if inst.control_written().is_some() => Some(CONTROL_STAGE),
        Unit::Scalar if matches!(inst.op, Exch::Move | Exch::Seti) => Some(REGISTER_STAGE),
        Unit::Scalar => Some(MEMORY_STAGE),
        Unit::Dma if inst.op == Exch::CheckDma => Some(REGISTER_STAGE),
        _ => None,
    }
}
