//! Values computed anew from their operands, so that tests can check slices.

use super::{Node, NodeSource};
use crate::history::{Issued, ValueSource};
use crate::location::Location;
use cp2_emu::arith::{self, Lane};
use cp2_emu::dma::Beat;
use cp2_isa::rules::{address, angle, flags};
use cp2_isa::{
    Address, Arith, Core, Creg, Exch, Halves, Inst, MemoryHalf, Resource, Role, Section, Slot,
    Unit, control,
};

/// Computes the value of a node anew from the values of its operands, to check a slice. Returns `None` if the operands
/// do not determine it, as for an input.
pub fn evaluate(core: &Core, node: &Node) -> Option<u64> {
    let source = match &node.given {
        NodeSource::Halves => return node.operands.iter().map(|o| o.value).reduce(|a, b| a | b),
        NodeSource::By(source) => source,
    };
    match source {
        ValueSource::Operation(issued) => match issued.slot {
            Slot::Arithmetic => arithmetic(issued, node),
            Slot::Exchange => exchange(core, issued, node),
        },
        // Masked words of a beat are not written.
        ValueSource::Beat(Beat { mask: 0, .. }, _) => Some(node.operands.first()?.value),
        _ => None,
    }
}

/// Returns the value of an operand, with 0 in the halves that were not read.
fn operand(node: &Node, is: impl Fn(Resource) -> bool) -> Option<u64> {
    let mut values = node.operands.iter().filter_map(|operand| match operand.location {
        Location::Register(resource, _) if is(resource) => Some(operand.value),
        _ => None,
    });
    let first = values.next()?;
    Some(values.fold(first, |all, value| all | value))
}

fn arithmetic(issued: &Issued, node: &Node) -> Option<u64> {
    let inst = &issued.bundle.arith;
    let Location::Register(resource, section) = node.location else { return None };
    if resource == Resource::Control(control::RIND) {
        let value = |n| operand(node, |r| r == Resource::Control(n)).map(|value| value as u16);
        let [rind, rstep, rmask] =
            [value(control::RIND)?, value(control::RSTEP)?, value(control::RMASK)?];
        return Some(angle::stepped(rind, rstep, rmask).into());
    }
    let fpr = |n: u8| operand(node, |r| matches!(r, Resource::Fpr(m, _) if m == n)).unwrap_or(0);
    let named = inst.named();
    let lane = Lane {
        d: fpr(named.d),
        s: fpr(named.s),
        t: fpr(named.t),
        s_next: fpr(named.s.wrapping_add(1)),
        t_next: fpr(named.t.wrapping_add(1)),
        coefficient: issued.angle.coefficient(),
        section: section.index() as u8,
        rounding: issued.angle.rounding(),
    };
    if inst.op == Arith::Mfc {
        return control_register(inst.creg()?, node);
    }
    let outcome = arith::execute(inst, &lane);
    match resource {
        Resource::Fpr(n, halves) => {
            let mut value = None;
            for result in inst.results().filter(|result| result.number == n) {
                let of = match result.role {
                    Role::D => outcome.d,
                    Role::S => outcome.s,
                    Role::Q => outcome.q,
                };
                value = Some(of & halves.mask());
            }
            value
        }
        Resource::Fccr(n) if inst.op == Arith::Mtc => {
            Some(u64::from(flags::fccr_written(lane.d) >> n & 1))
        }
        Resource::Fccr(n) => {
            let first = inst.comparison()?.cc;
            Some(u64::from(outcome.conditions[usize::from(n.checked_sub(first)?)]))
        }
        _ => None,
    }
}

/// Returns the value that `mfc` reads: condition codes come one by one, and code 0 always holds.
fn control_register(creg: Creg, node: &Node) -> Option<u64> {
    if creg == Creg::Fcsr {
        return operand(node, |r| r == Resource::Fcsr);
    }
    let code = |n: u8| operand(node, |r| r == Resource::Fccr(n)).unwrap_or(0) << n;
    Some((1..8).fold(1, |all, n| all | code(n)))
}

fn exchange(core: &Core, issued: &Issued, node: &Node) -> Option<u64> {
    let inst = &issued.bundle.exch;
    let first = || node.operands.first().map(|operand| operand.value);
    match (node.location, inst.op) {
        (Location::Register(resource, _), Exch::Clr) => cleared(core, resource),
        (Location::Register(resource, _), Exch::Seti) => {
            let (_, value) = inst.set_immediate()?;
            Some(fitted(core, resource, value.into()))
        }
        (Location::Register(resource, _), Exch::Move | Exch::Mffpr) => {
            Some(fitted(core, resource, first()?))
        }
        (Location::Register(Resource::A(k), _), _) => stepped(core, issued, node, k),
        (Location::Register(Resource::Fpr(n, halves), section), _)
            if inst.op.row().unit == Unit::Permute =>
        {
            permuted(issued, node, (n, halves, section))
        }
        (Location::Register(Resource::Fpr(_, halves), _), _) => match half_moved(inst) {
            None => Some(first()? & halves.mask()),
            Some((register, memory)) => Some(moved(first()?, memory?, register)),
        },
        (Location::Word(..), _) => match half_moved(inst) {
            None => first(),
            Some((register, memory)) => {
                let memory = memory?;
                let kept = node.operands.get(1)?.value & memory.complement().mask();
                Some(kept | moved(first()?, register, memory))
            }
        },
        _ => None,
    }
}

/// Returns the halves of a register and of a word between which an access moves one; the half of the word is known if the
/// operation names it.
fn half_moved(inst: &Inst<Exch>) -> Option<(Halves, Option<Halves>)> {
    let half = inst.memory_access()?.half?;
    let memory = match half.memory {
        MemoryHalf::Fixed(memory) => Some(memory),
        MemoryHalf::Gpr(_) | MemoryHalf::Address { .. } => None,
    };
    Some((half.register, memory))
}

/// Returns a half of a value as a half of another one, beside zeros.
fn moved(value: u64, from: Halves, to: Halves) -> u64 {
    let low = if from == Halves::HI { value >> 32 } else { value & Halves::LO.mask() };
    if to == Halves::HI { low << 32 } else { low }
}

/// Returns a value as a shared register takes it.
fn fitted(core: &Core, resource: Resource, value: u64) -> u64 {
    match resource {
        Resource::A(_) | Resource::N(_) | Resource::M(_) => value & u64::from(core.address_mask()),
        Resource::Control(control::RIND | control::RSTEP | control::RMASK) => value & 0xffff,
        _ => value,
    }
}

fn cleared(core: &Core, resource: Resource) -> Option<u64> {
    match resource {
        Resource::A(_) => Some(0),
        Resource::N(_) => Some(1),
        Resource::M(_) => Some(core.address_mask().into()),
        _ => None,
    }
}

/// Returns an address behind the step of an access.
fn stepped(core: &Core, issued: &Issued, node: &Node, k: u8) -> Option<u64> {
    let Address::Set { set, step } = issued.bundle.exch.address()? else { return None };
    let value = |resource| operand(node, |r| r == resource).map(|value| value as u16);
    let (a, m) = (value(Resource::A(k))?, value(Resource::M(k))?);
    let n = value(Resource::N(k)).unwrap_or_default();
    let words = address::words(step, n);
    let at = cp2_isa::WordAddress(a);
    (set == k).then(|| address::stepped(core, at, words, m).into())
}

fn permuted(issued: &Issued, node: &Node, to: (u8, Halves, Section)) -> Option<u64> {
    let permutation = issued.bundle.exch.permutation()?;
    let (n, halves, _) = to;
    let first = 2 * usize::from(i32::from(n) != permutation.to);
    let word = |k: usize| {
        let word = permutation.words[first + k];
        let register = permutation.from as u8 + word.register as u8;
        let from = Resource::Fpr(register, word.half);
        let value = operand(node, |r| r == from)?;
        let half = if word.half == Halves::HI { value >> 32 } else { value } as u32;
        Some(u64::from(half ^ if word.is_flipped { 1 << 31 } else { 0 }))
    };
    let mut value = 0;
    for (k, half) in [Halves::LO, Halves::HI].into_iter().enumerate() {
        if halves.contains(half) {
            value |= word(k)? << (32 * k);
        }
    }
    Some(value)
}
