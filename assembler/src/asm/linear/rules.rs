//! What a region must keep before it is scheduled. Each rule finds the operation that breaks it.

use crate::asm::line::{Loc, Spot};
use crate::diagnostic::Diagnostic;
use crate::linear::{Block, FprAccess, LinearInst, Loop, Op, Reg, Region, TripCount};
use crate::suggest::{did_you_mean, nearest};
use cp2_isa::{
    Core, Creg, Effects, Exch, MoveReg, RegFile, Resource, Row, Undefined, Unit, control,
};
use std::collections::{BTreeMap, BTreeSet};

/// Returns the first rule that a region breaks as a whole. `head` is where the region begins, `places` are those of its
/// operations.
pub(super) fn broken(region: &Region, head: &Spot, places: &[Spot]) -> Option<Diagnostic> {
    undefined_read(region, places)
        .or_else(|| empty(region, head))
        .or_else(|| written_twice(region, places))
        .or_else(|| scratch_in_use(region, head, places))
}

fn empty(region: &Region, head: &Spot) -> Option<Diagnostic> {
    region.ops.is_empty().then(|| head.error("C0608", "a region without an operation"))
}

/// Returns an operation of a loop that writes the register with the loop's count.
pub(super) fn written_in(region: &Region, of: &Loop) -> Option<usize> {
    let TripCount::Register { gpr, .. } = of.count else { return None };
    let mut ops = Vec::new();
    collect(&of.body, &mut ops);
    ops.into_iter().find(|&op| region.ops[op].writes_gpr(gpr))
}

fn collect(blocks: &[Block], ops: &mut Vec<usize>) {
    for block in blocks {
        match block {
            Block::Straight(range) => ops.extend(range.clone()),
            Block::Loop(l) => collect(&l.body, ops),
        }
    }
}

/// Reports a read of a virtual register that nothing before has written.
fn undefined_read(region: &Region, places: &[Spot]) -> Option<Diagnostic> {
    let mut known: BTreeSet<Reg> = BTreeSet::new();
    for (op, spot) in region.ops.iter().zip(places) {
        let accesses = region.fpr_accesses(op);
        let fills = op.code.row().effects.contains(Effects::FILLS);
        let part = |reg: Reg| fills && accesses.iter().any(|a| a.reg == reg && a.write);
        let missing = accesses.iter().find(|a| {
            is_needed(op, a)
                && a.reg.physical().is_none()
                && !known.contains(&a.reg)
                && !part(a.reg)
        });
        if let Some(access) = missing {
            let name = region.register_name(access.reg);
            let d = spot.error("C0603", format!("`{name}` has no value here"));
            return Some(d.help("virtual registers have none at the start of the region"));
        }
        known.extend(accesses.iter().filter(|a| a.write).map(|a| a.reg));
    }
    None
}

/// Whether an access asks for a value that is there: not what may be the first to write a part. A conditional
/// load leaves in its register what is there, in sections that only the run knows.
fn is_needed(op: &Op, access: &FprAccess) -> bool {
    let row = op.code.row();
    access.read && !access.keeps || access.keeps && row.unit == Unit::Load && row.keeps(op.cc)
}

/// Reports an operation whose two destinations are assigned to one register.
fn written_twice(region: &Region, places: &[Spot]) -> Option<Diagnostic> {
    let held = |reg: Reg| match reg.virtual_index() {
        Some(index) => region.assigned.get(&index).copied(),
        None => reg.physical(),
    };
    for (op, spot) in region.ops.iter().zip(places) {
        let mut written: Vec<(u8, Reg)> = Vec::new();
        for reg in region.fpr_accesses(op).into_iter().filter(|a| a.write).map(|a| a.reg) {
            let Some(held) = held(reg) else { continue };
            let Some(&(_, other)) = written.iter().find(|(known, _)| *known == held) else {
                written.push((held, reg));
                continue;
            };
            if other != reg {
                let both = Undefined::SameDestinations(op.code.row().name, held);
                let name = [reg, other].into_iter().find(|reg| reg.physical().is_none())?;
                let d = spot.error("C0309", both.to_string());
                let name = region.register_name(name);
                return Some(d.help(format!("`{name}` is assigned to f{held}")));
            }
        }
    }
    None
}

/// Reports an `.assign` of a virtual register that no operation has: its name is misspelt, or it is not wanted. `places` tell
/// where each register is named, by its index.
pub(super) fn assigned_in_vain(
    region: &Region,
    places: &BTreeMap<usize, Loc>,
) -> Option<Diagnostic> {
    let accesses = region.ops.iter().flat_map(|op| region.fpr_accesses(op));
    let used: BTreeSet<usize> = accesses.filter_map(|access| access.reg.virtual_index()).collect();
    let (index, loc) = places.iter().find(|(index, _)| !used.contains(index))?;
    let name = &region.names[*index];
    let others = used.iter().map(|&other| region.names[other].as_str());
    let help = match nearest(name, others) {
        Some(other) => did_you_mean(&format!("%{other}")),
        None => format!("leave it out; `.keep f{}` keeps that register", region.assigned[index]),
    };
    let message = format!("no operation of the region has `%{name}`");
    Some(loc.error("C0418", message).help(help))
}

/// Reports an operation or a loop that uses a register of `.scratch`.
fn scratch_in_use(region: &Region, head: &Spot, places: &[Spot]) -> Option<Diagnostic> {
    let scratch = &region.scratch;
    if let Some(&g) = region.promises().keys().find(|g| scratch.contains(g)) {
        let d = head.error("C0607", format!("g{g} is a scratch register, and a loop counts by it"));
        return Some(d.help("name another one in `.scratch`"));
    }
    for (op, spot) in region.ops.iter().zip(places) {
        let used = op.resources().into_iter().find_map(|a| match a.resource {
            Resource::Gpr(g) => scratch.contains(&g).then_some(g),
            _ => None,
        });
        if let Some(g) = used {
            let d = spot.error("C0607", format!("g{g} is a scratch register, and this uses it"));
            return Some(d.help("name another one in `.scratch`"));
        }
    }
    None
}

/// Returns the advice about a predicate that an operation does not obey.
pub(super) fn predicate_help(core: &Core, row: &'static Row) -> String {
    let aside = "compute aside and take over with `if(...) copy`";
    let conditional = Exch::from_name(&format!("c{}", row.name)).map(Exch::row);
    let conditional = conditional.filter(|other| other.unit == row.unit && other.obeys(1));
    match conditional {
        Some(other) if core.extensions().contains(other.extension) => {
            format!("write `{}`, which obeys it, or remove the predicate", other.name)
        }
        Some(other) if row.unit == Unit::Load => format!(
            "remove the predicate, or {aside}; `--enable {}` gives `{}`, which obeys it",
            other.extension.switches(),
            other.name
        ),
        Some(other) => format!(
            "remove the predicate, or load what is there and merge it with `if(...) copy`; \
             `--enable {}` gives `{}`, which obeys it",
            other.extension.switches(),
            other.name
        ),
        None => format!("remove the predicate, or {aside}"),
    }
}

/// Returns the reason that keeps an operation out of linear code, if there is one.
pub(super) fn refused(code: &LinearInst) -> Option<String> {
    let row = code.row();
    if matches!(row.unit, Unit::Loop | Unit::Jump | Unit::Stop | Unit::Sync | Unit::Dma) {
        return Some(format!("`{}`", row.name));
    }
    match code {
        LinearInst::Arith(inst) => (inst.creg() == Some(Creg::Fcsr))
            .then(|| format!("`{}` of fcsr, whose flags have no fixed order,", row.name)),
        LinearInst::Exch(inst) => {
            let (to, from) = inst.moved()?;
            let reg = [to, from].into_iter().find(|reg| !may_be_moved(reg))?;
            let name = cp2_isa::control_name(reg.number);
            Some(format!("`{}` to or from `{name}`", row.name))
        }
    }
}

/// Whether linear code may read and write a register, as far as its order is free.
fn may_be_moved(reg: &MoveReg) -> bool {
    reg.file != RegFile::Control
        || [control::RIND, control::RSTEP, control::RMASK].contains(&reg.number)
}
