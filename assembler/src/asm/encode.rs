//! Encoding: values to words, as far as the machine has a meaning for them.

use super::context::Context;
use super::line::Line;
use super::place::item::{PlacedProgram, Target};
use super::resolve::{Bundle, Resolved};
use crate::linear::LinearInst;
use crate::parse::ast::DataForm;
use cp2_isa::{BundleBits, OperandKind, Undefined, bundle_digits};
use std::ops::Range;

/// Writes the words of an item into the program.
pub(crate) fn encode(cx: &mut Context, program: &mut PlacedProgram, item: Resolved) {
    let (target, word) = match item {
        Resolved::Bundle { line, bundle, target } => (target, bundle_word(cx, &line, &bundle)),
        Resolved::Raw { line, at, word, target } => {
            check_word(cx, &line, at, word, program.allows(target.address, "C0310"));
            (target, Some(word))
        }
        Resolved::Scheduled { bundle, target } => (target, Some(cp2_isa::encode(&bundle))),
        Resolved::Data { form, fields, slot } => {
            for (index, fields) in fields.chunks(form.values_per_word()).enumerate() {
                if let Some(word) = data_word(form, fields) {
                    program.layout.set_word(slot, index, word);
                }
            }
            return;
        }
    };
    if let (Target { kernel, address: Some(address) }, Some(word)) = (target, word) {
        program.layout.set_bundle(kernel, address, word);
    }
}

fn bundle_word(cx: &mut Context, line: &Line, written: &Bundle) -> Option<BundleBits> {
    let mut bundle = cp2_isa::Bundle::NOP;
    let mut good = true;
    for operation in &written.operations {
        let Some(operation) = operation else {
            good = false;
            continue;
        };
        let Some(code) = &operation.code else { continue };
        match code {
            LinearInst::Arith(inst) => bundle.arith = *inst,
            LinearInst::Exch(inst) => bundle.exch = *inst,
        }
        good &= check(cx, line, &operation.at, code).is_some();
    }
    bundle.cc = written.cc?;
    good.then(|| cp2_isa::encode(&bundle))
}

/// Refuses an operation that the core has no meaning for.
pub(crate) fn check(
    cx: &mut Context,
    line: &Line,
    at: &Range<usize>,
    code: &LinearInst,
) -> Option<()> {
    let mut bundle = cp2_isa::Bundle::NOP;
    match code {
        LinearInst::Arith(inst) => bundle.arith = *inst,
        LinearInst::Exch(inst) => bundle.exch = *inst,
    }
    let undefined = bundle.check(&cx.core).err();
    if let Some(undefined) = &undefined {
        let d = line.loc(at.clone()).error(undefined_code(undefined), undefined.to_string());
        cx.reporter.report(match undefined {
            Undefined::Extension(_, keys) => {
                d.help(format!("`--enable {}` switches it on", keys.switches()))
            }
            _ => d,
        });
    }
    undefined.is_none().then_some(())
}

fn undefined_code(undefined: &Undefined) -> &'static str {
    match undefined {
        Undefined::Beyond(_, OperandKind::FprPair(_) | OperandKind::FprPermute(_), ..) => "C0308",
        Undefined::SameDestinations(..) => "C0309",
        Undefined::ComparePastLast => "C0311",
        Undefined::StopcodeWritten => "C0313",
        Undefined::Operand(..) | Undefined::Beyond(..) => "C0303",
        Undefined::Opcode(..) => "C0301",
        Undefined::Extension(..) => "C0314",
    }
}

/// Refuses a number that is no bundle, unless an undefined word is meant. A number for whose upper word there is no place is
/// always refused.
fn check_word(cx: &mut Context, line: &Line, at: Range<usize>, word: BundleBits, is_meant: bool) {
    if word >> 64 != 0 && !cx.core.has_wide_bundles() {
        let message = "the machine has no upper words of bundles";
        let help = "`--enable more-fprs=128` gives bundles two words";
        cx.reporter.report(line.loc(at).error("C0314", message).help(help));
    } else if let (Err(undefined), false) = (cp2_isa::decode(word, &cx.core), is_meant) {
        let message = format!("0x{} is not a bundle: {undefined}", bundle_digits(word));
        let d = line.loc(at).error("C0310", message);
        let help = "`@allow(C0310)` keeps the word; the machine stops on it with an error";
        cx.reporter.report(d.help(help));
    }
}

fn data_word(form: DataForm, fields: &[Option<u64>]) -> Option<u64> {
    match (form, fields) {
        (DataForm::Quad, [Some(whole)]) => Some(*whole),
        (DataForm::Complex | DataForm::Pair, [Some(hi), Some(lo)]) => Some(hi << 32 | lo),
        _ => None,
    }
}
