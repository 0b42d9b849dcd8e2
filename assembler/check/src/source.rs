//! Whether each half of a bundle is the operation that it claims to be. Registers are free here:
//! whether they hold the right values shows when the bundles run.

use super::{ScheduleFault, written_fprs};
use cp2_ir::image::{Image, Kernel};
use cp2_ir::linear::{LinearInst, Region};
use cp2_ir::linear::{ScheduledBundle, SlotOrigin};
use cp2_ir::structure::violations;
use cp2_isa::rules::address::first_word;
use cp2_isa::rules::flow::Body;
use cp2_isa::{
    Address, AddressForm, Arith, BundleAddress, Core, Effects, Exch, OperandKind, Step, Unit,
    encode,
};
use std::collections::BTreeSet;

/// Returns the faults that need no run.
pub(super) fn faults(
    core: &Core,
    region: &Region,
    bundles: &[ScheduledBundle],
) -> Vec<ScheduleFault> {
    let mut faults = Vec::new();
    let named = super::named_fprs(region);
    for (at, placed) in bundles.iter().enumerate() {
        let mut say = |op: Option<usize>, message: String| {
            faults.push(ScheduleFault::at(region, at, op, message));
        };
        if let Err(undefined) = placed.bundle.check(core) {
            say(None, undefined.to_string());
        }
        for (source, code) in halves(placed) {
            half(region, placed, source, &code, &mut say);
        }
        for reg in written_fprs(&placed.bundle) {
            if region.kept.contains(&reg) && !named.contains(&reg) {
                say(None, format!("writes f{reg}, which `.keep` protects"));
            }
        }
    }
    if faults.is_empty() {
        flow(core, region, bundles, &mut faults);
    }
    faults
}

/// Returns both halves of a bundle with their sources.
pub(super) fn halves(placed: &ScheduledBundle) -> [(SlotOrigin, LinearInst); 2] {
    let bundle = &placed.bundle;
    [(placed.arith, LinearInst::Arith(bundle.arith)), (placed.exch, LinearInst::Exch(bundle.exch))]
}

fn is_nop(code: &LinearInst) -> bool {
    code.row().unit == Unit::Nop
}

fn half(
    region: &Region,
    placed: &ScheduledBundle,
    source: SlotOrigin,
    code: &LinearInst,
    say: &mut dyn FnMut(Option<usize>, String),
) {
    let name = code.row().name;
    match source {
        SlotOrigin::Nothing if !is_nop(code) => say(None, format!("`{name}` without a source")),
        SlotOrigin::Nothing => {}
        SlotOrigin::Made => made(code, say),
        SlotOrigin::Op(op) => match region.ops.get(op) {
            None => say(None, format!("`{name}` comes from operation {op}, which does not exist")),
            Some(original) => {
                if !same(&original.code, code) {
                    let found = text(code);
                    say(Some(op), format!("{} has become `{found}`", name_of(region, op)));
                }
                let (expected, found) = (original.cc, placed.bundle.cc);
                if expected != 0 && !original.code.row().obeys(expected) {
                    let name = name_of(region, op);
                    say(Some(op), format!("{name} has a predicate that it does not obey"));
                }
                let obeys = code.row().obeys(expected) || code.row().obeys(found);
                if obeys && expected != found {
                    say(
                        Some(op),
                        format!("{} obeys cc{found} instead of cc{expected}", name_of(region, op)),
                    );
                }
            }
        },
    }
}

/// Checks that an operation is one that the scheduler may make of its own accord.
fn made(code: &LinearInst, say: &mut dyn FnMut(Option<usize>, String)) {
    let allowed = match code {
        LinearInst::Arith(inst) => matches!(
            inst.op,
            Arith::Copy
                | Arith::Addi
                | Arith::Subi
                | Arith::Ashifti
                | Arith::Lshifti
                | Arith::Li0
                | Arith::Li1
                | Arith::Li2
                | Arith::Li3
        ),
        LinearInst::Exch(inst) => {
            matches!(
                inst.op,
                Exch::Do | Exch::Doi | Exch::Sync | Exch::Move | Exch::Seti | Exch::Mtfpr
            ) || matches!(inst.op, Exch::Mffpr | Exch::Updaddr)
                || inst.op.row().unit == Unit::Load
        }
    };
    if !allowed {
        say(None, format!("a schedule never adds `{}`", code.row().name));
    }
}

/// Whether a bundle's half does what the operation of the region does, registers and post-modify
/// offsets aside.
fn same(original: &LinearInst, found: &LinearInst) -> bool {
    if !original.is_same_operation(found) && !is_permutation(original, found) {
        return is_widened(original, found) || is_shuffled(original, found);
    }
    let operands = original.row().operands;
    operands.iter().zip(original.values().iter().zip(found.values())).all(|(o, (&v, &w))| {
        match o.kind {
            OperandKind::Fpr(_) | OperandKind::FprPair(_) | OperandKind::FprPermute(_) => true,
            OperandKind::FprHalf(..) => v & 1 == w & 1,
            OperandKind::Address(AddressForm::Offset) => v & 15 == w & 15,
            _ => v == w,
        }
    })
}

fn is_permutation(a: &LinearInst, b: &LinearInst) -> bool {
    a.row().unit == Unit::Permute && b.row().unit == Unit::Permute
}

/// Whether a load of one word has become a load of that word and its neighbour.
pub(super) fn is_widened(original: &LinearInst, found: &LinearInst) -> bool {
    let (LinearInst::Exch(a), LinearInst::Exch(b)) = (original, found) else { return false };
    let (Some(a), Some(b)) = (a.memory_access(), b.memory_access()) else { return false };
    let is_whole = a.half.is_none() && !original.row().effects.contains(Effects::PREDICATED);
    if !is_whole || (a.is_store, a.words, b.is_store, b.words) != (false, 1, false, 2) {
        return false;
    }
    match (a.address, b.address) {
        (
            Address::Set { set, step: Step::Offset(_) },
            Address::Set { set: other, step: Step::Offset(_) },
        ) => set == other,
        (Address::Word(word), Address::Word(other)) => first_word(word, 2) == first_word(other, 2),
        _ => false,
    }
}

/// Whether a move of halves has become a permutation, alone or together with another move: some of the words that the
/// permutation writes are those that the move would write, none with another sign.
fn is_shuffled(original: &LinearInst, found: &LinearInst) -> bool {
    let (LinearInst::Arith(from), LinearInst::Exch(to)) = (original, found) else { return false };
    let Some(permutation) = to.permutation() else { return false };
    if permutation.words.iter().any(|word| word.is_flipped) {
        return false;
    }
    let selected = permutation.words.map(|word| word.number());
    // Low and high half of a register out of halves of the register `of`, 0 or 1.
    let one = |low: i32, high: i32| {
        (0..2).any(|of| selected.chunks(2).any(|pair| pair == [2 * of + low, 2 * of + high]))
    };
    match from.op {
        Arith::Copy => one(0, 1),
        Arith::Swaphl => one(1, 0),
        Arith::Mtrans => (0..2).any(|s| {
            let (s, t) = (2 * s, 2 * (1 - s));
            let (high, low) = ([t + 1, s + 1], [t, s]);
            [high, low].concat() == selected || [low, high].concat() == selected
        }),
        _ => false,
    }
}

/// Returns an operation as a bundle writes it.
pub(super) fn text(code: &LinearInst) -> String {
    match code {
        LinearInst::Arith(inst) => inst.to_string(),
        LinearInst::Exch(inst) => inst.to_string(),
    }
}

/// Returns the name of an operation in messages.
pub(super) fn name_of(region: &Region, op: usize) -> String {
    format!("operation {op} (`{}`)", region.ops[op].code.row().name)
}

fn flow(
    core: &Core,
    region: &Region,
    bundles: &[ScheduledBundle],
    faults: &mut Vec<ScheduleFault>,
) {
    let words = bundles.iter().map(|placed| encode(&placed.bundle)).collect();
    let kernel = Kernel { name: region.name.clone(), start: BundleAddress::default(), words };
    let image = Image { kernels: vec![kernel], ..Image::default() };
    let broken = violations(&image, core);
    faults.extend(broken.into_iter().map(|v| {
        ScheduleFault::at(region, v.address.index(), None, format!("{} [{}]", v.message, v.code))
    }));
    for (at, placed) in bundles.iter().enumerate() {
        let Some((_, end)) = placed.bundle.exch.hardware_loop() else { continue };
        if Body::behind(BundleAddress::default(), end).after().index() > bundles.len() {
            let message = format!("a loop ends at bundle {end}, behind the region");
            faults.push(ScheduleFault::at(region, at, None, message));
        }
    }
    let writers: BTreeSet<u8> = bundles.iter().flat_map(|p| written_fprs(&p.bundle)).collect();
    if let Some(reg) = writers.iter().find(|&&reg| !core.has_fpr(reg.into())) {
        faults.push(ScheduleFault::at(region, 0, None, format!("f{reg} does not exist")));
    }
}

/// Whether a schedule may leave out or repeat the operation: values and addresses tell whether it is right.
pub(super) fn is_optional(code: &LinearInst) -> bool {
    code.row().unit == Unit::Load
        || matches!(code, LinearInst::Exch(i) if matches!(i.op, Exch::Updaddr | Exch::Nop))
        || matches!(code, LinearInst::Arith(i) if matches!(i.op, Arith::Nop | Arith::Copy | Arith::Swaphl))
}
