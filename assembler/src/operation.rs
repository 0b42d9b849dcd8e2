//! Mnemonics: which operation one means, what is near to it, how its operands are written.

use crate::suggest::{did_you_mean, nearest};
use cp2_isa::{
    AddressForm, Arith, Exch, Operand, OperandKind, condition_name, fields, format_name,
};

/// The operation of a mnemonic.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Choice {
    /// `nop` of either slot.
    Nop,
    /// An arithmetic operation, and the operands that the mnemonic tells.
    Arith(Arith, Vec<i32>),
    /// An exchange operation.
    Exch(Exch),
}

/// Finds the operation of this name, or returns a message and perhaps what to do.
pub(crate) fn find(name: &str) -> Result<Choice, (String, Option<String>)> {
    if name == "nop" {
        return Ok(Choice::Nop);
    }
    if name == "c" || name.starts_with("c.") {
        return comparison(name);
    }
    if let Some(op) = Arith::from_name(name) {
        return Ok(Choice::Arith(op, Vec::new()));
    }
    if let Some(op) = Exch::from_name(name) {
        return Ok(Choice::Exch(op));
    }
    Err((format!("there is no operation `{name}`"), None))
}

/// Returns which operation or macro may have been meant by a name that neither has.
pub(crate) fn advice<'a>(name: &str, macros: impl Iterator<Item = &'a str>) -> Option<String> {
    let operations =
        Arith::ALL.iter().map(|o| o.row().name).chain(Exch::ALL.iter().map(|o| o.row().name));
    let near = nearest(name, operations.chain(["psprmsgn"]).chain(macros))?;
    Some(did_you_mean(near))
}

fn comparison(name: &str) -> Result<Choice, (String, Option<String>)> {
    let mut parts = name.split('.').skip(1);
    let relation = parts.next().and_then(|r| (0..8).find(|&k| condition_name(k) == r));
    let format = parts.next().and_then(|f| (0..4).find(|&k| format_name(k) == f));
    match (relation, format, parts.next()) {
        (Some(relation), Some(format), None) => {
            Ok(Choice::Arith(Arith::C, vec![i32::from(relation), i32::from(format)]))
        }
        _ => {
            let help = "comparisons are `c.RELATION.FORMAT`: t, un, lt, le, eq, ne, gt or ge, then s, w, ps or pw";
            Err((format!("there is no comparison `{name}`"), Some(help.into())))
        }
    }
}

/// Returns the name in messages of an operand of a kind.
pub(crate) fn operand_text(kind: OperandKind) -> String {
    match kind {
        OperandKind::Fpr(_) => "a register f0..f63".into(),
        OperandKind::FprPair(_) => "the first of two registers, f0..f62".into(),
        OperandKind::FprHalf(..) => "half of a register, `fN.hi` or `fN.lo`".into(),
        OperandKind::FprPermute(base) => {
            format!("the first of two registers, f{base}..f{}", (base + 31).min(62))
        }
        OperandKind::Signed(_) | OperandKind::Unsigned(_) => {
            format!("a number from {} to {}", kind.range().start(), kind.range().end())
        }
        OperandKind::Cc(_) => "a condition code cc0..cc7".into(),
        OperandKind::Condition => "a relation".into(),
        OperandKind::Format => "a format".into(),
        OperandKind::Creg => "`fcsr` or `fccr`".into(),
        OperandKind::Gpr(_) => "a register g0..g15".into(),
        OperandKind::Target => "the address of a bundle".into(),
        OperandKind::WordAddress => "the address of a word in local memory".into(),
        OperandKind::AddressSet | OperandKind::SectionSet(_) | OperandKind::SharedSet => {
            "an address set r0..r15".into()
        }
        OperandKind::SharedWord => "the address of a word in shared memory, 0 to 1023".into(),
        OperandKind::Address(_) | OperandKind::SectionAddress | OperandKind::SharedAddress => {
            format!("an address `{}`", operand_shape(kind))
        }
        OperandKind::MoveReg(..) => "a register gN, iN, aN, nN, mN or a control register".into(),
        OperandKind::SetReg => "a register gN, aN, nN or mN".into(),
        OperandKind::GprOrIreg => "a register gN or iN".into(),
        OperandKind::Section(_, 4) => "a section s0..s3 or `all`".into(),
        OperandKind::Section(..) => "one section s0..s3".into(),
        OperandKind::Select(_) => "a word 0..3, with `-` to flip its sign".into(),
    }
}

fn operand_shape(kind: OperandKind) -> &'static str {
    match kind {
        OperandKind::Fpr(_) | OperandKind::FprPair(_) | OperandKind::FprPermute(_) => "fN",
        OperandKind::FprHalf(..) => "fN.half",
        OperandKind::Signed(_) => "number",
        OperandKind::Unsigned(f) if f == fields::MODE => "mode",
        OperandKind::Unsigned(_) => "number",
        OperandKind::Cc(_) => "ccN",
        OperandKind::Condition | OperandKind::Format => "",
        OperandKind::Creg => "fccr",
        OperandKind::Gpr(_) => "gN",
        OperandKind::Target => "label",
        OperandKind::WordAddress | OperandKind::SharedWord => "address",
        OperandKind::AddressSet | OperandKind::SectionSet(_) | OperandKind::SharedSet => "rK",
        OperandKind::Address(AddressForm::Offset)
        | OperandKind::SectionAddress
        | OperandKind::SharedAddress => "(rK)+number",
        OperandKind::Address(AddressForm::PlusN) => "(rK)+nK",
        OperandKind::Address(AddressForm::MinusN) => "(rK)-nK",
        OperandKind::MoveReg(..) => "register",
        OperandKind::SetReg => "register",
        OperandKind::GprOrIreg => "gN",
        OperandKind::Section(..) => "section",
        OperandKind::Select(_) => "word",
    }
}

/// Returns the form in which an operation with these operands is written.
pub(crate) fn usage(name: &str, operands: &[Operand]) -> String {
    let shapes: Vec<_> = operands.iter().map(|o| operand_shape(o.kind)).collect();
    format!("{name} {}", shapes.join(", ")).trim_end().to_owned()
}
