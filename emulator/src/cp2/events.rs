//! Events of a bundle for observers: its operations, when they read and write, and what.

use super::exchange::Done;
use super::operands::Computed;
use crate::state::{Quad, State};
use crate::trace::{
    Destination, Event, LocalAccess, Observer, Results, Wants, WrittenValue, number_of,
};
use cp2_isa::{
    Arith, Bundle, BundleAddress, Creg, Effects, Exch, Inst, Latencies, Resource, Role, RunCycle,
    Section, Slot, StorageCell, Unit,
};
use std::fmt;

/// A bundle that has been executed.
pub(super) struct Executed<'a> {
    /// The cycle in which it issued.
    pub(super) cycle: RunCycle,
    /// Address of the bundle.
    pub(super) address: BundleAddress,
    /// The bundle.
    pub(super) bundle: &'a Bundle,
    /// Results of the arithmetic half.
    pub(super) computed: &'a Computed,
    /// Effects of the exchange half.
    pub(super) done: &'a Done,
    /// Sections in which a predicated exchange operation executes.
    pub(super) predicate: u8,
    /// State behind the bundle: registers that the sections share are written at once.
    pub(super) state: &'a State,
}

impl Executed<'_> {
    /// Tells an observer of the operations.
    pub(super) fn tell(&self, latencies: &Latencies, observer: &mut dyn Observer) {
        let Self { cycle, address, bundle, computed, done, predicate, state } = *self;
        let base = Event {
            cycle,
            address,
            bundle: *bundle,
            slot: Slot::Arithmetic,
            name: "",
            text: String::new(),
            enabled: computed.enabled,
            read_cycle: cycle + 1,
            write_cycle: None,
            written: Results::default(),
            access: None,
        };
        let named = observer.wants().contains(Wants::OPERATIONS);
        let text = |inst: &dyn fmt::Display| if named { inst.to_string() } else { String::new() };
        let inst = &bundle.arith;
        if inst.op != Arith::Nop {
            observer.operation(&Event {
                name: inst.op.row().name,
                text: text(inst),
                write_cycle: arithmetic_latency(inst, latencies).map(|l| cycle + l),
                written: arithmetic_written(inst, computed, state),
                ..base.clone()
            });
        }
        let inst = &bundle.exch;
        if inst.op != Exch::Nop {
            let predicated = inst.op.row().effects.contains(Effects::PREDICATED);
            observer.operation(&Event {
                slot: Slot::Exchange,
                name: inst.op.row().name,
                text: text(inst),
                enabled: if predicated { predicate } else { moved_to(inst) },
                write_cycle: exchange_latency(inst, latencies).map(|l| cycle + l),
                written: exchange_written(inst, done, state),
                access: done.word.map(|word| LocalAccess {
                    word,
                    own: done.own,
                    words: inst.op.row().words(),
                }),
                ..base
            });
        }
    }
}

/// Returns the sections of which an operation writes the FPR: the one that it names, or all.
fn moved_to(inst: &Inst<Exch>) -> u8 {
    let named = inst.fpr_transfer().filter(|_| inst.op.row().unit == Unit::ToFpr);
    named.and_then(|transfer| transfer.section).map_or(0xf, |section| 1 << section.index())
}

fn shared(value: u64) -> Quad {
    [value, 0, 0, 0]
}

/// Returns the values that an arithmetic operation writes, for the trace.
fn arithmetic_written(inst: &Inst<Arith>, computed: &Computed, state: &State) -> Results {
    let outcome = &computed.outcome;
    let mut written = Results::default();
    for (slot, result) in written.iter_mut().zip(inst.results()) {
        let destination = Destination::Register(Resource::Fpr(result.number, result.halves));
        let value = outcome.map(|o| match result.role {
            Role::D => o.d,
            Role::S => o.s,
            Role::Q => o.q,
        });
        *slot = Some(WrittenValue { destination, value });
    }
    match inst.op {
        Arith::C => {
            let (first, count) = inst.comparison().map_or((0, 0), |c| (c.cc, c.codes()));
            for (k, slot) in (0..count).zip(&mut written) {
                let destination = Destination::Register(Resource::Fccr(first + k));
                let value = outcome.map(|o| u64::from(o.conditions[usize::from(k)]));
                *slot = Some(WrittenValue { destination, value });
            }
        }
        Arith::Amtsa => {
            let set = inst.section_addresses().map_or(0, |(set, ..)| set);
            let destination = Destination::Register(Resource::SectionA(set));
            written[0] =
                Some(WrittenValue { destination, value: value_of(state, Resource::SectionA(set)) });
        }
        Arith::Mtc => {
            let resource = match inst.creg() {
                Some(Creg::Fccr) => Resource::Fccr(0),
                _ => Resource::Fcsr,
            };
            written[0] = Some(WrittenValue {
                destination: Destination::Register(resource),
                value: computed.creg,
            });
        }
        _ => {}
    }
    written
}

/// The stage that writes section addresses.
const ADDRESS_STAGE: u64 = 3;

/// Returns the number of cycles from issue to the write of an arithmetic operation's result; `None` for `nop`.
fn arithmetic_latency(inst: &Inst<Arith>, latencies: &Latencies) -> Option<u64> {
    let cycles = match inst.op {
        Arith::Nop => return None,
        Arith::C | Arith::Mtc => latencies.condition,
        // As `mtsa` does: the arithmetic pipeline has no part in it.
        Arith::Amtsa => return Some(ADDRESS_STAGE),
        _ => latencies.arithmetic,
    };
    Some(u64::from(cycles))
}

/// Returns the value of a register that the sections share, or the values of one that each section has.
fn value_of(state: &State, resource: Resource) -> Quad {
    let number = number_of(resource).unwrap_or_default();
    match resource {
        Resource::SectionA(_) => state.sa[number].map(u64::from),
        // LC and LA are of the innermost loop, if there is one.
        Resource::Control(register) => shared(state.control_register(register)),
        _ => {
            let place =
                StorageCell { storage: resource.storage(), number, section: Section::FIRST };
            shared(state.at(place))
        }
    }
}

/// Returns the values that an exchange operation writes, for the trace: FPRs, memory words, or registers that the sections
/// share.
fn exchange_written(inst: &Inst<Exch>, done: &Done, state: &State) -> Results {
    let unit = inst.op.row().unit;
    let mut written = Results::default();
    if let (Unit::Store, Some(word)) = (unit, done.word) {
        let count = inst.op.row().words();
        for (k, slot) in written.iter_mut().enumerate().take(count.into()) {
            let destination = match done.own {
                Some(own) => Destination::Words(own.map(|word| word.plus(k as u16))),
                None => Destination::Word(word.plus(k as u16)),
            };
            *slot = Some(WrittenValue { destination, value: done.quads[k] });
        }
        return written;
    }
    let mut next = 0;
    inst.footprint(0, &mut |access| {
        let Some(resource) = access.changed() else { return };
        let steps =
            matches!(resource, Resource::A(_) | Resource::SectionA(_) | Resource::SharedA(_))
                && matches!(unit, Unit::Load | Unit::Store);
        // What a loop or a call does to its stack is no result of the operation.
        let beside = matches!(resource, Resource::Fpe | Resource::Mailbox)
            || inst.op.row().effects.intersects(Effects::LOOPS | Effects::CALLS);
        if !steps && !beside && next < written.len() {
            let value = match resource {
                Resource::Fpr(..) | Resource::Shared => done.quads[next],
                _ => value_of(state, resource),
            };
            written[next] =
                Some(WrittenValue { destination: Destination::Register(resource), value });
            next += 1;
        }
    });
    written
}

/// Returns the number of cycles from issue to the write of an exchange operation's result. Stages: control registers are
/// written in stage 1, local memory in stage 2, where address registers step too, other registers in stage 3.
fn exchange_latency(inst: &Inst<Exch>, latencies: &Latencies) -> Option<u64> {
    const CONTROL_STAGE: u64 = 1;
    const MEMORY_STAGE: u64 = 2;
    const REGISTER_STAGE: u64 = 3;
    match inst.op.row().unit {
        Unit::Load => Some(u64::from(latencies.load)),
        Unit::Permute => Some(u64::from(latencies.permute)),
        Unit::ToFpr => Some(u64::from(latencies.to_fpr)),
        Unit::Store => Some(MEMORY_STAGE),
        Unit::ToAddress => Some(ADDRESS_STAGE),
        Unit::FromFpr | Unit::Stop => Some(REGISTER_STAGE),
        Unit::Scalar if inst.control_written().is_some() => Some(CONTROL_STAGE),
        Unit::Scalar if matches!(inst.op, Exch::Move | Exch::Seti) => Some(REGISTER_STAGE),
        Unit::Scalar => Some(MEMORY_STAGE),
        Unit::Dma if inst.op == Exch::CheckDma => Some(REGISTER_STAGE),
        _ => None,
    }
}
