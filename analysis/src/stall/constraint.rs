//! The constraints of an operation: how early it could have issued, and for which reasons: operands, the order in which
//! results land, earlier readers of what it replaces. Latencies come from the core.

use super::Look;
use crate::history::{Issued, Reader, ValueSource};
use crate::location::Location;
use cp2_emu::dma::{Beat, Visit};
use cp2_isa::rules::landing::{SurvivingWrite, surviving_write};
use cp2_isa::{Cycle, Halves, Resource, Section, Slot, Words, WordsFrom, control};
use cp2_recording::RecordingError;

/// The kind of a [`Constraint`]: the reason for which an operation could not issue before a certain cycle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ConstraintKind {
    /// An operand was not ready: its location, and the operation that computes it.
    Operand(Location, Box<Issued>),
    /// A word of local memory had not been brought: its location, the beat of the DMA channel that wrote it, and the
    /// visit to the beat's descriptor, if it is known.
    Beat(Location, Beat, Option<Box<Visit>>),
    /// The result must not land before that of an earlier operation: the register or word that both write, and that
    /// operation.
    Order(Resource, Box<Issued>),
    /// An earlier operation still had to read the old value: the register or word that is overwritten, and that
    /// operation.
    Reader(Resource, Box<Issued>),
}

/// A constraint on the issue of an operation: a reason to wait, and the first cycle in which it no longer holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Constraint {
    /// First cycle, counted from reset, in which the operation could have issued as far as this reason goes.
    pub ready: Cycle,
    /// Reason for which the operation had to wait until then.
    pub kind: ConstraintKind,
    /// True if the reason is only an address in an address register, or an angle of a coefficient, that the previous
    /// operation in the same slot left behind. It never delays an operation, because that one took the slot anyway.
    pub is_step: bool,
}

/// Returns the halves of a register or the words of a pair one by one, and anything else as it is.
fn parts(resource: Resource) -> Vec<Resource> {
    match resource {
        Resource::Fpr(n, Halves::BOTH) => {
            vec![Resource::Fpr(n, Halves::LO), Resource::Fpr(n, Halves::HI)]
        }
        Resource::Memory(Words { count: 2, from: WordsFrom::Word(first) }) => {
            let word =
                |n| Resource::Memory(Words { count: 1, from: WordsFrom::Word(first.plus(n)) });
            vec![word(0), word(1)]
        }
        other => vec![other],
    }
}

/// Returns the location at which an operation read a resource in a section.
fn location(resource: Resource, section: Section) -> Option<Location> {
    match resource {
        Resource::Memory(Words { from: WordsFrom::Word(word), .. }) => {
            Some(Location::Word(word, section))
        }
        Resource::Memory(_) | Resource::Shared => None,
        register => Some(Location::Register(register, section)),
    }
}

/// Returns all constraints of an operation, the latest first, but the steps of addresses and angles behind the others.
pub(super) fn constraints(
    look: &mut Look<'_>,
    issued: &Issued,
) -> Result<Vec<Constraint>, RecordingError> {
    let mut all = Vec::new();
    for resource in issued.uses() {
        // Resources that do not follow the pipeline, and flags, which gather, keep nothing.
        if matches!(resource, Resource::Fpe | Resource::Fcsr | Resource::Mailbox) {
            continue;
        }
        operand(look, issued, resource, &mut all)?;
    }
    neighbours(look, issued, &mut all)?;
    for constraint in &mut all {
        constraint.is_step = is_step(issued, constraint);
    }
    all.sort_by_key(|constraint| (constraint.is_step, std::cmp::Reverse(constraint.ready)));
    Ok(all)
}

/// Whether an operand is an address or an angle that the operation before in the same slot left behind.
fn is_step(issued: &Issued, constraint: &Constraint) -> bool {
    let (resource, other) = match &constraint.kind {
        ConstraintKind::Operand(Location::Register(resource, _), other)
        | ConstraintKind::Order(resource, other)
        | ConstraintKind::Reader(resource, other) => (resource, other),
        ConstraintKind::Operand(..) | ConstraintKind::Beat(..) => return false,
    };
    other.slot == issued.slot
        && match resource {
            Resource::A(_) => other.access.is_some(),
            Resource::Control(control::RIND) => other.slot == Slot::Arithmetic,
            _ => false,
        }
}

/// Adds the constraint of an operand: when it was there, in the section in which it came last.
fn operand(
    look: &mut Look<'_>,
    issued: &Issued,
    resource: Resource,
    all: &mut Vec<Constraint>,
) -> Result<(), RecordingError> {
    let reader = Reader { cycle: issued.cycle, unit: issued.unit() };
    let own = resource.storage().info().layout.is_per_section();
    let sections: Vec<Section> =
        if own { issued.enabled.iter().collect() } else { vec![Section::FIRST] };
    let mut latest: Option<Constraint> = None;
    for part in parts(resource) {
        for &section in &sections {
            let Some(location) = location(part, section) else { continue };
            let found = look.history.find(look.recording, location, reader)?;
            let constraint = match found.source {
                ValueSource::Operation(giver) => {
                    let latencies = look.program.core.latencies();
                    let distance = latencies.distance(giver.unit(), resource, issued.unit());
                    Constraint {
                        ready: giver.cycle + u64::from(distance),
                        kind: ConstraintKind::Operand(whole(location, resource), giver),
                        is_step: false,
                    }
                }
                ValueSource::Beat(beat, visit) => {
                    let (ready, kind) =
                        (beat.cycle + 1, ConstraintKind::Beat(location, beat, visit));
                    Constraint { ready, kind, is_step: false }
                }
                _ => continue,
            };
            if latest.as_ref().is_none_or(|latest| constraint.ready > latest.ready) {
                latest = Some(constraint);
            }
        }
    }
    all.extend(latest);
    Ok(())
}

/// Returns the register as the operation names it.
fn whole(location: Location, resource: Resource) -> Location {
    match location {
        Location::Register(_, section) => Location::Register(resource, section),
        other => other,
    }
}

/// Adds the constraints by operations shortly before that wrote or read what the operation writes.
fn neighbours(
    look: &mut Look<'_>,
    issued: &Issued,
    all: &mut Vec<Constraint>,
) -> Result<(), RecordingError> {
    let latencies = *look.program.core.latencies();
    let mut changed = Vec::new();
    issued.footprint(&mut |access| {
        let gathers = matches!(access.resource, Resource::Fcsr | Resource::Fpe | Resource::Mailbox);
        changed.extend(access.changed().filter(|_| !gathers));
    });
    let from = Cycle(issued.cycle.0.saturating_sub(latencies.longest().into()));
    for before in look.history.issued(look.recording, from..issued.cycle)? {
        for &resource in &changed {
            let mut need = None;
            before.footprint(&mut |access| {
                if !access.resource.overlaps(resource) {
                    return;
                }
                let visible = |of: &Issued, reader| latencies.distance(of.unit(), resource, reader);
                let is_change = access.changed().is_some();
                let own = u64::from(visible(issued, before.unit()));
                let (ready, new) = if is_change {
                    let lands = before.cycle + u64::from(visible(&before, before.unit()));
                    // Of two results that land together the younger one stays, but for a load.
                    let younger =
                        surviving_write(before.unit(), issued.unit()) == SurvivingWrite::Younger;
                    let least = if younger { lands } else { lands + 1 };
                    (least, ConstraintKind::Order(resource, Box::new(before.clone())))
                } else {
                    (before.cycle + 1, ConstraintKind::Reader(resource, Box::new(before.clone())))
                };
                let ready = Cycle(ready.0.saturating_sub(own));
                need = Some(Constraint { ready, kind: new, is_step: false });
            });
            all.extend(need);
        }
    }
    Ok(())
}
