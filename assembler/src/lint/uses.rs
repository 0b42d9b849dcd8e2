//! The register accesses of a bundle as the rules need them: those of the instruction table, cut
//! down to the halves and sections that an operation really looks at. No flow of control here.

use cp2_isa::{Access, Arith, Bundle, Exch, Inst, Latencies, Resource, Slot, Unit};

/// All sections of the machine, one bit each.
pub(super) const ALL_SECTIONS: u8 = (1 << cp2_isa::SECTIONS) - 1;

/// One access of one operation.
#[derive(Clone, Copy, Debug)]
pub(super) struct Use {
    /// What is read.
    pub(super) read: Option<Resource>,
    /// What is written.
    pub(super) write: Option<Resource>,
    /// Half of the bundle.
    pub(super) slot: Slot,
    /// Unit of the operation.
    pub(super) unit: Unit,
    /// Sections that are accessed, one bit each.
    pub(super) sections: u8,
    /// The access happens whatever the condition codes are.
    pub(super) sure: bool,
}

impl Use {
    /// A write that replaces the register in every section.
    pub(super) fn replaces(&self) -> bool {
        self.sure && self.sections == ALL_SECTIONS
    }
}

/// Cycles from the issue of a write until readers without a bypass see it.
pub(super) fn landing(latencies: &Latencies, write: &Use, resource: Resource) -> u32 {
    latencies.distance(write.unit, resource, Unit::Arithmetic)
}

/// Distance at which `reader` first sees what `writer` wrote to `resource`.
pub(super) fn distance(
    latencies: &Latencies,
    writer: &Use,
    resource: Resource,
    reader: &Use,
) -> u32 {
    latencies.distance(writer.unit, resource, reader.unit)
}

/// The longest distance that any reader of the write needs.
pub(super) fn longest(latencies: &Latencies, write: &Use, resource: Resource) -> u32 {
    [Unit::Arithmetic, Unit::Permute, Unit::Loop, Unit::Stop]
        .into_iter()
        .map(|reader| latencies.distance(write.unit, resource, reader))
        .fold(1, u32::max)
}

/// The part of two accesses that is the same bits.
pub(super) fn common(a: Resource, b: Resource) -> Option<Resource> {
    match (a, b) {
        (Resource::Fpr(n, x), Resource::Fpr(m, y)) if n == m && x & y != 0 => {
            Some(Resource::Fpr(n, x & y))
        }
        (Resource::Fpr(..), _) => None,
        _ => (a == b).then_some(a),
    }
}

const LO: u8 = 1;
const HI: u8 = 2;
const BOTH: u8 = LO | HI;

/// The halves of FPR `n` that an arithmetic operation looks at, where the table says "the
/// register". A half that is read for nothing is no hazard.
fn halves_read(inst: &Inst<Arith>, n: u8) -> u8 {
    let is = |operand: usize| inst.values[operand] == i32::from(n);
    let follows = |operand: usize| inst.values[operand] + 1 == i32::from(n);
    match inst.op {
        Arith::C if inst.values[1] < 2 => LO,
        Arith::Mtc | Arith::Rrcossin | Arith::Join32 => LO,
        Arith::Split32 => HI,
        // T counts only with its low bits, and D keeps one half; unless another operand is the
        // same register.
        Arith::Lshift | Arith::Ashift if !is(1) => LO,
        Arith::Qsdot if is(0) && !is(1) && !follows(1) && !is(2) && !follows(2) => {
            if inst.values[3] == 0 { HI } else { LO }
        }
        _ => BOTH,
    }
}

/// The halves of FPR `n` that a permutation moves.
fn halves_permuted(inst: &Inst<Exch>, n: u8) -> u8 {
    let first = inst.values[1];
    inst.values[2..6]
        .iter()
        .map(|selector| selector & 3)
        .filter(|word| first + (word >> 1) == i32::from(n))
        .fold(0, |halves, word| halves | 1 << (word & 1))
}

fn sections(inst: &Inst<Exch>) -> u8 {
    match inst.op {
        Exch::Mtfpr if inst.values[2] >= cp2_isa::SECTIONS as i32 => ALL_SECTIONS,
        Exch::Mtfpr | Exch::Mffpr => 1 << inst.values[2],
        _ => ALL_SECTIONS,
    }
}

fn narrow(resource: Resource, halves: u8) -> Option<Resource> {
    match resource {
        Resource::Fpr(n, mask) => (mask & halves != 0).then_some(Resource::Fpr(n, mask & halves)),
        other => Some(other),
    }
}

/// Every access of the bundle, the arithmetic slot's first.
pub(super) fn uses(bundle: &Bundle) -> Box<[Use]> {
    let mut uses: Vec<Use> = Vec::new();
    let sure = |predicated: bool| bundle.cc == 0 || !predicated;
    let (arith, exch) = (&bundle.arith, &bundle.exch);
    let predicated = |row: &cp2_isa::Row| row.effects.contains(cp2_isa::Effects::PREDICATED);
    let mut add = |access: Access, slot, sections, sure, halves: u8| {
        uses.push(Use {
            read: if access.read { narrow(access.resource, halves) } else { None },
            write: access.write.then_some(access.resource),
            slot,
            unit: access.unit,
            sections,
            sure,
        });
    };
    arith.for_each_access(bundle.cc, &mut |access| {
        let halves = match access.resource {
            Resource::Fpr(n, _) => halves_read(arith, n),
            _ => BOTH,
        };
        add(access, Slot::Arithmetic, ALL_SECTIONS, sure(predicated(arith.op.row())), halves);
    });
    exch.for_each_access(bundle.cc, &mut |access| {
        let halves = match access.resource {
            Resource::Fpr(n, _) if access.unit == Unit::Permute => halves_permuted(exch, n),
            _ => BOTH,
        };
        let sections = match access.resource {
            Resource::Fpr(..) => sections(exch),
            _ => ALL_SECTIONS,
        };
        add(access, Slot::Exchange, sections, sure(predicated(exch.op.row())), halves);
    });
    bundle.for_each_status_access(&mut |access| {
        let slot = if access.unit == Unit::Scalar { Slot::Exchange } else { Slot::Arithmetic };
        // STATUS.FPE is replaced by a `mtc` that no section executes, too.
        add(access, slot, ALL_SECTIONS, access.unit != Unit::Arithmetic, BOTH);
    });
    uses.into()
}
